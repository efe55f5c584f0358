import type { ClusterConditions as ClusterConditionsMessage, Plain } from '@muster/contracts';
import type { ClusterFacts } from '../facts/cluster.facts';
import { isIgnored, isPassing, NEVER_IGNORABLE_CLUSTER_RULES } from '../rule/overrides';
import type { Outcome } from '../rule/rule';
import type { ClusterGate } from './cluster-rule';
import { CLUSTER_RULES } from './cluster-rules.table';

export type ClusterConditions = Plain<ClusterConditionsMessage>;

/** What the transition table asks of a cluster's outcomes, ignored rules let through. */
export function clusterConditions(facts: ClusterFacts, outcomes: readonly Outcome[]): ClusterConditions {
  const found = new Map(outcomes.map((outcome) => [outcome.id, outcome]));
  const gatePasses = (gate: ClusterGate): boolean =>
    CLUSTER_RULES.every((rule) => {
      const outcome = found.get(rule.id);
      if (rule.gate !== gate || !outcome || isPassing(outcome)) return true;
      return isIgnored(rule.id, facts.settings.ignoredClusterRules, NEVER_IGNORABLE_CLUSTER_RULES);
    });
  return {
    pendingInputsGiven: gatePasses('input'),
    vipsDefined: gatePasses('vips'),
    requiredPassed: gatePasses('ready'),
    failingMessages: outcomes
      .filter(({ status }) => status === 'failure')
      .map(({ message }) => message)
      .sort(),
  };
}
