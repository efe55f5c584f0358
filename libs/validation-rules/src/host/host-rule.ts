import { clusterOf, type HostFacts } from '../facts/host.facts';
import type { HostRuleId } from '../rule/contract-ids';
import type { Needs } from '../rule/evaluate-rules';
import type { Rule } from '../rule/rule';

export type HostNeed = 'inventory' | 'machineNetworks' | 'platform';

export const HOST_NEEDS: Needs<HostFacts, HostNeed> = {
  inventory: ({ hardware }) => hardware !== undefined,
  machineNetworks: (facts) => clusterOf(facts).machineNetworks.length > 0,
  platform: (facts) => clusterOf(facts).platformType !== '',
};

/**
 * The effect of a failure. connection, media: the host is disconnected. inventory, truncation: it stays discovering. hardware:
 * it is insufficient. input: it is pending for input. disk-uuid, known, disk-speed: it is not known. images: the preparation
 * of the installation fails. none: nothing.
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
  /** The rule has no outcome on a host that is not bound to a cluster. */
  readonly boundOnly?: true;
  /** Type of the agent step that measures what the rule checks. */
  readonly measuredBy?: string;
  /** The rule also blocks hosts that are not bound to a cluster. */
  readonly inPool?: true;
  /** The initial outcome of a host that is not bound to a cluster is SUPPRESSED. */
  readonly suppressedInPool?: true;
}
