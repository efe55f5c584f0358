import { keptByText } from '@muster/schema';
import { type Claim, type Outcome, type OutcomeStatus, type Rule, SUPPRESSED } from './rule';

/** For each need: whether the facts contain it. While they do not, the reason of the outcome is `awaits-<need>`. */
export type Needs<Facts, Need extends string> = { readonly [Name in Need]: (facts: Facts) => boolean };

/** Maximum length of a parameter, in characters. Some parameters list hundreds of items. */
export const PARAMETER_CHARACTERS_MAX = 1_000;

/** Returns the outcome of every rule in the order of the table. Rules are evaluated independently. */
export function evaluateRules<Facts, Id extends string, Need extends string, Gate extends string>(
  rules: readonly Rule<Facts, Id, Need, Gate>[],
  needs: Needs<Facts, Need>,
  facts: Facts,
  disabled: readonly string[],
): Outcome[] {
  return rules.map((rule) => {
    if (rule.applies && !rule.applies(facts)) return toOutcome(rule.id, { status: SUPPRESSED });
    if (disabled.includes(rule.id)) return toOutcome(rule.id, { status: 'disabled' });
    const excuse = rule.excused?.(facts);
    if (excuse !== undefined) return toOutcome(rule.id, { status: 'success', reason: excuse });
    const unmet = rule.needs.find((need) => !needs[need](facts));
    return toOutcome(rule.id, unmet === undefined ? rule.claim(facts) : awaits(unmet));
  });
}

const awaits = (need: string): Claim => ({ status: 'pending', reason: `awaits-${need}` });

interface Found extends Omit<Claim, 'status'> {
  readonly status: OutcomeStatus;
}

function toOutcome(id: string, { status, reason, parameters = [] }: Found): Outcome {
  const values = parameters.map((parameter) => bounded(String(parameter)));
  return { id, status, reason, parameters: values, flapping: undefined };
}

/** Does not cut surrogate pairs. */
function bounded(text: string): string {
  if (text.length <= PARAMETER_CHARACTERS_MAX) return text;
  return `${text.slice(0, PARAMETER_CHARACTERS_MAX - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Returns the outcome of a rule before anything was reported. */
export const initialOutcome = ({ id, initial, needs }: Initial): Outcome =>
  toOutcome(
    id,
    initial === SUPPRESSED
      ? { status: SUPPRESSED }
      : (initial ?? (needs[0] === undefined ? { status: 'success' } : awaits(needs[0]))),
  );

interface Initial {
  readonly id: string;
  readonly initial?: Claim | typeof SUPPRESSED;
  readonly needs: readonly string[];
}

/** Outcomes by the id of their rule. */
export type Outcomes = ReadonlyMap<string, Outcome>;

export const initialOutcomes = (rules: readonly Initial[]): Outcomes =>
  new Map(rules.map((rule) => [rule.id, initialOutcome(rule)]));

/** Compares all members except flapping. */
export const isSameOutcome = (first: Outcome, second: Outcome): boolean =>
  first.status === second.status &&
  first.reason === second.reason &&
  first.parameters.length === second.parameters.length &&
  first.parameters.every((parameter, index) => parameter === second.parameters[index]);

/** Maximum number of outcomes that are shared, and length of the texts by which they are found, in characters. */
const SHARED_MAX = 20_000;
const SHARED_CHARACTERS_MAX = 256;

const sharedByText = keptByText((_text: string, outcome: Outcome) => outcome, SHARED_MAX, SHARED_CHARACTERS_MAX);

/**
 * Returns an equal outcome, the same object for all hosts and clusters. Hosts have most of their outcomes in common. With objects of
 * their own, the outcomes of a host took 40 KB in each view that contains them.
 */
export function sharedOutcome(outcome: Outcome): Outcome {
  const { id, status, reason, parameters, flapping } = outcome;
  if (flapping) return outcome;
  // An absent member and one that is undefined are saved differently.
  const text = `${Object.keys(outcome).length} ${id} ${status} ${reason}`;
  return sharedByText(parameters.length === 0 ? text : `${text} ${JSON.stringify(parameters)}`, outcome);
}
