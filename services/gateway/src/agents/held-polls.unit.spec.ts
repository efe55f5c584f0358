import { EventEmitter } from 'node:events';
import { agentSubject } from '@muster/contracts';
import type { Requests } from '@muster/ports';
import { Groups, HeldPolls } from './held-polls';

const HOST = { infraEnvId: '0c9d7a35-3a64-4d4c-8a3d-0e3a5a0a7b02', hostId: 'e1b5a0f4-6f0f-4a4b-9c0a-7d1d2c3b4a03' };
const HOLD_SECONDS = 3_600;

describe('a held poll', () => {
  let wakeUp: () => void;
  let polls: HeldPolls;
  beforeEach(() => {
    const subject = agentSubject(HOST.infraEnvId, HOST.hostId, 'nudge');
    const subscribe: Requests['subscribe'] = (_subject, handle) => {
      wakeUp = () => void handle({ subject, body: {}, headers: {} });
      return { unsubscribe: () => undefined };
    };
    polls = new HeldPolls({ subscribe } as unknown as Requests);
    polls.onApplicationBootstrap();
  });
  afterEach(() => polls.beforeApplicationShutdown());

  /** Holds a poll until it is released. Returns the number of requests for the steps of its host. */
  const hold = (connection: EventEmitter, ask: () => Promise<number>): Promise<number> =>
    polls.hold(HOST, connection, ask, () => HOLD_SECONDS);

  it('ends with its connection, so that a wake-up does not count as a poll of an agent that is gone', async () => {
    const connection = new EventEmitter();
    let requests = 0;
    const held = hold(connection, () => Promise.resolve((requests += 1)));
    await Promise.resolve();
    connection.emit('close');
    wakeUp();
    expect(await held).toBe(1);
    expect([requests, polls.count, connection.listenerCount('close')]).toEqual([1, 0, 0]);
  });

  it('is not held when its connection ends during the request', async () => {
    const connection = new EventEmitter();
    const held = hold(connection, () => {
      connection.emit('close');
      return Promise.resolve(1);
    });
    expect(await held).toBe(1);
    expect(polls.count).toBe(0);
  });

  it('is not held when its connection ended before', async () => {
    const connection = Object.assign(new EventEmitter(), { destroyed: true });
    const held = hold(connection, () => Promise.resolve(1));
    await new Promise(setImmediate);
    expect(polls.count).toBe(0);
    expect(await held).toBe(1);
  });

  it('requests the steps again after a wake-up while its connection exists', async () => {
    const connection = new EventEmitter();
    let requests = 0;
    const held = hold(connection, () => Promise.resolve((requests += 1)));
    await Promise.resolve();
    wakeUp();
    await new Promise(setImmediate);
    expect([requests, polls.count]).toEqual([2, 1]);
    connection.emit('close');
    expect(await held).toBe(2);
  });

  it('ends with its delay when a wake-up and the end of the delay arrive during the same request', async () => {
    jest.useFakeTimers();
    try {
      let requests = 0;
      const held = polls.hold(
        HOST,
        new EventEmitter(),
        () => {
          requests += 1;
          if (requests === 2) {
            wakeUp();
            jest.advanceTimersByTime(HOLD_SECONDS * 1_000);
          }
          return Promise.resolve(requests);
        },
        () => HOLD_SECONDS,
      );
      await jest.advanceTimersByTimeAsync(0);
      wakeUp();
      await jest.advanceTimersByTimeAsync(0);
      expect(polls.count).toBe(0);
      expect(await held).toBe(2);
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('Groups', () => {
  const LONG_MS = 60_000;
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('starts tasks when their group is complete', async () => {
    const groups = new Groups(2, LONG_MS);
    const started: string[] = [];
    for (const name of ['a', 'b', 'c']) void groups.join().then(() => started.push(name));
    await settled();
    expect(started).toEqual(['a', 'b']);
    groups.start();
    await settled();
    expect(started).toEqual(['a', 'b', 'c']);
  });

  it('starts a task without company after the maximum time, and so the next one', async () => {
    const groups = new Groups(2, 1);
    await expect(groups.join()).resolves.toBeUndefined();
    await expect(groups.join()).resolves.toBeUndefined();
  });
});
