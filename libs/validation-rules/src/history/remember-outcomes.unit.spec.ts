import fc from 'fast-check';
import { isSameOutcome } from '../rule/evaluate-rules';
import { type Outcome, type OutcomeStatus, SUPPRESSED } from '../rule/rule';
import { type FlapPolicy, nextHistory, type OutcomeHistory, resultOf } from './outcome-history';
import { type FlapWatch, rememberOutcomes } from './remember-outcomes';

const POLICY: FlapPolicy = { flipsMin: 4, windowMs: 600_000, quietMs: 120_000 };
const MINUTE_MS = 60_000;
const STATUSES: readonly OutcomeStatus[] = ['success', 'failure', 'pending', 'error', 'disabled'];

const found = (status: OutcomeStatus, reason?: string): Outcome => ({
  id: 'connected',
  status,
  reason,
  parameters: [],
});

const INITIAL = found('pending');

/** Evaluates one rule repeatedly and records its outcomes as the service does. */
function subject({ policy = POLICY, isDamped = true } = {}) {
  let recorded = INITIAL;
  let history: OutcomeHistory | undefined;
  let watch: FlapWatch = new Map();
  let evaluateAgainAtMs: number | undefined;
  let stores = 0;
  return {
    evaluate(
      status: OutcomeStatus,
      atMs: number,
      reason?: string,
    ): Outcome & { readonly history: OutcomeHistory | undefined } {
      const histories = new Map(history ? [['connected', history]] : []);
      const before = { outcomes: new Map([['connected', recorded]]), histories };
      const context = { atMs, policy, watch, isDamped: () => isDamped };
      const remembered = rememberOutcomes(before, [found(status, reason)], context);
      const [outcome = INITIAL] = remembered.outcomes;
      const isChanged =
        !isSameOutcome(recorded, outcome) || JSON.stringify(recorded.flapping) !== JSON.stringify(outcome.flapping);
      if (isChanged) {
        stores += 1;
        history = nextHistory(history, recorded, outcome, new Date(atMs).toISOString());
        recorded = outcome;
      }
      ({ watch, evaluateAgainAtMs } = remembered);
      return { ...recorded, history };
    },
    /** Evaluates each of the statuses at intervals of one minute. */
    play(...statuses: readonly OutcomeStatus[]): ReturnType<typeof this.evaluate> | undefined {
      return statuses.map((status, index) => this.evaluate(status, index * MINUTE_MS)).at(-1);
    },
    restart: () => void (watch = new Map()),
    evaluateAgainAtMs: () => evaluateAgainAtMs,
    stores: () => stores,
  };
}

describe('an outcome that keeps failing', () => {
  it('does not start flapping when only its kind of failure changes', () => {
    const statuses = ['success', 'failure', 'success', 'failure'] as const;
    expect(subject().play(...statuses, 'error')?.flapping).toBeUndefined();
    expect(subject().play(...statuses, 'success', 'error')?.flapping).toBeDefined();
  });
});

describe('history of an outcome', () => {
  it('contains the time of the last change of status', () => {
    const one = subject();
    one.evaluate('failure', 0);
    one.evaluate('failure', MINUTE_MS);
    expect(one.evaluate('failure', 2 * MINUTE_MS).history?.since).toBe('1970-01-01T00:00:00.000Z');
    expect(one.evaluate('success', 3 * MINUTE_MS).history?.since).toBe('1970-01-01T00:03:00.000Z');
  });

  it('counts changes between passing and failing, with or without a pending outcome in between', () => {
    expect(subject().play('pending', 'failure', 'success')?.history?.flips).toBe(1);
    expect(subject().play('failure', 'pending', 'success', 'pending', 'success')?.history?.flips).toBe(1);
    expect(subject().play('success', 'error', 'disabled', 'failure')?.history?.flips).toBe(1);
  });
});

