import { ConnectivityRounds, MAX_CHECKS_PER_MINUTE } from './connectivity-rounds';

describe('Rounds of the connectivity check', () => {
  let nowMs = 0;
  let rounds: ConnectivityRounds;
  beforeEach(() => {
    nowMs = 1_000_000;
    rounds = new ConnectivityRounds();
  });

  /** Every host of a cluster polls; returns the numbers of the hosts that may check. */
  const poll = (hosts: number, from = 0): number[] =>
    numbers(from, hosts).filter((n) => rounds.take('c', `host-${n}`, hosts, nowMs));
  const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => n + from);

  it('let every host of an ordinary cluster check at every poll', () => {
    for (let n = 0; n < 3; n += 1) expect(poll(MAX_CHECKS_PER_MINUTE)).toHaveLength(MAX_CHECKS_PER_MINUTE);
  });

  it('rotate through the hosts of a large cluster in the order of their polls', () => {
    expect(poll(400)).toEqual(numbers(0, 150));
    expect(poll(400)).toEqual([]);
    nowMs += 60_000;
    expect(poll(400)).toEqual(numbers(150, 300));
    nowMs += 60_000;
    expect(poll(400)).toEqual([...numbers(0, 50), ...numbers(300, 400)]);
  });

  it('refill the allowance in proportion to the time', () => {
    poll(400);
    nowMs += 4_000;
    expect(poll(400)).toHaveLength(10);
  });

  it('skip a host that no longer polls', () => {
    poll(400);
    nowMs += 5 * 60_000;
    expect(poll(400, 250)).toHaveLength(150);
  });

  it('count each cluster by itself', () => {
    poll(400);
    expect(rounds.take('d', 'host-0', 400, nowMs)).toBe(true);
  });
});
