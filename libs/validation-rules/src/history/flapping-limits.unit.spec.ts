import type { Outcome, OutcomeStatus } from '../rule/rule';
import { DEFAULT_FLAP_POLICY, type FlapPolicy, nextHistory, type OutcomeHistory } from './outcome-history';
import { type FlapWatch, type Remembered, rememberOutcomes } from './remember-outcomes';

const MINUTE_MS = 60_000;
const POLICY: FlapPolicy = { flipsMin: 5, windowMs: 10 * MINUTE_MS, quietMs: 2 * MINUTE_MS };
const STATUSES: readonly OutcomeStatus[] = ['success', 'failure', 'success', 'failure', 'success', 'failure'];
const outcome = (id: string, status: OutcomeStatus, reason?: string): Outcome => ({
  id,
  status,
  ...(reason === undefined ? {} : { reason }),
  parameters: [],
});

/** Evaluates two rules, each at its times, and records their outcomes. */
function service(policy: Partial<FlapPolicy> = {}) {
  const outcomes = new Map<string, Outcome>();
  const histories = new Map<string, OutcomeHistory>();
  let watch: FlapWatch = new Map();
  return {
    evaluate(found: readonly Outcome[], atMs: number, isDamped = true): Remembered {
      const context = { atMs, policy: { ...POLICY, ...policy }, watch, isDamped: () => isDamped };
      const remembered = rememberOutcomes({ outcomes, histories }, found, context);
      for (const one of remembered.outcomes) {
        const before = outcomes.get(one.id) ?? outcome(one.id, 'pending');
        histories.set(one.id, nextHistory(histories.get(one.id), before, one, new Date(atMs).toISOString()));
        outcomes.set(one.id, one);
      }
      ({ watch } = remembered);
      return remembered;
    },
    /** Evaluates one rule once per minute from the given minute on. */
    play(id = 'a', from = 0): Outcome | undefined {
      STATUSES.forEach((status, index) => this.evaluate([outcome(id, status)], (from + index) * MINUTE_MS));
      return outcomes.get(id);
    },
  };
}

describe('flapping', () => {
  it('means 6 changes within 30 minutes by default, and ends after 10 minutes', () => {
    expect(DEFAULT_FLAP_POLICY).toEqual({ flipsMin: 6, windowMs: 30 * MINUTE_MS, quietMs: 10 * MINUTE_MS });
  });

  it.each([
    [4, true],
    [5, true],
    [6, false],
  ])('starts with 5 changes when the limit is %d: %s', (flipsMin, isFlapping) => {
    expect(service({ flipsMin }).play()?.flapping !== undefined).toBe(isFlapping);
  });

  it.each([
    [4 * MINUTE_MS, true],
    [4 * MINUTE_MS - 1, false],
  ])('counts a change that is 4 minutes old within a window of %d ms: %s', (windowMs, isFlapping) => {
    expect(service({ windowMs }).play()?.flapping !== undefined).toBe(isFlapping);
  });

  it('is described with whole seconds', () => {
    const shown = service({ windowMs: 10 * MINUTE_MS + 1, quietMs: 2 * MINUTE_MS - 999 }).play();
    expect(shown?.flapping).toMatchObject({ flips: 5, windowSeconds: 601, quietSeconds: 120 });
  });

  it('of two rules is evaluated again when the first of them may be stable', () => {
    const both = service();
    both.play('a');
    both.play('b', 1);
    const { evaluateAgainAtMs, watch } = both.evaluate(
      [outcome('a', 'success'), outcome('b', 'failure')],
      7 * MINUTE_MS,
    );
    expect([...watch.keys()]).toEqual(['a', 'b']);
    // b failed in minute 6, and a passes since minute 7.
    expect(evaluateAgainAtMs).toBe(8 * MINUTE_MS);
  });

  it('ends when the rule is not damped any more, because the installation has begun', () => {
    const one = service();
    one.play();
    const { outcomes, evaluateAgainAtMs } = one.evaluate([outcome('a', 'success')], 5 * MINUTE_MS + 1, false);
    expect(outcomes).toEqual([outcome('a', 'success')]);
    expect(evaluateAgainAtMs).toBeUndefined();
  });

  it('stays with another kind of failure', () => {
    const one = service();
    const { flapping } = one.play() ?? {};
    expect(flapping).toBeDefined();
    const { outcomes } = one.evaluate([outcome('a', 'error', 'other')], 5 * MINUTE_MS + 1);
    expect(outcomes).toEqual([{ ...outcome('a', 'error', 'other'), flapping }]);
  });

  it('stays while the rule waits for a measurement', () => {
    const one = service();
    const shown = one.play();
    expect(one.evaluate([outcome('a', 'pending')], 5 * MINUTE_MS + 1).outcomes).toEqual([shown]);
  });

  it('does not start for a rule that is not damped', () => {
    const one = service();
    STATUSES.forEach((status, index) => one.evaluate([outcome('a', status)], index * MINUTE_MS, false));
    expect(one.evaluate([outcome('a', 'failure')], 6 * MINUTE_MS, false).outcomes).toEqual([outcome('a', 'failure')]);
  });
});
