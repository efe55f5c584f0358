import { keptByText, keysOf } from '@muster/schema';
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
  const unmet = keysOf(needs).filter((need) => !needs[need](facts));
  const last = lastOutcomes(rules);
  return rules.map((rule, index) => {
    const found = findOutcome(rule, facts, unmet, disabled);
    const known = last[index];
    if (known && isOutcome(known, found)) return known;
    const outcome = toOutcome(rule.id, found);
    last[index] = outcome;
    return outcome;
  });
}

function findOutcome<Facts, Id extends string, Need extends string, Gate extends string>(
  rule: Rule<Facts, Id, Need, Gate>,
  facts: Facts,
  unmet: readonly Need[],
  disabled: readonly string[],
): Found {
  if (rule.applies && !rule.applies(facts)) return FOUND_SUPPRESSED;
  if (disabled.includes(rule.id)) return FOUND_DISABLED;
  const excuse = rule.excused?.(facts);
  if (excuse !== undefined) return { status: 'success', reason: excuse };
  const missing = unmet.length === 0 ? undefined : rule.needs.find((need) => unmet.includes(need));
  return missing === undefined ? rule.claim(facts) : awaits(missing);
}

/** Maximum number of needs of all tables. */
const NEEDS_MAX = 100;

const awaits = keptByText((need: string): Claim => ({ status: 'pending', reason: `awaits-${need}` }), NEEDS_MAX);

interface Found extends Omit<Claim, 'status'> {
  readonly status: OutcomeStatus;
}

const FOUND_SUPPRESSED: Found = { status: SUPPRESSED };
const FOUND_DISABLED: Found = { status: 'disabled' };

/**
 * The last outcomes by table of rules. Hosts have most of their outcomes in common, which are then the same objects. Recorded outcomes
 * are shared by `sharedOutcome`, which finds any earlier one, but writes a text per outcome: too slow for each evaluation.
 */
const LAST_OUTCOMES = new WeakMap<object, (Outcome | undefined)[]>();

/** Returns the last outcome of each rule of a table, in the order of the table. */
function lastOutcomes(rules: readonly unknown[]): (Outcome | undefined)[] {
  const known = LAST_OUTCOMES.get(rules);
  if (known) return known;
  const none = rules.map(() => undefined);
  LAST_OUTCOMES.set(rules, none);
  return none;
}

const isOutcome = (outcome: Outcome, { status, reason, parameters = NO_PARAMETERS }: Found): boolean =>
  outcome.status === status &&
  outcome.reason === reason &&
  outcome.parameters.length === parameters.length &&
  outcome.parameters.every((parameter, index) => parameter === String(parameters[index]));

const NO_PARAMETERS: readonly string[] = [];

function toOutcome(id: string, { status, reason, parameters = NO_PARAMETERS }: Found): Outcome {
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

/** Returns equal outcomes that are shared, for example after they were loaded. */
export const sharedOutcomes = (outcomes: Outcomes): Outcomes =>
  new Map(Array.from(outcomes, ([id, outcome]) => [id, sharedOutcome(outcome)]));
