import { type Outcome, type OutcomeStatus, SUPPRESSED } from './rule';

/** Rules that a user ignores for one cluster: ids, or `all`. The outcome still shows the failure, but it does not block. */
export type IgnoredRules = readonly string[];

/** Stands for every rule that can be ignored. */
export const ALL_RULES = 'all';

export const NEVER_IGNORABLE_HOST_RULES: readonly string[] = [
  'connected',
  'has-inventory',
  'inventory-not-fully-truncated',
  'machine-cidr-defined',
  'hostname-unique',
  'hostname-valid',
];

export const NEVER_IGNORABLE_CLUSTER_RULES: readonly string[] = [
  'api-vips-defined',
  'ingress-vips-defined',
  'all-hosts-are-ready-to-install',
  'sufficient-masters-count',
  'pull-secret-set',
];

/** Returns the rules that are disabled for the whole service. A cluster with ignored rules of its own is not affected. */
export function disabledRulesFor(disabledByConfiguration: readonly string[], ignored: IgnoredRules): readonly string[] {
  return ignored.length > 0 ? [] : disabledByConfiguration;
}

export function isIgnored(id: string, ignored: IgnoredRules, neverIgnorable: readonly string[]): boolean {
  return !neverIgnorable.includes(id) && (ignored.includes(id) || ignored.includes(ALL_RULES));
}

const PASSING: readonly string[] = ['success', 'disabled', SUPPRESSED] satisfies readonly OutcomeStatus[];

/** A rule passes when it succeeds, does not apply or is disabled. Pending and error do not pass. */
export const isPassing = ({ status }: Pick<Outcome, 'status'>): boolean => PASSING.includes(status);

interface GateKeeper {
  readonly id: string;
  readonly toleratesPending?: true;
}

/** Returns true when an outcome does not block its gate. */
export function passesGate(
  outcome: Outcome,
  { id, toleratesPending }: GateKeeper,
  ignored: IgnoredRules,
  neverIgnorable: readonly string[],
): boolean {
  if (isPassing(outcome) || (toleratesPending && outcome.status === 'pending')) return true;
  return isIgnored(id, ignored, neverIgnorable);
}
