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

/** The effect of a failure. input, vips: the cluster is pending for input. ready: it is insufficient. none: nothing. */
export type ClusterBlocking = 'input' | 'vips' | 'ready' | 'none';

export type ClusterRule = Rule<ClusterFacts, ClusterRuleId, ClusterNeed, ClusterBlocking>;
