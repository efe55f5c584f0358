import { AggregateCache, CommandLog } from './aggregate-cache';

const aggregate = (revision: number) => ({ state: {}, revision, position: revision, commands: new CommandLog() });

describe('the cache of aggregates', () => {
  it('lets the one go that was used longest ago', () => {
    const cache = new AggregateCache<object>(2);
    cache.set('a', aggregate(1));
    cache.set('b', aggregate(2));
    cache.get('a');
    cache.set('c', aggregate(3));
    expect(['a', 'b', 'c'].map((id) => cache.get(id)?.revision)).toEqual([1, undefined, 3]);
  });

  it('replaces an aggregate without letting another go', () => {
    const cache = new AggregateCache<object>(2);
    cache.set('a', aggregate(1));
    cache.set('b', aggregate(2));
    cache.set('b', aggregate(3));
    expect(['a', 'b'].map((id) => cache.get(id)?.revision)).toEqual([1, 3]);
  });

  it('forgets what it is told to', () => {
    const cache = new AggregateCache<object>(2);
    cache.set('a', aggregate(1));
    cache.drop('a');
    expect(cache.get('a')).toBeUndefined();
  });
});

describe('the log of a stream’s commands', () => {
  it('keeps the last thousand and twenty-four', () => {
    const log = new CommandLog();
    for (let n = 0; n < 1_025; n += 1) log.remember(`c-${n}`, n, n);
    expect(log.find('c-0')).toBeUndefined();
    expect(log.find('c-1')).toEqual({ position: 1, revision: 1 });
    expect(log.find('c-1024')).toEqual({ position: 1_024, revision: 1_024 });
  });

  it('knows a command by its last event', () => {
    const log = new CommandLog();
    log.remember('c', 4, 1);
    log.remember('c', 5, 2);
    expect(log.find('c')).toEqual({ position: 5, revision: 2 });
  });
});
