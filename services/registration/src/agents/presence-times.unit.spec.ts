import { hostKeyOf } from '@muster/contracts';
import { isoTime } from '@muster/ports';
import { manualClock } from '@muster/testing';
import { Presence } from './presence';

const MINUTE_MS = 60_000;
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
    const aggregates = {
      now: () => isoTime(clock.nowMs()),
      ownContext: () => ({}),
      hosts: { handle: async (key: string, { type }: { readonly type: string }) => void sent.push(`${type} ${key}`) },
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
});
