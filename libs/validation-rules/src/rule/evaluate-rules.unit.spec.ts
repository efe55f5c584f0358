import fc from 'fast-check';
import { evaluateRules, PARAMETER_CHARACTERS_MAX, sharedOutcome, sharedOutcomes } from './evaluate-rules';
import { type Claim, failBecause, type Outcome, pass, type Rule } from './rule';

const outcome = (changes: Partial<Outcome> = {}): Outcome => ({
  id: 'has-min-memory',
  status: 'failure',
  reason: 'failure',
  parameters: ['16 GiB', '8 GiB'],
  flapping: undefined,
  ...changes,
});

describe('sharedOutcomes', () => {
  it('returns outcomes in the same order, with the same object for equal ones', () => {
    const loaded = new Map([outcome({ id: 'connected' }), outcome()].map((one) => [one.id, one]));
    const shared = sharedOutcomes(loaded);
    expect([...shared]).toEqual([...loaded]);
    expect(shared.get('has-min-memory')).toBe(sharedOutcome(outcome()));
  });
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

interface Facts {
  readonly isReported: boolean;
  readonly isApplicable: boolean;
  readonly excuse: string | undefined;
  readonly claim: Claim;
}

const RULES: readonly Rule<Facts, string, 'report', 'none'>[] = ['one', 'other'].map((id) => ({
  id,
  category: 'hardware',
  checks: '',
  applies: ({ isApplicable }) => isApplicable,
  excused: ({ excuse }) => excuse,
  needs: ['report'],
  claim: ({ claim }) => claim,
  messages: {},
  remedy: '',
  gate: 'none',
}));
const NEEDS = { report: ({ isReported }: Facts) => isReported };
const REPORTED: Facts = { isReported: true, isApplicable: true, excuse: undefined, claim: pass() };
const evaluate = (facts: Partial<Facts>, disabled: readonly string[] = []): Outcome[] =>
  evaluateRules(RULES, NEEDS, { ...REPORTED, ...facts }, disabled);

describe('evaluateRules', () => {
  it.each<[string, Partial<Facts>, Partial<Outcome>]>([
    ['a rule that does not apply', { isApplicable: false }, { status: 'success-suppress-output' }],
    ['an excused rule', { excuse: 'is-virtual' }, { status: 'success', reason: 'is-virtual' }],
    ['a missing fact', { isReported: false }, { status: 'pending', reason: 'awaits-report' }],
    ['a claim', { claim: failBecause('too-old', 16, 'GiB') }, { reason: 'too-old', parameters: ['16', 'GiB'] }],
  ])('returns the outcome of %s for each rule', (_, facts, expected) => {
    const outcomes = evaluate(facts);
    expect(outcomes.map(({ id }) => id)).toEqual(['one', 'other']);
    for (const outcome of outcomes) expect(outcome).toMatchObject(expected);
  });

  it('returns the outcome of a disabled rule', () => {
    expect(evaluate({}, ['other']).map(({ status }) => status)).toEqual(['success', 'disabled']);
  });

  it('returns the same objects for equal outcomes one after the other', () => {
    const [first] = evaluate({ claim: pass(16) });
    expect(evaluate({ claim: pass('16') })[0]).toBe(first);
    expect(evaluate({ claim: pass(32) })[0]).toMatchObject({ parameters: ['32'] });
  });

  it('returns outcomes that do not depend on earlier ones', () => {
    const claims = fc.record({
      status: fc.constantFrom('success' as const, 'failure' as const),
      reason: fc.constantFrom(undefined, 'too-old'),
      parameters: fc.constantFrom<readonly (string | number)[]>([], [1], ['1'], [1, 2], ['x'.repeat(2_000)]),
    });
    const facts = fc.record({
      isReported: fc.boolean(),
      isApplicable: fc.boolean(),
      excuse: fc.constantFrom(undefined, 'is-virtual'),
      claim: claims,
    });
    fc.assert(
      fc.property(fc.array(facts), facts, (before, last) => {
        before.forEach((earlier) => evaluate(earlier));
        // A table that was never evaluated has no earlier outcomes.
        expect(evaluate(last)).toEqual(evaluateRules([...RULES], NEEDS, last, []));
        const [{ parameters } = { parameters: [] }] = evaluate(last);
        expect(parameters.every(({ length }) => length <= PARAMETER_CHARACTERS_MAX)).toBe(true);
      }),
    );
  });
});
