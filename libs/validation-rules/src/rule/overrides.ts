import type { Outcome } from './rule';

/** Rules a person chose to ignore for one cluster: ids, or `all`. The outcome still shows the failure; the gate lets it pass. */
export type IgnoredRules = readonly string[];

/** In the place of an id: every rule that can be ignored. */
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

/** Rules switched off for the whole service; a cluster with its own list of ignored ones is not affected. */
export function disabledRulesFor(disabledByConfiguration: readonly string[], ignored: IgnoredRules): readonly string[] {
  return ignored.length > 0 ? [] : disabledByConfiguration;
}

export function isIgnored(id: string, ignored: IgnoredRules, neverIgnorable: readonly string[]): boolean {
  return !neverIgnorable.includes(id) && (ignored.includes(id) || ignored.includes(ALL_RULES));
}

/** Success and disabled pass; pending and error do not. */
export function isPassing(outcome: Outcome): boolean {
  return outcome.status === 'success' || outcome.status === 'disabled';
}

interface GateKeeper {
  readonly id: string;
  readonly toleratesPending?: true;
}

/** Whether an outcome lets its subject through the gate of its rule. */
export function passesGate(
  outcome: Outcome,
  { id, toleratesPending }: GateKeeper,
  ignored: IgnoredRules,
  neverIgnorable: readonly string[],
): boolean {
  if (isPassing(outcome) || (toleratesPending && outcome.status === 'pending')) return true;
  return isIgnored(id, ignored, neverIgnorable);
}
