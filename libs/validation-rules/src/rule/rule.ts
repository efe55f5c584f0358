import type { Outcome as OutcomeMessage, Plain } from '@muster/contracts';

/** The outcome of one rule for one host or cluster, as stored. `renderOutcome` adds its texts. */
export type Outcome = Plain<OutcomeMessage>;

export type OutcomeStatus = 'success' | 'failure' | 'pending' | 'error' | 'disabled' | 'success-suppress-output';
export type Category = 'network' | 'hardware' | 'operators' | 'hosts-data' | 'configuration';

/** The status of a rule that does not apply. It counts as passed and is never returned by the API. */
export const SUPPRESSED = 'success-suppress-output';

/**
 * The result of a claim. `reason` selects a message of the rule (by default the message with the name of the status).
 * `parameters` are the values in that message.
 */
export interface Claim {
  readonly status: 'success' | 'failure' | 'pending' | 'error';
  readonly reason?: string;
  readonly parameters?: readonly (string | number)[];
}

/** A template: `{0}` is the first parameter. */
export type Message =
  | string
  | {
      readonly message: string;
      readonly measured?: string;
      readonly required?: string;
    };

/** Messages by reason. Changing a message changes no stored outcome. */
export type Messages = Readonly<Record<string, Message>>;

/** A rule is one row. It reads the facts only and never throws. */
export interface Rule<Facts, Id extends string, Need extends string, Gate extends string> {
  readonly id: Id;
  readonly category: Category;
  /** The check with its limits, as a sentence for the reference page. */
  readonly checks: string;
  /** Returns false when the rule does not apply. Its outcome is then SUPPRESSED. @default always applies */
  readonly applies?: (facts: Facts) => boolean;
  /** Returns the reason why the rule passes without a check, or undefined when the rule has to be checked. */
  readonly excused?: (facts: Facts) => string | undefined;
  /** Without these facts the outcome is `pending`. */
  readonly needs: readonly Need[];
  readonly claim: (facts: Facts) => Claim;
  /** `success` and `failure` are the default reasons. Reasons of several rules are in SHARED_MESSAGES. */
  readonly messages: Messages;
  /** The outcome before anything was reported. It is never stored. @default pending on the first of `needs`, else success */
  readonly initial?: Claim | typeof SUPPRESSED;
  /** The action after a failure. */
  readonly remedy: string;
  /** The effect of a failure. */
  readonly gate: Gate;
  /**
   * The inputs are measured repeatedly and may flap. A success of a flapping rule counts after it is stable. A success with a reason
   * counts immediately, so such a rule has a reason only for a success that follows from settings.
   */
  readonly mayFlap?: true;
  /** A pending outcome does not block, because some agents never report the fact. */
  readonly toleratesPending?: true;
}

/** Returns the ids of the outcomes that fail, sorted. */
export const failingIds = (outcomes: readonly Outcome[]): string[] =>
  outcomes
    .filter(({ status }) => status === 'failure')
    .map(({ id }) => id)
    .sort();

type Parameters = readonly (string | number)[];

const PASSED: Claim = { status: 'success', parameters: [] };
const FAILED: Claim = { status: 'failure', parameters: [] };

export const pass = (...parameters: Parameters): Claim =>
  parameters.length === 0 ? PASSED : { status: 'success', parameters };
export const fail = (...parameters: Parameters): Claim =>
  parameters.length === 0 ? FAILED : { status: 'failure', parameters };
export const passIf = (passed: boolean, ...parameters: Parameters): Claim =>
  passed ? pass(...parameters) : fail(...parameters);
export const passBecause = (reason: string, ...parameters: Parameters): Claim => ({
  status: 'success',
  reason,
  parameters,
});
export const failBecause = (reason: string, ...parameters: Parameters): Claim => ({
  status: 'failure',
  reason,
  parameters,
});
export const pending = (reason: string, ...parameters: Parameters): Claim => ({
  status: 'pending',
  reason,
  parameters,
});
export const broken = (reason: string, ...parameters: Parameters): Claim => ({ status: 'error', reason, parameters });
