import {
  clusterConditions,
  DAMPED_CLUSTER_RULES,
  DAMPED_HOST_RULES,
  evaluateCluster,
  EVALUATED_CLUSTER_STATUSES,
  evaluateHost,
  hostConditions,
  type Outcome,
  type RulesPolicy,
} from '@muster/validation-rules';
import type { FactsView } from '../facts/facts-view';
import { majorityHostsMinOf } from '../facts/cluster-shape';
import { toClusterFacts } from '../facts/to-cluster-facts';
import { toHostFacts } from '../facts/to-host-facts';
import type { ClusterEntry, HostEntry } from '../facts/view-entries';
import type { OutcomeCommand } from './outcomes.decider';

/** What was found, with what is remembered of earlier findings; `isDamped`: whether a rule may be held when it flaps. */
export type Remember = (found: readonly Outcome[], isDamped: (ruleId: string) => boolean) => readonly Outcome[];

/** The verdict on a host, from the view as it is. */
export function evaluateHostOutcomes(
  entry: HostEntry,
  view: FactsView,
  policy: RulesPolicy,
  remember: Remember,
): OutcomeCommand {
  const facts = toHostFacts(entry, view, policy);
  // Once a host installs, nothing may be held that is over: its deadlines are running.
  const isDamped = (ruleId: string): boolean => facts.stage === '' && DAMPED_HOST_RULES.has(ruleId);
  const outcomes = remember(evaluateHost(facts), isDamped);
  const conditions = hostConditions(facts, outcomes);
  return { type: 'EvaluateHost', hostKey: entry.key, epoch: entry.state.epoch, outcomes, conditions };
}

/** The verdict on a cluster, from the view as it is; undefined in statuses in which the last verdict stands. */
export function evaluateClusterOutcomes(
  entry: ClusterEntry,
  view: FactsView,
  policy: RulesPolicy,
  remember: Remember,
): OutcomeCommand | undefined {
  if (!EVALUATED_CLUSTER_STATUSES.includes(entry.state.status)) return undefined;
  const facts = toClusterFacts(entry, view, policy);
  const outcomes = remember(evaluateCluster(facts), (ruleId) => DAMPED_CLUSTER_RULES.has(ruleId));
  const conditions = clusterConditions(facts, outcomes);
  const groups = entry.connectivity.groups(majorityHostsMinOf(entry, view));
  return { type: 'EvaluateCluster', clusterId: entry.id, outcomes, conditions, groups };
}
