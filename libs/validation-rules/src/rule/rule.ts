import type { Outcome as OutcomeMessage, Plain } from '@muster/contracts';

/** One rule's verdict on one subject, as stored. */
export type Outcome = Plain<OutcomeMessage>;

/** Returns the ids of the failing validations, sorted. */
export const failingIds = (outcomes: readonly Outcome[]): string[] =>
  outcomes
    .filter(({ status }) => status === 'failure')
    .map(({ id }) => id)
    .sort();

export type OutcomeStatus = 'success' | 'failure' | 'pending' | 'error' | 'disabled';
export type Category = 'network' | 'hardware' | 'operators' | 'hosts-data' | 'configuration';

/**
 * What a rule found. `measured` and `required` are texts with their unit, empty when there is nothing to measure;
 * `because` replaces the row's explanation, and `pending` and `error` always need it.
 */
export type Claim =
  | {
      readonly status: 'success' | 'failure';
      readonly measured: string;
      readonly required: string;
      readonly because?: string;
    }
  | { readonly status: 'pending' | 'error'; readonly because: string };

/** One rule is one row: it sees a snapshot of facts and nothing else, and never throws. */
export interface Rule<Facts, Id extends string, Need extends string, Gate extends string> {
  readonly id: Id;
  readonly category: Category;
  /** What is checked, with the numbers: a sentence for the reference page. */
  readonly checks: string;
  /** False: the rule has nothing to say about this subject and its outcome is withdrawn, which holds nobody back. */
  readonly applies?: (facts: Facts) => boolean;
  /** Why the subject passes without being looked at, or undefined when it has to be looked at. */
  readonly excused?: (facts: Facts) => string | undefined;
  /** Facts without which the answer is `pending`. */
  readonly needs: readonly Need[];
  readonly claim: (facts: Facts) => Claim;
  readonly explain: (found: Finding, facts: Facts) => string;
  /** What a person can do about a failure. */
  readonly remedy: string;
  /** What a failure holds back. */
  readonly gate: Gate;
  /** Rests on what is measured again and again, and may come and go: when it flaps, a pass has to last before it counts. */
  readonly comesAndGoes?: true;
  /** Pending does not hold back: the fact may never come, from an agent that cannot tell it. */
  readonly toleratesPending?: true;
}

export interface Finding {
  readonly passed: boolean;
  readonly measured: string;
  readonly required: string;
}

export const pass = (measured = '', required = ''): Claim => ({ status: 'success', measured, required });
export const fail = (measured = '', required = ''): Claim => ({ status: 'failure', measured, required });
export const passIf = (passed: boolean, measured = '', required = ''): Claim =>
  passed ? pass(measured, required) : fail(measured, required);
export const pending = (because: string): Claim => ({ status: 'pending', because });
export const broken = (because: string): Claim => ({ status: 'error', because });
