import type { ClusterFacts } from '../facts/cluster.facts';
import { evaluateRules } from '../rule/evaluate-rules';
import { disabledRulesFor } from '../rule/overrides';
import type { Outcome } from '../rule/rule';
import { CLUSTER_NEEDS } from './cluster-rule';
import { CLUSTER_RULES } from './cluster-rules.table';

/** Statuses in which the rules count; in others the last outcomes stand. */
export const EVALUATED_CLUSTER_STATUSES: readonly string[] = [
  'insufficient',
  'ready',
  'pending-for-input',
  'preparing-for-installation',
];

/** All outcomes of one cluster: a function of the facts. */
export function evaluateCluster(facts: ClusterFacts): Outcome[] {
  const disabled = disabledRulesFor(facts.policy.disabledClusterRules, facts.settings.ignoredClusterRules);
  return evaluateRules(CLUSTER_RULES, CLUSTER_NEEDS, facts, disabled);
}
