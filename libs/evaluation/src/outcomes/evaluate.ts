import {
  clusterConditions,
  conditionsWithoutHosts,
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
import { toClusterFacts, toHostFacts } from '../facts/to-facts';
import { type ClusterEntry, type HostEntry, hostSubject, type Subject } from '../facts/view-entries';
import { CLUSTER_SCOPE, type Groups, type OutcomeCommand, type Scope } from './outcomes.decider';

/** Recorded groups are removed when no report of the current generation exists. */
const NO_GROUPS: Groups = new Map();

/** Returns the outcomes to record. `isDamped` returns true for rules whose success has to be stable when they flap. */
export type Remember = (
  found: readonly Outcome[],
  isDamped: (ruleId: string) => boolean,
  scope: Scope,
) => readonly Outcome[];

/** Evaluates a host. `at` is RFC 3339. */
export function evaluateHostOutcomes(
  entry: HostEntry,
  view: FactsView,
  policy: RulesPolicy,
  remember: Remember,
  at: string,
): OutcomeCommand {
  const facts = toHostFacts(entry, view, policy);
  // While a host installs, its deadlines run, so no outcome may be delayed.
  const isDamped = (ruleId: string): boolean => facts.stage === '' && DAMPED_HOST_RULES.has(ruleId);
  const scope: Scope = {
    generation: entry.state.generation,
    clusterId: facts.cluster ? entry.state.clusterId : '',
  };
  entry.evaluatedGroups = facts.majority?.groups;
  const outcomes = remember(evaluateHost(facts), isDamped, scope);
  const conditions = hostConditions(facts, outcomes);
  return { type: 'EvaluateHost', hostKey: entry.key, ...scope, outcomes, conditions, at };
}

/** Evaluates a cluster. Returns undefined in statuses that keep the last outcomes. `at` is RFC 3339. */
export function evaluateClusterOutcomes(
  entry: ClusterEntry,
  view: FactsView,
  policy: RulesPolicy,
  remember: Remember,
  at: string,
): OutcomeCommand | undefined {
  if (!EVALUATED_CLUSTER_STATUSES.includes(entry.state.status)) return undefined;
  const facts = toClusterFacts(entry, view, policy);
  const outcomes = remember(evaluateCluster(facts), (ruleId) => DAMPED_CLUSTER_RULES.has(ruleId), CLUSTER_SCOPE);
  return {
    type: 'EvaluateCluster',
    clusterId: entry.id,
    outcomes,
    conditions: clusterConditions(facts, outcomes),
    conditionsWithoutHosts: conditionsWithoutHosts(entry.facts),
    groups: view.groupsOf(entry) ?? NO_GROUPS,
    at,
  };
}

/**
 * Returns the hosts that were evaluated while their groups were others for a short time. The recorded groups of a cluster change only when
 * it is evaluated. They never contained those groups, so no event makes these hosts due. Called after the evaluation of the cluster.
 */
export function hostsOfPassingGroups(cluster: ClusterEntry, view: FactsView): readonly Subject[] {
  const { members } = view.presentGroups(cluster);
  const isPassing = ({ evaluatedGroups, state: { hostId } }: HostEntry): boolean =>
    evaluatedGroups !== undefined &&
    [...members].some(([network, hosts]) => {
      const [wasMember, isMember] = [evaluatedGroups.includes(network), hosts.has(hostId)];
      return wasMember !== isMember && isMember === (cluster.groups.get(network)?.has(hostId) ?? false);
    });
  return view
    .hostsOf(cluster)
    .filter(isPassing)
    .map(({ key }) => hostSubject(key));
}
