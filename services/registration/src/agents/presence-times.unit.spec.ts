import { hostKeyOf } from '@muster/contracts';
import { isoTime } from '@muster/ports';
import { manualClock } from '@muster/testing';
import { Logger } from '@nestjs/common';
import { Presence } from './presence';

const MINUTE_MS = 60_000;
const RETRY_MS = 5_000;
const HOUR_MS = 60 * MINUTE_MS;
const INFRA_ENV = '11111111-1111-4111-8111-111111111111';
const KEY = hostKeyOf(INFRA_ENV, '22222222-2222-4222-8222-222222222222');
const OTHER_KEY = hostKeyOf(INFRA_ENV, '33333333-3333-4333-8333-333333333333');

describe('the presence of hosts', () => {
  const clock = manualClock();
  let presence: Presence;
  let sent: string[];
  /** Statuses of the hosts. */
  let statuses: ReadonlyMap<string, string>;
  let reachableSinceMs: number;
  /** Stores a command. */
  let store: (command: string) => Promise<void>;
  const letTimePass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await jest.advanceTimersByTimeAsync(ms);
  };
  const entryOf = (key: string) => ({
    key,
    state: { status: statuses.get(key), isSilent: false, isBootstrap: false },
  });
  beforeEach(() => {
    jest.useFakeTimers();
    [sent, statuses, reachableSinceMs] = [[], new Map([[KEY, 'known']]), -Infinity];
    const view = { openHosts: () => [...statuses.keys()].map(entryOf), host: entryOf };
    store = async (command) => void sent.push(command);
    const aggregates = {
      now: () => isoTime(clock.nowMs()),
      ownContext: () => ({}),
      hosts: { handle: (key: string, { type }: { readonly type: string }) => store(`${type} ${key}`) },
    };
    const config = { maxDisconnectionMs: 3 * MINUTE_MS, bootstrapExtraDisconnectionMs: 0 };
    const given = [clock, config, () => reachableSinceMs, aggregates, view] as unknown;
    presence = new Presence(...(given as ConstructorParameters<typeof Presence>));
  });
  afterEach(() => {
    presence.onApplicationShutdown();
    jest.useRealTimers();
  });

  it('ends after a start only for hosts that poll in their status', async () => {
    statuses = new Map([
      [KEY, 'known'],
      [OTHER_KEY, 'resetting-pending-user-action'],
    ]);
    presence.start();
    expect([KEY, OTHER_KEY].map((key) => presence.lastSeenAt(key))).toEqual([isoTime(clock.nowMs()), undefined]);
    await letTimePass(4 * MINUTE_MS);
    expect(sent).toEqual([`FallSilent ${KEY}`]);
  });

  it.each([HOUR_MS, -HOUR_MS])('has the time of the last request after the clock was set by %d ms', async (setByMs) => {
    presence.start();
    await presence.seen(KEY);
    clock.set(clock.nowMs() + setByMs);
    const seenAt = isoTime(clock.nowMs());
    await letTimePass(MINUTE_MS);
    expect(presence.lastSeenAt(KEY)).toBe(seenAt);
  });

  it.each([HOUR_MS, -HOUR_MS])('lasts after an outage that ended when the clock was set by %d ms', async (setByMs) => {
    presence.start();
    clock.set(clock.nowMs() + setByMs);
    await letTimePass(2 * MINUTE_MS);
    reachableSinceMs = clock.nowMs();
    await letTimePass(2 * MINUTE_MS);
    expect(sent).toEqual([]);
    await letTimePass(MINUTE_MS);
    expect(sent).toEqual([`FallSilent ${KEY}`]);
  });

  it('returns with a request that arrives while its end is stored', async () => {
    presence.start();
    store = async (command) => {
      sent.push(command);
      if (command.startsWith('FallSilent')) await presence.seen(KEY);
    };
    await letTimePass(4 * MINUTE_MS);
    expect(sent).toEqual([`FallSilent ${KEY}`, `Return ${KEY}`]);
  });

  it('ends later when its end could not be stored', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    presence.start();
    const append = store;
    store = () => Promise.reject(new Error('The event store is not available'));
    await letTimePass(3 * MINUTE_MS);
    expect(logged).toHaveBeenCalledTimes(1);
    logged.mockRestore();
    store = append;
    await letTimePass(RETRY_MS);
    expect(sent).toEqual([`FallSilent ${KEY}`]);
  });
});
