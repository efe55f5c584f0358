import type { Claim, Outcome, OutcomeStatus, Rule } from './rule';

/** For each need: is the fact there, and what one waits for while it is not. */
export type Needs<Facts, Need extends string> = {
  readonly [Name in Need]: { readonly isMet: (facts: Facts) => boolean; readonly waitingFor: string };
};

/** Longest message, measured or required value, in characters: some name what a machine has hundreds of. */
export const OUTCOME_TEXT_CHARACTERS_MAX = 1_024;

export const DISABLED_MESSAGE = 'Validation disabled by configuration';

/** Every rule's outcome in the order of the table; none stops another. */
export function evaluateRules<Facts, Id extends string, Need extends string, Gate extends string>(
  rules: readonly Rule<Facts, Id, Need, Gate>[],
  needs: Needs<Facts, Need>,
  facts: Facts,
  disabled: readonly string[],
): Outcome[] {
  const outcomes: Outcome[] = [];
  for (const rule of rules) {
    if (rule.applies && !rule.applies(facts)) continue;
    outcomes.push(disabled.includes(rule.id) ? disabledOutcome(rule) : outcomeOf(rule, needs, facts));
  }
  return outcomes;
}

function outcomeOf<Facts, Id extends string, Need extends string, Gate extends string>(
  rule: Rule<Facts, Id, Need, Gate>,
  needs: Needs<Facts, Need>,
  facts: Facts,
): Outcome {
  const excuse = rule.excused?.(facts);
  if (excuse !== undefined) return toOutcome(rule, 'success', excuse);
  const unmet = rule.needs.find((need) => !needs[need].isMet(facts));
  if (unmet !== undefined) return toOutcome(rule, 'pending', `Waiting for ${needs[unmet].waitingFor}`);
  return explained(rule, rule.claim(facts), facts);
}

function explained<Facts, Id extends string, Need extends string, Gate extends string>(
  rule: Rule<Facts, Id, Need, Gate>,
  claim: Claim,
  facts: Facts,
): Outcome {
  switch (claim.status) {
    case 'pending':
    case 'error':
      return toOutcome(rule, claim.status, claim.because);
    case 'success':
    case 'failure': {
      const passed = claim.status === 'success';
      const { measured, required } = claim;
      const message = claim.because ?? rule.explain({ passed, measured, required }, facts);
      return toOutcome(rule, claim.status, message, measured, required);
    }
    default:
      return claim satisfies never;
  }
}

type Labels = { readonly id: string; readonly category: string; readonly remedy: string };

const disabledOutcome = (rule: Labels): Outcome => toOutcome(rule, 'disabled', DISABLED_MESSAGE);

function toOutcome(rule: Labels, status: OutcomeStatus, message: string, measured = '', required = ''): Outcome {
  const needsRemedy = status === 'failure' || status === 'error';
  return {
    id: rule.id,
    status,
    message: bounded(message),
    category: rule.category,
    measured: bounded(measured),
    required: bounded(required),
    remedy: needsRemedy ? rule.remedy : '',
  };
}

/** Cut where it is too long, but never in the middle of a character. */
function bounded(text: string): string {
  if (text.length <= OUTCOME_TEXT_CHARACTERS_MAX) return text;
  return `${text.slice(0, OUTCOME_TEXT_CHARACTERS_MAX - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
