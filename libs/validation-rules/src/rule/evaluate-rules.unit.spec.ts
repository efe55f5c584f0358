import { sharedOutcome } from './evaluate-rules';
import type { Outcome } from './rule';

const outcome = (changes: Partial<Outcome> = {}): Outcome => ({
  id: 'has-min-memory',
  status: 'failure',
  reason: 'failure',
  parameters: ['16 GiB', '8 GiB'],
  flapping: undefined,
  ...changes,
});

describe('sharedOutcome', () => {
  it('returns the same object for equal outcomes', () => {
    expect(sharedOutcome(outcome())).toBe(sharedOutcome(outcome()));
    expect(sharedOutcome(outcome())).toEqual(outcome());
  });

  it.each<[string, Partial<Outcome>]>([
    ['id', { id: 'has-min-cpu-cores' }],
    ['status', { status: 'success' }],
    ['reason', { reason: 'awaits-inventory' }],
    ['reason, which it has not', { reason: undefined }],
    ['parameters', { parameters: ['16 GiB'] }],
    ['parameters, which it has not', { parameters: [] }],
    ['texts of parameters', { parameters: ['16', ' GiB 8 GiB'] }],
  ])('returns another object for another %s', (_, changes) => {
    const first = sharedOutcome(outcome());
    expect(sharedOutcome(outcome(changes))).not.toBe(first);
    expect(sharedOutcome(outcome(changes))).toEqual(outcome(changes));
  });

  it('does not add members that an outcome has not', () => {
    sharedOutcome(outcome({ reason: undefined }));
    const stored = { id: 'has-min-memory', status: 'failure', parameters: ['16 GiB', '8 GiB'] };
    expect(Object.keys(sharedOutcome(stored))).toEqual(Object.keys(stored));
  });

  it('returns a flapping outcome as it is', () => {
    const flapping = { since: '2026-01-01T00:00:00Z', flips: 3, windowSeconds: 600, quietSeconds: 300 };
    const [one, other] = [outcome({ flapping }), outcome({ flapping })];
    expect(sharedOutcome(one)).toBe(one);
    expect(sharedOutcome(other)).toBe(other);
  });
});
