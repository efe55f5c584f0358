import type { Category, Message, Messages, Outcome, OutcomeStatus } from './rule';
import { SHARED_MESSAGES } from './shared-messages.table';

/** An outcome with the texts of its rule. */
export interface RenderedOutcome {
  readonly id: string;
  readonly status: string;
  readonly category: string;
  readonly message: string;
  /** Values with their unit. Empty when the rule measures nothing. */
  readonly measured: string;
  readonly required: string;
  /** Empty when nothing has to be done. */
  readonly remedy: string;
}

/** The texts of a rule. */
export interface RuleTexts {
  readonly id: string;
  readonly category: Category;
  readonly messages: Messages;
  readonly remedy: string;
}

/** Longest rendered text, in characters. */
export const OUTCOME_TEXT_CHARACTERS_MAX = 1_024;

const SHARED: Messages = SHARED_MESSAGES;
const FAILING: readonly string[] = ['failure', 'error'] satisfies readonly OutcomeStatus[];
const SECONDS_PER_MINUTE = 60;

/** Renders an outcome with the texts of its rule. An outcome of an unknown rule has its reason as message. */
export function renderOutcome(outcome: Outcome, rule: RuleTexts | undefined): RenderedOutcome {
  const { id, status } = outcome;
  const key = outcome.reason ?? status;
  const message = toObject(rule?.messages[key] ?? SHARED[key] ?? key);
  const fill = (template: string | undefined): string => bounded(filled(template ?? '', outcome.parameters));
  return {
    id,
    status,
    category: rule?.category ?? 'configuration',
    message: bounded(`${fill(message.message)}${flappingText(outcome)}`),
    measured: fill(message.measured),
    required: fill(message.required),
    remedy: FAILING.includes(status) ? (rule?.remedy ?? '') : '',
  };
}

const toObject = (message: Message): Exclude<Message, string> => (typeof message === 'string' ? { message } : message);

const filled = (template: string, parameters: readonly string[]): string =>
  template.replace(/\{(\d+)\}/g, (_, index: string) => parameters[Number(index)] ?? '');

function flappingText({ flapping }: Outcome): string {
  if (!flapping) return '';
  const { flips, windowSeconds, quietSeconds } = flapping;
  return ` (flapping: changed ${flips} times in ${durationText(windowSeconds)}; passes after ${durationText(quietSeconds)} without a change)`;
}

/** Returns `30 min` or `90 s`. */
export const durationText = (seconds: number): string =>
  seconds % SECONDS_PER_MINUTE === 0 ? `${seconds / SECONDS_PER_MINUTE} min` : `${seconds} s`;

const bounded = (text: string): string =>
  text.length <= OUTCOME_TEXT_CHARACTERS_MAX
    ? text
    : `${text.slice(0, OUTCOME_TEXT_CHARACTERS_MAX - 1).replace(/[\ud800-\udbff]$/, '')}…`;
