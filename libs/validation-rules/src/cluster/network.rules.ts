import {
  addressBits,
  type Cidr,
  cidrsOverlap,
  formatNetwork,
  isCanonical,
  parseCidr,
  parseCidrs,
} from '@muster/addresses';
import { type ClusterSettingsFacts, isSingleNode, needsMachineNetwork } from '../facts/cluster-settings.facts';
import type { ClusterFacts } from '../facts/cluster.facts';
import { broken, type Claim, fail, failBecause, pass } from '../rule/rule';
import type { ClusterRule } from './cluster-rule';

const NETWORK_TYPES = ['OpenShiftSDN', 'OVNKubernetes', 'CiscoACI', 'Cilium', 'Calico', 'None'];
const OWN_NETWORK_TYPES = ['', 'OpenShiftSDN', 'OVNKubernetes'];
/** The host prefix that other network types use. */
const FOREIGN_HOST_PREFIX = { 4: 25, 6: 64 } as const;
/** A cluster or service network has at least 2^7 addresses. */
const SMALLEST_NETWORK_BITS = 7;
const HOSTS_AT_LEAST = 4;

const clusterCidrs = ({ clusterNetworks }: ClusterSettingsFacts): readonly string[] =>
  clusterNetworks.map(({ cidr }) => cidr);

function overlapClaim(settings: ClusterSettingsFacts): Claim {
  const { clusterNetworks, serviceNetworks, machineNetworks } = settings;
  if (clusterNetworks.length !== serviceNetworks.length)
    return broken('different-counts', clusterNetworks.length, serviceNetworks.length);
  // The installer also compares machine networks that the cluster does not need.
  const kinds = [clusterCidrs(settings), serviceNetworks, machineNetworks].map(parseCidrs);
  const [first, second] = firstOverlap(kinds) ?? [];
  return first && second ? fail(formatNetwork(first), formatNetwork(second)) : pass();
}

/** Returns two networks of different kinds that overlap. The installer compares all of them. */
function firstOverlap(kinds: readonly (readonly Cidr[])[]): readonly [Cidr, Cidr] | undefined {
  for (const [index, networks] of kinds.entries()) {
    const others = kinds.slice(index + 1).flat();
    for (const first of networks) {
      const second = others.find((other) => cidrsOverlap(first, other));
      if (second) return [first, second];
    }
  }
  return undefined;
}

/** A cluster network has 2^(host prefix - prefix) subnets. One host needs one subnet, more hosts need at least four. */
function prefixClaim({ settings, hosts }: ClusterFacts): Claim {
  const hostCount = isSingleNode(settings) || hosts.length === 1 ? 1 : Math.max(HOSTS_AT_LEAST, hosts.length);
  for (const { cidr: text, hostPrefix: given } of settings.clusterNetworks) {
    const cidr = parseCidr(text);
    if (!cidr || !isCanonical(cidr) || cidr.prefix === 0) return failBecause('no-network', text);
    const isOwn = OWN_NETWORK_TYPES.includes(settings.effectiveNetworkType);
    const hostPrefix = isOwn ? given : FOREIGN_HOST_PREFIX[cidr.family];
    const largest = addressBits(cidr.family) - SMALLEST_NETWORK_BITS;
    if (hostPrefix < 1 || hostPrefix > largest) return failBecause('host-prefix', hostPrefix, largest);
    if (2 ** (hostPrefix - cidr.prefix) < hostCount) return fail(text, hostPrefix, hostCount);
  }
  return pass();
}

function typeClaim(settings: ClusterSettingsFacts): Claim {
  const { networkType } = settings;
  if (networkType === '') return pass();
  if (!NETWORK_TYPES.includes(networkType)) return failBecause('unknown-type', networkType, NETWORK_TYPES.join(', '));
  if (networkType === 'OpenShiftSDN' && isSingleNode(settings)) return failBecause('single-node-type', networkType);
  const all = [...clusterCidrs(settings), ...settings.serviceNetworks, ...settings.machineNetworks];
  if (networkType === 'OpenShiftSDN' && parseCidrs(all).some(({ family }) => family === 6))
    return failBecause('ipv6-type', networkType);
  if (networkType === 'OVNKubernetes' && settings.vipDhcpAllocation) return failBecause('dhcp-type', networkType);
  return pass();
}

