import { CommandLog } from './aggregate-cache';

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
