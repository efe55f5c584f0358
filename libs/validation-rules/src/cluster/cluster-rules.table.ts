import type { ClusterFacts } from '../facts/cluster.facts';
import { CLUSTER_OPERATOR_RULES } from '../operators/operator.rules';
import { evaluateRules, initialOutcomes, type Outcomes } from '../rule/evaluate-rules';
import { disabledRulesFor } from '../rule/overrides';
import { type RenderedOutcome, renderOutcome } from '../rule/render-outcome';
import type { Outcome } from '../rule/rule';
import { CLUSTER_NEEDS, type ClusterRule } from './cluster-rule';
import { HOSTS_RULES } from './hosts.rules';
import { NETWORK_RULES } from './network.rules';
import { CONFIGURATION_RULES, SETTINGS_RULES } from './settings.rules';
import { VIP_RULES } from './vip.rules';

/** Every rule for clusters. Blocking, the reference page and the tests are derived from these rows. */
export const CLUSTER_RULES: readonly ClusterRule[] = [
  ...SETTINGS_RULES,
  ...VIP_RULES,
  ...NETWORK_RULES,
  ...HOSTS_RULES,
  ...CONFIGURATION_RULES,
  ...CLUSTER_OPERATOR_RULES,
];

/** Statuses in which clusters are evaluated. In other statuses the last outcomes are kept. */
export const EVALUATED_CLUSTER_STATUSES: readonly string[] = [
  'insufficient',
  'ready',
  'pending-for-input',
  'preparing-for-installation',
];

/** Returns the outcome of every rule for a cluster. */
export function evaluateCluster(facts: ClusterFacts): Outcome[] {
  const disabled = disabledRulesFor(facts.policy.disabledClusterRules, facts.settings.ignoredClusterRules);
  return evaluateRules(CLUSTER_RULES, CLUSTER_NEEDS, facts, disabled);
}

const CLUSTER_RULES_BY_ID: ReadonlyMap<string, ClusterRule> = new Map(CLUSTER_RULES.map((rule) => [rule.id, rule]));

/** The outcomes of a cluster with default settings before any host has registered. They are never stored. */
export const INITIAL_CLUSTER_OUTCOMES: Outcomes = initialOutcomes(CLUSTER_RULES);

const INITIAL_CLUSTER_LIST = [...INITIAL_CLUSTER_OUTCOMES.values()];

/** Returns all outcomes of a cluster: the recorded ones, and the initial ones of all other rules. */
export const completeClusterOutcomes = (recorded: Outcomes): readonly Outcome[] =>
  INITIAL_CLUSTER_LIST.map((initial) => recorded.get(initial.id) ?? initial);

export const renderClusterOutcome = (outcome: Outcome): RenderedOutcome =>
  renderOutcome(outcome, CLUSTER_RULES_BY_ID.get(outcome.id));