/** Returns the sorted families. Service networks are not deduplicated: two of one family are an error. */
function familiesOf(cidrs: readonly string[], dedupe: boolean): string {
  const families = parseCidrs(cidrs).map(({ family }) => `IPv${family}`);
  return (dedupe ? [...new Set(families)] : families).sort().join('+');
}

function familiesClaim(settings: ClusterSettingsFacts): Claim {
  const service = familiesOf(settings.serviceNetworks, false);
  const others = [familiesOf(clusterCidrs(settings), true)];
  if (needsMachineNetwork(settings)) others.push(familiesOf(settings.machineNetworks, true));
  const isSame = others.every((families) => families === service);
  return isSame ? pass() : fail([service, ...others].join(', '));
}

export const NETWORK_RULES: readonly ClusterRule[] = [
  {
    id: 'no-cidrs-overlapping',
    category: 'network',
    checks: 'No cluster, service or machine network overlaps a network of another kind.',
    needs: ['requiredNetworks'],
    claim: ({ settings }) => overlapClaim(settings),
    messages: {
      success: 'No CIDRs are overlapping',
      failure: { message: 'CIDRs {0} and {1} overlap', measured: '{0} and {1}' },
      'different-counts':
        'The cluster has {0} cluster networks and {1} service networks, the same number of both is required',
    },
    remedy: 'Choose cluster and service networks that do not overlap with a machine network.',
    gate: 'ready',
  },
  {
    id: 'network-prefix-valid',
    category: 'network',
    checks:
      'The cluster network has a subnet for every host: 2^(host prefix - prefix) is at least the number of hosts, and at least 4 unless there is one host only.',
    needs: ['clusterNetworks'],
    initial: pass(),
    claim: prefixClaim,
    messages: {
      success: 'Cluster network prefix is valid',
      failure: {
        message: 'Cluster network {0} with host prefix {1} has no room for {2} hosts',
        measured: '{0} with host prefix {1}',
        required: 'room for {2} hosts',
      },
      'no-network': { message: 'Cluster network {0} is not a network address with a prefix', measured: '{0}' },
      'host-prefix': {
        message: 'Host prefix {0} of the cluster network is not between 1 and {1}',
        measured: '{0}',
        required: '1 to {1}',
      },
    },
    remedy: 'Choose a larger cluster network or a longer host prefix.',
    gate: 'ready',
  },
  {
    id: 'network-type-valid',
    category: 'network',
    checks: `The network type is one of ${NETWORK_TYPES.join(', ')} and is supported by the settings of the cluster.`,
    needs: [],
    claim: ({ settings }) => typeClaim(settings),
    messages: {
      success: 'The cluster has a valid network type',
      'unknown-type': {
        message: 'Network type {0} is not supported, supported are {1}',
        measured: '{0}',
        required: 'one of {1}',
      },
      'single-node-type': { message: 'Network type {0} is not supported on a single node', measured: '{0}' },
      'ipv6-type': { message: 'Network type {0} does not support IPv6', measured: '{0}' },
      'dhcp-type': { message: 'Network type {0} does not support VIP allocation by DHCP', measured: '{0}' },
    },
    remedy: 'Set network_type to OVNKubernetes, or correct the setting that it does not support.',
    gate: 'ready',
  },
  {
    id: 'networks-same-address-families',
    category: 'network',
    checks: 'Cluster, service and machine networks have the same address families.',
    needs: ['requiredNetworks'],
    claim: ({ settings }) => familiesClaim(settings),
    messages: {
      success: 'Same address families for all networks',
      failure: { message: 'The networks have different address families: {0}', measured: '{0}' },
    },
    remedy: 'Set one service network per address family, and cluster and machine networks of the same families.',
    gate: 'ready',
  },
];
