import { OPERATOR_NAMES } from '@muster/operators';
import { CLUSTER_RULE_IDS, HOST_RULE_IDS, operatorRuleId, RETIRED_RULE_IDS } from './contract-ids';
import { ALL_RULES, NEVER_IGNORABLE_CLUSTER_RULES, NEVER_IGNORABLE_HOST_RULES } from './overrides';

export type OverrideSubject = 'host' | 'cluster';

/** Why ids cannot be ignored; both empty: they can. */
export interface OverrideError {
  readonly unknown: readonly string[];
  readonly neverIgnorable: readonly string[];
}

const OPERATOR_RULE_IDS = OPERATOR_NAMES.map(operatorRuleId);

/** Ids that nothing produces any more are still in the v2 API, so that naming them is no error. */
const KNOWN: { readonly [Subject in OverrideSubject]: ReadonlySet<string> } = {
  host: new Set([...HOST_RULE_IDS, ...OPERATOR_RULE_IDS, ...RETIRED_RULE_IDS]),
  cluster: new Set([...CLUSTER_RULE_IDS, ...OPERATOR_RULE_IDS, ...RETIRED_RULE_IDS]),
};

const NEVER_IGNORABLE: { readonly [Subject in OverrideSubject]: readonly string[] } = {
  host: NEVER_IGNORABLE_HOST_RULES,
  cluster: NEVER_IGNORABLE_CLUSTER_RULES,
};

/** `all` stands for all that can be ignored. */
export function checkOverrides(subject: OverrideSubject, ids: readonly string[]): OverrideError {
  const named = [...new Set(ids)].filter((id) => id !== ALL_RULES);
  return {
    unknown: named.filter((id) => !KNOWN[subject].has(id)),
    neverIgnorable: named.filter((id) => NEVER_IGNORABLE[subject].includes(id)),
  };
}

/** What can be ignored, without `all`. */
export function ignorableRules(subject: OverrideSubject): readonly string[] {
  return [...KNOWN[subject]].filter((id) => !NEVER_IGNORABLE[subject].includes(id)).sort();
}
