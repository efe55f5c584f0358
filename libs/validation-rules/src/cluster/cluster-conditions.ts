import type { ClusterConditions as ClusterConditionsMessage, Plain } from '@muster/contracts';
import type { ClusterFacts } from '../facts/cluster.facts';
import { NEVER_IGNORABLE_CLUSTER_RULES, passesGate } from '../rule/overrides';
import { failingIds, type Outcome } from '../rule/rule';
import type { ClusterBlocking, ClusterRule } from './cluster-rule';
import { CLUSTER_RULES } from './cluster-rules.table';

export type ClusterConditions = Plain<ClusterConditionsMessage>;

const RULES: ReadonlyMap<string, ClusterRule> = new Map(CLUSTER_RULES.map((rule) => [rule.id, rule]));

/** What the transition table asks of a cluster's outcomes, ignored rules let through. */
export function clusterConditions(facts: ClusterFacts, outcomes: readonly Outcome[]): ClusterConditions {
  const closed = new Set<ClusterBlocking>();
  const pendingIds: string[] = [];
  for (const outcome of outcomes) {
    const rule = RULES.get(outcome.id);
    if (!rule || passesGate(outcome, rule, facts.settings.ignoredClusterRules, NEVER_IGNORABLE_CLUSTER_RULES)) continue;
    closed.add(rule.gate);
    if (outcome.status !== 'failure' && rule.gate !== 'none') pendingIds.push(outcome.id);
  }
  const gatePasses = (gate: ClusterBlocking): boolean => !closed.has(gate);
  return {
    pendingInputsGiven: gatePasses('input'),
    vipsDefined: gatePasses('vips'),
    requiredPassed: gatePasses('ready'),
    failingIds: failingIds(outcomes),
    pendingIds: pendingIds.sort(),
  };
}