describe('flapping outcome', () => {
  const FLAPPING = ['success', 'failure', 'success', 'failure', 'success', 'failure'] as const;

  it('starts with a failure and contains the thresholds', () => {
    expect(subject().play(...FLAPPING.slice(0, 4))?.flapping).toBeUndefined();
    expect(subject().play(...FLAPPING)).toMatchObject({
      status: 'failure',
      flapping: { since: '1970-01-01T00:05:00.000Z', flips: 4, windowSeconds: 600, quietSeconds: 120 },
      history: { flips: 5 },
    });
  });

  it('stores no further changes, and fails until it has passed for the quiet time', () => {
    const one = subject();
    one.play(...FLAPPING);
    const storesBefore = one.stores();
    for (let minute = 6; minute < 26; minute += 1)
      expect(one.evaluate(minute % 2 === 0 ? 'success' : 'failure', minute * MINUTE_MS)?.status).toBe('failure');
    expect(one.evaluate('success', 26 * MINUTE_MS)?.status).toBe('failure');
    expect(one.stores()).toBe(storesBefore);
    expect(one.evaluateAgainAtMs()).toBe(28 * MINUTE_MS);
    expect(one.evaluate('success', 28 * MINUTE_MS)).toMatchObject({
      status: 'success',
      history: { flips: 6, since: '1970-01-01T00:28:00.000Z' },
    });
  });

  it('keeps the time of the failure while it fails', () => {
    const one = subject();
    one.play(...FLAPPING);
    expect(one.evaluate('failure', 7 * MINUTE_MS)).toMatchObject({
      status: 'failure',
      history: { since: '1970-01-01T00:05:00.000Z' },
    });
  });

  it('does not pass sooner after a restart of the service', () => {
    const one = subject();
    one.play(...FLAPPING);
    one.evaluate('success', 6 * MINUTE_MS);
    one.restart();
    expect(one.evaluate('success', 20 * MINUTE_MS)?.status).toBe('failure');
    expect(one.evaluate('success', 22 * MINUTE_MS)?.status).toBe('success');
  });

  it('is recorded unchanged when the rule is not damped, and when it is disabled', () => {
    expect(subject({ isDamped: false }).play(...FLAPPING, 'success')?.status).toBe('success');
    expect(subject().play(...FLAPPING, 'disabled')?.status).toBe('disabled');
  });

  it('ends when the rule is no longer checked', () => {
    for (const [status, reason] of [
      [SUPPRESSED, undefined],
      ['success', 'single-node'],
    ] as const) {
      const one = subject();
      one.play(...FLAPPING);
      const outcome = one.evaluate(status, 6 * MINUTE_MS, reason);
      expect(outcome).toMatchObject({ status, reason });
      expect(outcome.flapping).toBeUndefined();
      expect(one.evaluateAgainAtMs()).toBeUndefined();
    }
  });

  it('requires the changes within the window', () => {
    const one = subject();
    FLAPPING.forEach((status, index) => one.evaluate(status, index * 5 * MINUTE_MS));
    expect(one.evaluate('success', 31 * MINUTE_MS)?.status).toBe('success');
  });
});

describe('damping for any sequence of outcomes', () => {
  const step = fc.record({
    status: fc.constantFrom(...STATUSES),
    afterMs: fc.integer({ min: 0, max: 5 * MINUTE_MS }),
    restarts: fc.boolean(),
  });
  const steps = fc.array(step, { maxLength: 40 });
  const policy = fc.record({
    flipsMin: fc.integer({ min: 1, max: 6 }),
    windowMs: fc.integer({ min: 1, max: 60 * MINUTE_MS }),
    quietMs: fc.integer({ min: 0, max: 20 * MINUTE_MS }),
  });
  const play = (
    one: ReturnType<typeof subject>,
    history: readonly { status: OutcomeStatus; afterMs: number; restarts: boolean }[],
  ) => {
    let atMs = 0;
    const shown = history.map(({ status, afterMs, restarts }) => {
      atMs += afterMs;
      if (restarts) one.restart();
      return { status, outcome: one.evaluate(status, atMs) };
    });
    return { atMs, shown };
  };

  it('never reports a failure as passing', () => {
    fc.assert(
      fc.property(steps, policy, (history, thresholds) => {
        for (const { status, outcome } of play(subject({ policy: thresholds }), history).shown)
          if (resultOf({ status }) === 'failing') expect(resultOf(outcome ?? found('success'))).toBe('failing');
      }),
    );
  });

  it('reports the last result at the latest at evaluateAgainAtMs', () => {
    fc.assert(
      fc.property(steps, policy, fc.constantFrom(...STATUSES), (history, thresholds, last) => {
        const one = subject({ policy: thresholds });
        const { atMs } = play(one, history);
        const shown = one.evaluate(last, atMs);
        const again = one.evaluateAgainAtMs();
        const settled = again === undefined ? shown : one.evaluate(last, again);
        expect(settled.status).toBe(last);
        expect(settled.flapping).toBeUndefined();
        expect(one.evaluateAgainAtMs()).toBeUndefined();
        expect((again ?? atMs) - atMs).toBeLessThanOrEqual(thresholds.quietMs);
      }),
    );
  });
});
