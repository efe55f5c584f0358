import { OPERATOR_NAMES } from '@muster/operators';
import { CLUSTER_RULE_IDS, HOST_RULE_IDS, operatorRuleId, RETIRED_RULE_IDS } from './contract-ids';
import { type Outcome, type OutcomeStatus, SUPPRESSED } from './rule';

/**
 * Rules that a user ignores for one cluster: ids, or `all`. The outcome still has the failure, but it does not block.
 */
export type IgnoredRules = readonly string[];

/** Selects every rule that can be ignored. */
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

/**
 * Returns the rules that are disabled for the whole service. Clusters with their own ignored rules are not affected.
 */
export function disabledRulesFor(disabledByConfiguration: readonly string[], ignored: IgnoredRules): readonly string[] {
  return ignored.length > 0 ? [] : disabledByConfiguration;
}

export function isIgnored(id: string, ignored: IgnoredRules, neverIgnorable: readonly string[]): boolean {
  return !neverIgnorable.includes(id) && (ignored.includes(id) || ignored.includes(ALL_RULES));
}

const PASSING: readonly string[] = ['success', 'disabled', SUPPRESSED] satisfies readonly OutcomeStatus[];

/** A rule passes when it succeeds, does not apply or is disabled. Pending and error do not pass. */
export const isPassing = ({ status }: Pick<Outcome, 'status'>): boolean => PASSING.includes(status);

interface BlockingRule {
  readonly id: string;
  readonly toleratesPending?: true;
}

/** Returns true when an outcome does not block. */
export function isUnblocked(
  outcome: Outcome,
  { id, toleratesPending }: BlockingRule,
  ignored: IgnoredRules,
  neverIgnorable: readonly string[],
): boolean {
  if (isPassing(outcome) || (toleratesPending && outcome.status === 'pending')) return true;
  return isIgnored(id, ignored, neverIgnorable);
}

export type OverrideSubject = 'host' | 'cluster';

/** The ids that cannot be ignored and those that are unknown. Both empty: all ids can be ignored. */
export interface OverrideError {
  readonly unknown: readonly string[];
  readonly neverIgnorable: readonly string[];
}

const OPERATOR_RULE_IDS = OPERATOR_NAMES.map(operatorRuleId);

/** Includes ids that no rule produces any more, because the v2 API still contains them. */
const KNOWN: { readonly [Subject in OverrideSubject]: ReadonlySet<string> } = {
  host: new Set([...HOST_RULE_IDS, ...OPERATOR_RULE_IDS, ...RETIRED_RULE_IDS]),
  cluster: new Set([...CLUSTER_RULE_IDS, ...OPERATOR_RULE_IDS, ...RETIRED_RULE_IDS]),
};

const NEVER_IGNORABLE: { readonly [Subject in OverrideSubject]: readonly string[] } = {
  host: NEVER_IGNORABLE_HOST_RULES,
  cluster: NEVER_IGNORABLE_CLUSTER_RULES,
};

/** Returns the ids, with `all` replaced by all ids that can be ignored. */
export function checkOverrides(subject: OverrideSubject, ids: readonly string[]): OverrideError {
  const named = [...new Set(ids)].filter((id) => id !== ALL_RULES);
  return {
    unknown: named.filter((id) => !KNOWN[subject].has(id)),
    neverIgnorable: named.filter((id) => NEVER_IGNORABLE[subject].includes(id)),
  };
}

/** Returns the ids that can be ignored, without `all`. */
export function ignorableRules(subject: OverrideSubject): readonly string[] {
  return [...KNOWN[subject]].filter((id) => !NEVER_IGNORABLE[subject].includes(id)).sort();
}
