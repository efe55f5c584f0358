import { checksPerMinute, ConnectivityRounds } from './connectivity-rounds';

describe('rate limit of connectivity checks', () => {
  const MINUTE_MS = 60_000;
  let nowMs = 0;
  let rounds: ConnectivityRounds;
  beforeEach(() => {
    nowMs = 1_000_000;
    rounds = new ConnectivityRounds();
  });

  /** Polls once for every host of a cluster. Returns the numbers of the hosts that may check. */
  const poll = (hosts: number, from = 0, isNewVersion = false): number[] =>
    numbers(from, hosts).filter((n) =>
      rounds.take({ clusterId: 'c', host: `host-${n}`, hostCount: hosts, isNewVersion }, nowMs),
    );
  const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => n + from);

  it('lets every host of a cluster of up to 223 hosts check at every poll', () => {
    for (let n = 0; n < 3; n += 1) expect(poll(223)).toHaveLength(223);
    expect(poll(224)).toHaveLength(223);
  });

  it('limits the checked pairs of a large cluster, and lets at least 150 hosts check per minute', () => {
    expect([500, 750, 1_000, 2_000].map(checksPerMinute)).toEqual([300, 200, 150, 150]);
  });

  it('rotates through the hosts of a large cluster in the order of their polls', () => {
    expect(poll(250)).toEqual(numbers(0, 200));
    expect(poll(250)).toEqual([]);
    nowMs += 20_000;
    expect(poll(250)).toEqual([...numbers(0, 150), ...numbers(200, 250)]);
    nowMs += 20_000;
    expect(poll(250)).toEqual(numbers(0, 200));
  });

  it('refills the allowance in proportion to the time', () => {
    poll(500);
    nowMs += 4_000;
    expect(poll(500)).toHaveLength(20);
  });

  it('refills it three times as fast while hosts have not checked the present hosts', () => {
    poll(500, 0, true);
    nowMs += 4_000;
    expect(poll(500, 0, true)).toHaveLength(60);
  });

  it('lets 1,000 hosts that poll once a minute check each other within three minutes', () => {
    const hosts = numbers(0, 1_000);
    let unchecked = hosts;
    for (let minute = 1; minute <= 3; minute += 1) {
      const take = (n: number): boolean => {
        nowMs += MINUTE_MS / hosts.length;
        const isNewVersion = unchecked.includes(n);
        return rounds.take({ clusterId: 'c', host: `host-${n}`, hostCount: hosts.length, isNewVersion }, nowMs);
      };
      const checked = new Set(hosts.filter(take));
      unchecked = unchecked.filter((n) => !checked.has(n));
    }
    expect(unchecked).toEqual([]);
  });

  it('skips a host that no longer polls', () => {
    poll(500);
    nowMs += 5 * 60_000;
    expect(poll(500, 450)).toHaveLength(50);
  });

  it('counts each cluster separately', () => {
    poll(500);
    const other = { clusterId: 'd', host: 'host-0', hostCount: 500, isNewVersion: false };
    expect(rounds.take(other, nowMs)).toBe(true);
  });
});
