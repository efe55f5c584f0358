import type { ClusterConditions as ClusterConditionsMessage, Plain } from '@muster/contracts';
import type { ClusterFacts } from '../facts/cluster.facts';
import { isIgnored, isPassing, NEVER_IGNORABLE_CLUSTER_RULES } from '../rule/overrides';
import type { Outcome } from '../rule/rule';
import type { ClusterGate } from './cluster-rule';
import { CLUSTER_RULES } from './cluster-rules.table';

export type ClusterConditions = Plain<ClusterConditionsMessage>;

const GATES: ReadonlyMap<string, ClusterGate> = new Map(CLUSTER_RULES.map(({ id, gate }) => [id, gate]));

/** What the transition table asks of a cluster's outcomes, ignored rules let through. */
export function clusterConditions(facts: ClusterFacts, outcomes: readonly Outcome[]): ClusterConditions {
  const closed = new Set<ClusterGate | undefined>();
  for (const outcome of outcomes) {
    const passes =
      isPassing(outcome) || isIgnored(outcome.id, facts.settings.ignoredClusterRules, NEVER_IGNORABLE_CLUSTER_RULES);
    if (!passes) closed.add(GATES.get(outcome.id));
  }
  const gatePasses = (gate: ClusterGate): boolean => !closed.has(gate);
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
