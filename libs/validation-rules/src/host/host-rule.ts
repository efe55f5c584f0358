import { clusterOf, type HostFacts } from '../facts/host.facts';
import type { Needs } from '../rule/evaluate-rules';
import type { HostRuleId } from '../rule/contract-ids';
import type { Rule } from '../rule/rule';

export type HostNeed = 'inventory' | 'machineNetworks' | 'platform';

export const HOST_NEEDS: Needs<HostFacts, HostNeed> = {
  inventory: { isMet: ({ hardware }) => hardware !== undefined, waitingFor: 'the host to report its hardware' },
  machineNetworks: {
    isMet: (facts) => clusterOf(facts).machineNetworks.length > 0,
    waitingFor: "the cluster's machine network",
  },
  platform: { isMet: (facts) => clusterOf(facts).platformType !== '', waitingFor: "the cluster's platform" },
};

/**
 * What a failure holds back. connection: the host counts as disconnected; inventory: it stays discovering; hardware:
 * insufficient, whatever else; input: pending for input; known: not ready; preparation: the preparation fails; none: shown only.
 */
export type HostBlocking =
  | 'connection'
  | 'media'
  | 'inventory'
  | 'truncation'
  | 'hardware'
  | 'input'
  | 'disk-uuid'
  | 'known'
  | 'disk-speed'
  | 'images'
  | 'none';

export interface HostRule extends Rule<HostFacts, HostRuleId, HostNeed, HostBlocking> {
  /** Counts for hosts of the pool as well, which have few things to meet. */
  readonly inPool?: true;
}
