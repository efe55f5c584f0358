import type { Category, Message, Messages, Outcome, OutcomeStatus } from './rule';

/** Messages of reasons that several rules share. */
export const SHARED_MESSAGES = {
  disabled: 'Validation disabled by configuration',
  'success-suppress-output': '',
  'day-2': 'Not checked for hosts that are added to an installed cluster',
  'user-managed-networking': 'Not required with user-managed networking',
  'user-managed-load-balancer': 'Not required with a user-managed load balancer',
  'vips-not-required': 'Not required with user-managed networking or on a single node',
  'single-node': 'Not required on a single node: there is no other host to reach',
  'only-host': 'There is no other host to reach',
  'no-role': 'The host has no role yet',
  'awaits-inventory': 'Waiting for the host to report its hardware',
  'awaits-machineNetworks': 'Waiting for the machine network of the cluster',
  'awaits-platform': 'Waiting for the platform of the cluster',
  'awaits-apiVips': 'Waiting for an API VIP',
  'awaits-ingressVips': 'Waiting for an ingress VIP',
  'awaits-inventories': 'Waiting for a host to report its hardware',
  'awaits-requiredNetworks': 'Waiting for the cluster, service and machine networks',
  'awaits-clusterNetworks': 'Waiting for a cluster network',
  'awaits-connectivity': 'Waiting for the host to report its connectivity',
  'awaits-groups': 'Waiting for the connectivity groups of the current networks',
  'awaits-more-hosts': 'Waiting for more hosts to compare with',
  'awaits-ignition': 'Waiting for the Ignition config of the installed cluster',
  'awaits-resolution': 'Waiting for the host to resolve domain names',
  'awaits-role': 'Waiting for the role of the host',
  'step-failed': 'The host could not run the check {0}: {1}',
} as const satisfies Messages;

/** Remedies of reasons that several rules share. Those of the rules are for what they measure. */
const SHARED_REMEDIES: { readonly [reason: string]: string | undefined } = {
  'step-failed': 'Repair on the host what the message names, or boot the host from a new discovery image.',
};

/** An outcome with the texts of its rule. */
export interface RenderedOutcome {
  readonly id: string;
  readonly status: string;
  readonly category: string;
  readonly message: string;
  /** Values with their unit. Empty when the rule has no measurement. */
  readonly measured: string;
  readonly required: string;
  /** Empty when no action is necessary. */
  readonly remedy: string;
}

/** The texts of a rule. */
export interface RuleTexts {
  readonly id: string;
  readonly category: Category;
  readonly messages: Messages;
  readonly remedy: string;
}

/** Maximum length of a rendered text, in characters. */
export const OUTCOME_TEXT_CHARACTERS_MAX = 1_024;

const SHARED: Messages = SHARED_MESSAGES;
const FAILING: readonly string[] = ['failure', 'error'] satisfies readonly OutcomeStatus[];
const SECONDS_PER_MINUTE = 60;

/** Renders an outcome with the texts of its rule. For an unknown rule, the message is the reason of the outcome. */
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
    remedy: FAILING.includes(status) ? (SHARED_REMEDIES[key] ?? rule?.remedy ?? '') : '',
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
