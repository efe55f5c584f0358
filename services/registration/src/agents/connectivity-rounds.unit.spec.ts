import type { HostKey } from '@muster/contracts';
import { type ManualClock, manualClock } from '@muster/testing';
import { ConnectivityTurns, MAX_CHECKS_PER_MINUTE } from './connectivity-rounds';

const keyOf = (n: number): HostKey => `infra.host-${n}`;

describe('turns of the connectivity check', () => {
  let clock: ManualClock;
  let turns: ConnectivityTurns;
  beforeEach(() => {
    clock = manualClock();
    turns = new ConnectivityTurns(clock);
  });

  /** Every host of a cluster polls; numbers of those that may check. */
  const round = (hosts: number, from = 0): number[] =>
    Array.from({ length: hosts - from }, (_, n) => n + from).filter((n) => turns.take('c', keyOf(n), hosts));

  it('are everybody’s at every poll in a cluster of ordinary size', () => {
    for (let n = 0; n < 3; n += 1) expect(round(MAX_CHECKS_PER_MINUTE)).toHaveLength(MAX_CHECKS_PER_MINUTE);
  });

  it('go round in a large one, in the order of asking', () => {
    const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => n + from);
    expect(round(400)).toEqual(numbers(0, 150));
    expect(round(400)).toEqual([]);
    clock.advance(60_000);
    expect(round(400)).toEqual(numbers(150, 300));
    clock.advance(60_000);
    expect(round(400)).toEqual([...numbers(0, 50), ...numbers(300, 400)]);
  });

  it('come back little by little', () => {
    round(400);
    clock.advance(4_000);
    expect(round(400)).toHaveLength(10);
  });

  it('do not wait for a host that is gone', () => {
    round(400);
    clock.advance(5 * 60_000);
    expect(round(400, 250)).toHaveLength(150);
  });

  it('of one cluster are none of another’s business', () => {
    round(400);
    expect(turns.take('d', keyOf(0), 400)).toBe(true);
  });
});
