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

const NOT_KNOWN = 'The host does not become known.';

/** The effects of a failure that the decision table of the host distinguishes, with their texts. */
export const HOST_EFFECTS = {
  connection: 'The host is disconnected.',
  media: 'The host is disconnected.',
  inventory: 'The host stays discovering.',
  truncation: 'The host stays discovering.',
  hardware: 'The host is insufficient.',
  input: 'The host is pending for input.',
  'disk-uuid': NOT_KNOWN,
  known: NOT_KNOWN,
  'disk-speed': NOT_KNOWN,
  images: 'The preparation of the installation fails.',
  none: 'Nothing is blocked.',
} as const;
export type HostBlocking = keyof typeof HOST_EFFECTS;

export interface HostRule extends Rule<HostFacts, HostRuleId, HostNeed, HostBlocking> {
  /** The rule has no outcome on a host that is not bound to a cluster. */
  readonly boundOnly?: true;
  /** Type of the agent step that measures what the rule checks. */
  readonly measuredBy?: string;
  /** The rule also blocks hosts that are not bound to a cluster. */
  readonly blocksUnbound?: true;
  /** The initial outcome of a host that is not bound to a cluster is SUPPRESSED. */
  readonly suppressedUnbound?: true;
}
