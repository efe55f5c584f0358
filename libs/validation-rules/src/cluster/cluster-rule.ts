import { needsMachineNetwork } from '../facts/cluster-settings.facts';
import type { ClusterFacts } from '../facts/cluster.facts';
import type { ClusterRuleId } from '../rule/contract-ids';
import type { Needs } from '../rule/evaluate-rules';
import type { Rule } from '../rule/rule';

export type ClusterNeed =
  'apiVips' | 'ingressVips' | 'inventories' | 'machineNetworks' | 'requiredNetworks' | 'clusterNetworks';

export const CLUSTER_NEEDS: Needs<ClusterFacts, ClusterNeed> = {
  apiVips: ({ settings }) => settings.apiVips.length > 0,
  ingressVips: ({ settings }) => settings.ingressVips.length > 0,
  inventories: ({ hosts }) => hosts.some(({ hasInventory }) => hasInventory),
  machineNetworks: ({ settings }) => settings.machineNetworks.length > 0,
  clusterNetworks: ({ settings }) => settings.clusterNetworks.length > 0,
  requiredNetworks: ({ settings }) =>
    settings.clusterNetworks.length > 0 &&
    settings.serviceNetworks.length > 0 &&
    (settings.machineNetworks.length > 0 || !needsMachineNetwork(settings)),
};

/** The effects of a failure that the decision table of the cluster distinguishes, with their texts. */
export const CLUSTER_EFFECTS = {
  input: 'The cluster is pending for input.',
  vips: 'The cluster is pending for input.',
  ready: 'The cluster is insufficient.',
  none: 'Nothing is blocked.',
} as const;
export type ClusterBlocking = keyof typeof CLUSTER_EFFECTS;

export type ClusterRule = Rule<ClusterFacts, ClusterRuleId, ClusterNeed, ClusterBlocking>;
