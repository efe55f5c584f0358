import { needsMachineNetwork } from '../facts/cluster-settings.facts';
import type { ClusterFacts } from '../facts/cluster.facts';
import type { ClusterRuleId } from '../rule/contract-ids';
import type { Needs } from '../rule/evaluate-rules';
import type { Rule } from '../rule/rule';

export type ClusterNeed =
  'apiVips' | 'ingressVips' | 'inventories' | 'machineNetworks' | 'requiredNetworks' | 'clusterNetworks';

export const CLUSTER_NEEDS: Needs<ClusterFacts, ClusterNeed> = {
  apiVips: { isMet: ({ settings }) => settings.apiVips.length > 0, waitingFor: 'an API VIP' },
  ingressVips: { isMet: ({ settings }) => settings.ingressVips.length > 0, waitingFor: 'an ingress VIP' },
  inventories: {
    isMet: ({ hosts }) => hosts.some(({ hasInventory }) => hasInventory),
    waitingFor: 'a host to report its hardware',
  },
  machineNetworks: { isMet: ({ settings }) => settings.machineNetworks.length > 0, waitingFor: 'a machine network' },
  clusterNetworks: { isMet: ({ settings }) => settings.clusterNetworks.length > 0, waitingFor: 'a cluster network' },
  requiredNetworks: {
    isMet: ({ settings }) =>
      settings.clusterNetworks.length > 0 &&
      settings.serviceNetworks.length > 0 &&
      (settings.machineNetworks.length > 0 || !needsMachineNetwork(settings)),
    waitingFor: 'the cluster, service and machine networks',
  },
};

/** What a failure holds back. input, vips: the cluster is pending for input; ready: it is insufficient; none: shown only. */
export type ClusterBlocking = 'input' | 'vips' | 'ready' | 'none';

export type ClusterRule = Rule<ClusterFacts, ClusterRuleId, ClusterNeed, ClusterBlocking>;
