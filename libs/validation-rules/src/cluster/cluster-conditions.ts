import type { ClusterConditions as ClusterConditionsMessage, Plain } from '@muster/contracts';
import { keptByObject } from '@muster/schema';
import type { ClusterSettingsFacts } from '../facts/cluster-settings.facts';
import type { ClusterFacts } from '../facts/cluster.facts';
import { SERVICE_DEFAULTS } from '../facts/host.facts';
import { type IgnoredRules, NEVER_IGNORABLE_CLUSTER_RULES, isUnblocked } from '../rule/overrides';
import { failingIds, type Outcome } from '../rule/rule';
import type { ClusterBlocking, ClusterRule } from './cluster-rule';
import { CLUSTER_RULES, evaluateCluster } from './cluster-rules.table';

/** The conditions that are stored with the outcomes of a cluster. */
export type ClusterConditions = Plain<ClusterConditionsMessage>;

/** Ids of the outcomes that block a cluster, sorted. They follow from the outcomes and are not stored. */
export interface ClusterBlockingIds {
  readonly failingIds: string[];
  /** Ids of pending outcomes and of outcomes with an error. */
  readonly pendingIds: string[];
}

const RULES: ReadonlyMap<string, ClusterRule> = new Map(CLUSTER_RULES.map((rule) => [rule.id, rule]));

/**
 * Returns the conditions that the decision table of the cluster reads, from its outcomes. Ignored rules count as
 * passed.
 */
export function clusterConditions(
  { settings }: Pick<ClusterFacts, 'settings'>,
  outcomes: readonly Outcome[],
): ClusterConditions {
  const closed = new Set<ClusterBlocking>();
  for (const outcome of outcomes) {
    const rule = RULES.get(outcome.id);
    if (rule && !isUnblocked(outcome, rule, settings.ignoredClusterRules, NEVER_IGNORABLE_CLUSTER_RULES))
      closed.add(rule.gate);
  }
  const gatePasses = (gate: ClusterBlocking): boolean => !closed.has(gate);
  return {
    pendingInputsGiven: gatePasses('input'),
    vipsDefined: gatePasses('vips'),
    requiredPassed: gatePasses('ready'),
  };
}

/** Returns the outcomes of a cluster without hosts. They follow from its settings. */
export const outcomesWithoutHosts = keptByObject((settings: ClusterSettingsFacts): readonly Outcome[] =>
  evaluateCluster({ policy: SERVICE_DEFAULTS, settings, hosts: [], vipVerifications: [] }),
);

/** Returns the conditions of a cluster without hosts. They follow from its settings and are never stored. */
export const conditionsWithoutHosts = keptByObject((settings: ClusterSettingsFacts): ClusterConditions =>
  clusterConditions({ settings }, outcomesWithoutHosts(settings)),
);

/** Returns the ids of all outcomes that fail or block the cluster. Failing rules that do not block are included. */
export function clusterBlockingIds(outcomes: readonly Outcome[], ignored: IgnoredRules): ClusterBlockingIds {
  const pendingIds = outcomes.flatMap((outcome) => {
    const rule = RULES.get(outcome.id);
    if (!rule || rule.gate === 'none' || outcome.status === 'failure') return [];
    return isUnblocked(outcome, rule, ignored, NEVER_IGNORABLE_CLUSTER_RULES) ? [] : [outcome.id];
  });
  return { failingIds: failingIds(outcomes), pendingIds: pendingIds.sort() };
}
