import { checksPerMinute, type CheckTurn, ConnectivityRounds } from './connectivity-rounds';

describe('rate limit of connectivity checks', () => {
  let nowMs = 0;
  let rounds: ConnectivityRounds;
  let turns: Map<number, CheckTurn>;
  beforeEach(() => {
    nowMs = 1_000_000;
    rounds = new ConnectivityRounds();
    turns = new Map();
  });

  const turnOf = (n: number, hostCount: number, isNewVersion: boolean): CheckTurn =>
    rounds.turnOf({ clusterId: 'c', hostCount, isNewVersion }, turns.get(n), nowMs);
  const secondsUntil = ({ atMs }: CheckTurn): number => Math.round((atMs - nowMs) / 10) / 100;

  const isAllowed = (n: number, hostCount: number, isNewVersion: boolean): boolean => {
    const turn = turnOf(n, hostCount, isNewVersion);
    const isNow = turn.atMs <= nowMs;
    if (isNow) turns.delete(n);
    else turns.set(n, turn);
    return isNow;
  };

  /** Polls once for every host of a cluster. Returns the numbers of the hosts that may check. */
  const poll = (hosts: number, from = 0, isNewVersion = false): number[] =>
    numbers(from, hosts).filter((n) => isAllowed(n, hosts, isNewVersion));
  const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => n + from);

  it('lets every host of a cluster of up to 223 hosts check at every poll', () => {
    for (let n = 0; n < 3; n += 1) expect(poll(223)).toHaveLength(223);
    expect(poll(224)).toHaveLength(223);
  });

  it('limits the checked pairs of a large cluster, and lets at least 150 hosts check per minute', () => {
    expect([500, 750, 1_000, 2_000].map(checksPerMinute)).toEqual([300, 200, 150, 150]);
  });

  it('gives turns to the hosts of a large cluster in the order of their polls', () => {
    expect(poll(250)).toEqual(numbers(0, 200));
    nowMs += 3_000;
    expect(poll(250)).toEqual(numbers(200, 230));
    nowMs += 20_000;
    expect(poll(250)).toEqual([...numbers(0, 180), ...numbers(230, 250)]);
  });

  it.each([
    ['repeat their checks', false, 0.2, 80],
    ['have not checked the present hosts', true, 1 / 15, 400 / 15],
  ])('spreads hosts that poll at the same time and %s', (_case, isNewVersion, first, last) => {
    expect(poll(500, 0, isNewVersion)).toEqual(numbers(0, 100));
    const seconds = numbers(100, 500).map((n) => secondsUntil(turnOf(n, 500, isNewVersion)));
    expect(seconds[0]).toBeCloseTo(first);
    expect(seconds.at(-1)).toBeCloseTo(last);
  });

  it('gives another turn to a host that waits for a repetition when other hosts are present', () => {
    poll(500);
    expect(secondsUntil(turnOf(499, 500, false))).toBeCloseTo(80);
    expect(turnOf(499, 500, true).atMs).toBe(nowMs);
  });

  it('delays hosts by at most one round because of others that do not take their turns', () => {
    for (let n = 0; n < 10_000; n += 1) turnOf(n, 500, false);
    expect(secondsUntil(turnOf(0, 500, false))).toBeCloseTo(100);
  });

  it('counts each cluster separately', () => {
    poll(500);
    const other = { clusterId: 'd', hostCount: 500, isNewVersion: false };
    expect(rounds.turnOf(other, undefined, nowMs).atMs).toBe(nowMs);
  });
});
