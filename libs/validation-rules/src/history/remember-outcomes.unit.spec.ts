import fc from 'fast-check';
import { applyOutcomeChanges, diffOutcomes } from '../rule/diff-outcomes';
import type { Outcome, OutcomeStatus } from '../rule/rule';
import type { FlapPolicy } from './flap-policy';
import { type FlapWatch, rememberOutcomes } from './remember-outcomes';
import { resultOf } from './result-of';

const POLICY: FlapPolicy = { flipsMin: 4, windowMs: 600_000, quietMs: 120_000 };
const MINUTE_MS = 60_000;
const STATUSES: readonly OutcomeStatus[] = ['success', 'failure', 'pending', 'error', 'disabled'];

const found = (status: OutcomeStatus): Outcome => ({
  id: 'connected',
  status,
  message: `it is a ${status}`,
  category: 'network',
  measured: '',
  required: '',
  remedy: status === 'failure' ? 'plug it in' : '',
});

/** One rule over time, stored as the service stores it. */
function subject({ policy = POLICY, isDamped = true } = {}) {
  let stored: Outcome[] = [];
  let watch: FlapWatch = new Map();
  let lookAgainAtMs: number | undefined;
  let stores = 0;
  return {
    look(status: OutcomeStatus, atMs: number): Outcome | undefined {
      const remembered = rememberOutcomes(stored, [found(status)], { atMs, policy, watch, isDamped: () => isDamped });
      const changes = diffOutcomes(stored, remembered.outcomes);
      if (changes.changed.length + changes.withdrawn.length > 0) stores += 1;
      stored = applyOutcomeChanges(stored, changes);
      ({ watch, lookAgainAtMs } = remembered);
      return stored[0];
    },
    /** Looks at each of the statuses, a minute apart. */
    play(...statuses: readonly OutcomeStatus[]): Outcome | undefined {
      return statuses.map((status, index) => this.look(status, index * MINUTE_MS)).at(-1);
    },
    restart: () => void (watch = new Map()),
    lookAgainAtMs: () => lookAgainAtMs,
    stores: () => stores,
  };
}

describe('what is remembered of an outcome', () => {
  it('is since when it is what it is, whatever its words', () => {
    const one = subject();
    one.look('failure', 0);
    one.look('failure', MINUTE_MS);
    expect(one.look('failure', 2 * MINUTE_MS)?.history?.since).toBe('1970-01-01T00:00:00.000Z');
    expect(one.look('success', 3 * MINUTE_MS)?.history?.since).toBe('1970-01-01T00:03:00.000Z');
  });

  it('is how often it turned, a time of not knowing between two turns or not', () => {
    expect(subject().play('pending', 'failure', 'success')?.history?.flips).toBe(1);
    expect(subject().play('failure', 'pending', 'success', 'pending', 'success')?.history?.flips).toBe(1);
    expect(subject().play('success', 'error', 'disabled', 'failure')?.history?.flips).toBe(1);
  });

  it('begins at the next change where nothing was kept', () => {
    const old = found('failure');
    const look = { atMs: 0, policy: POLICY, watch: new Map(), isDamped: () => true };
    expect(rememberOutcomes([old], [found('failure')], look).outcomes).toEqual([old]);
    expect(rememberOutcomes([old], [found('success')], look).outcomes[0]?.history).toMatchObject({ flips: 1 });
  });

  it('is nothing of what no longer applies', () => {
    const look = { atMs: 0, policy: POLICY, watch: new Map(), isDamped: () => true };
    expect(rememberOutcomes([found('failure')], [], look)).toEqual({
      outcomes: [],
      watch: new Map(),
      lookAgainAtMs: undefined,
    });
  });
});

describe('what turns too often', () => {
  const FLAPPING = ['success', 'failure', 'success', 'failure', 'success', 'failure'] as const;

  it('flaps from a failure on, and says so in its words and with the thresholds', () => {
    expect(subject().play(...FLAPPING.slice(0, 4))?.history?.flapping).toBeUndefined();
    expect(subject().play(...FLAPPING)).toMatchObject({
      status: 'failure',
      message:
        'it is a failure (it comes and goes: turned 4 times within 10 minutes; passes again once it has held for 2 minutes)',
      remedy: 'plug it in',
      history: {
        flips: 5,
        flapping: { since: '1970-01-01T00:05:00.000Z', flips: 4, windowSeconds: 600, quietSeconds: 120 },
      },
    });
  });

  it('is not stored turn by turn, and fails until it has passed for the quiet time', () => {
    const one = subject();
    one.play(...FLAPPING);
    const storesBefore = one.stores();
    for (let minute = 6; minute < 26; minute += 1)
      expect(one.look(minute % 2 === 0 ? 'success' : 'failure', minute * MINUTE_MS)?.status).toBe('failure');
    expect(one.look('success', 26 * MINUTE_MS)?.status).toBe('failure');
    expect(one.stores()).toBe(storesBefore);
    expect(one.lookAgainAtMs()).toBe(28 * MINUTE_MS);
    expect(one.look('success', 28 * MINUTE_MS)).toMatchObject({
      status: 'success',
      message: 'it is a success',
      history: { flips: 26, flapping: undefined, since: '1970-01-01T00:28:00.000Z' },
    });
  });

  it('is steady again when it only fails', () => {
    const one = subject();
    one.play(...FLAPPING);
    expect(one.look('failure', 7 * MINUTE_MS)).toMatchObject({
      status: 'failure',
      message: 'it is a failure',
      history: { flapping: undefined, since: '1970-01-01T00:05:00.000Z' },
    });
  });

  it('does not pass sooner because the service was started again', () => {
    const one = subject();
    one.play(...FLAPPING);
    one.look('success', 6 * MINUTE_MS);
    one.restart();
    expect(one.look('success', 20 * MINUTE_MS)?.status).toBe('failure');
    expect(one.look('success', 22 * MINUTE_MS)?.status).toBe('success');
  });

  it('is told as it is where rules are not damped, and when it is switched off', () => {
    expect(subject({ isDamped: false }).play(...FLAPPING, 'success')?.status).toBe('success');
    expect(subject().play(...FLAPPING, 'disabled')?.status).toBe('disabled');
  });

  it('is not what turns as often over a longer time', () => {
    const one = subject();
    FLAPPING.forEach((status, index) => one.look(status, index * 5 * MINUTE_MS));
    expect(one.look('success', 31 * MINUTE_MS)?.status).toBe('success');
  });
});

describe('damping, whatever comes', () => {
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
      return { status, outcome: one.look(status, atMs) };
    });
    return { atMs, shown };
  };

  it('never hides a failure, not for one look', () => {
    fc.assert(
      fc.property(steps, policy, (history, thresholds) => {
        for (const { status, outcome } of play(subject({ policy: thresholds }), history).shown)
          if (resultOf({ status }) === 'failing') expect(resultOf(outcome ?? found('success'))).toBe('failing');
      }),
    );
  });

  it('shows the truth of what holds, at the latest when it said it would look again', () => {
    fc.assert(
      fc.property(steps, policy, fc.constantFrom(...STATUSES), (history, thresholds, last) => {
        const one = subject({ policy: thresholds });
        const { atMs } = play(one, history);
        const shown = one.look(last, atMs);
        const again = one.lookAgainAtMs();
        const settled = again === undefined ? shown : one.look(last, again);
        expect(settled).toMatchObject({ status: last, message: `it is a ${last}` });
        expect(one.lookAgainAtMs()).toBeUndefined();
        expect((again ?? atMs) - atMs).toBeLessThanOrEqual(thresholds.quietMs);
      }),
    );
  });
});
