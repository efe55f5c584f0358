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
import { broken, type Claim, fail, pass, passIf } from '../rule/rule';
import type { ClusterRule } from './cluster-rule';

const NETWORK_TYPES = ['OpenShiftSDN', 'OVNKubernetes', 'CiscoACI', 'Cilium', 'Calico', 'None'];
const OWN_NETWORK_TYPES = ['', 'OpenShiftSDN', 'OVNKubernetes'];
/** What other network types hand out per host. */
const FOREIGN_HOST_PREFIX = { 4: 25, 6: 64 } as const;
/** A network of pods or services has at least 2^7 addresses. */
const SMALLEST_NETWORK_BITS = 7;
const HOSTS_AT_LEAST = 4;

const clusterCidrs = ({ clusterNetworks }: ClusterSettingsFacts): readonly string[] =>
  clusterNetworks.map(({ cidr }) => cidr);
const machineCidrs = (settings: ClusterSettingsFacts): readonly string[] =>
  needsMachineNetwork(settings) ? settings.machineNetworks : [];

function overlapClaim(settings: ClusterSettingsFacts): Claim {
  const { clusterNetworks, serviceNetworks } = settings;
  if (clusterNetworks.length !== serviceNetworks.length)
    return broken(
      `There are ${clusterNetworks.length} cluster networks but ${serviceNetworks.length} service networks; give as many of each`,
    );
  for (const [index, { cidr }] of clusterNetworks.entries()) {
    const networks = parseCidrs([cidr, serviceNetworks[index] ?? '', machineCidrs(settings)[index] ?? '']);
    const [first, second] = firstOverlap(networks) ?? [];
    if (first && second) return fail(`${formatNetwork(first)} and ${formatNetwork(second)}`);
  }
  return pass();
}

function firstOverlap(networks: readonly Cidr[]): readonly [Cidr, Cidr] | undefined {
  for (const [index, first] of networks.entries()) {
    const second = networks.slice(index + 1).find((other) => cidrsOverlap(first, other));
    if (second) return [first, second];
  }
  return undefined;
}

/** Room for that many hosts: 2^(host prefix - prefix) of them. One host needs one subnet, more need at least four. */
function prefixClaim({ settings, hosts }: ClusterFacts): Claim {
  const hostCount = isSingleNode(settings) || hosts.length === 1 ? 1 : Math.max(HOSTS_AT_LEAST, hosts.length);
  for (const { cidr: text, hostPrefix: given } of settings.clusterNetworks) {
    const cidr = parseCidr(text);
    if (!cidr || !isCanonical(cidr) || cidr.prefix === 0) return fail(text, 'a network address with a prefix');
    const hostPrefix = OWN_NETWORK_TYPES.includes(settings.networkType) ? given : FOREIGN_HOST_PREFIX[cidr.family];
    const largest = addressBits(cidr.family) - SMALLEST_NETWORK_BITS;
    if (hostPrefix < 1 || hostPrefix > largest) return fail(`host prefix ${hostPrefix}`, `1 to ${largest}`);
    if (2 ** (hostPrefix - cidr.prefix) < hostCount)
      return fail(`${text} with host prefix ${hostPrefix}`, `room for ${hostCount} hosts`);
  }
  return pass();
}

function typeClaim(settings: ClusterSettingsFacts): Claim {
  const { networkType } = settings;
  if (networkType === '') return pass('default');
  if (!NETWORK_TYPES.includes(networkType)) return fail(networkType, NETWORK_TYPES.join(', '));
  if (networkType === 'OpenShiftSDN' && isSingleNode(settings))
    return fail(networkType, 'another type on a single node');
  const all = [...clusterCidrs(settings), ...settings.serviceNetworks, ...settings.machineNetworks];
  if (networkType === 'OpenShiftSDN' && parseCidrs(all).some(({ family }) => family === 6))
    return fail(networkType, 'another type with IPv6');
  if (networkType === 'OVNKubernetes' && settings.vipDhcpAllocation)
    return fail(networkType, 'another type with VIPs allocated by DHCP');
  return pass(networkType);
}

/** Families in ascending order. Service networks are not deduplicated: two of one family are one too many. */
function familiesOf(cidrs: readonly string[], dedupe: boolean): string {
  const families = parseCidrs(cidrs).map(({ family }) => `IPv${family}`);
  return (dedupe ? [...new Set(families)] : families).sort().join('+');
}

function familiesClaim(settings: ClusterSettingsFacts): Claim {
  const service = familiesOf(settings.serviceNetworks, false);
  const others = [familiesOf(clusterCidrs(settings), true)];
  if (needsMachineNetwork(settings)) others.push(familiesOf(settings.machineNetworks, true));
  return passIf(
    others.every((families) => families === service),
    `${service} and ${others.join(' and ')}`,
  );
}

export const NETWORK_RULES: readonly ClusterRule[] = [
  {
    id: 'no-cidrs-overlapping',
    category: 'network',
    checks: 'Cluster, service and machine network of the same place in their lists do not overlap.',
    needs: ['requiredNetworks'],
    claim: ({ settings }) => overlapClaim(settings),
    explain: ({ passed, measured }) => (passed ? 'Networks do not overlap' : `Networks overlap: ${measured}`),
    remedy: 'Choose cluster and service networks that no machine network lies in.',
    gate: 'ready',
  },
  {
    id: 'network-prefix-valid',
    category: 'network',
    checks:
      'The cluster network has room for every host: 2^(host prefix - prefix) is at least 4 and the number of hosts.',
    needs: ['clusterNetworks'],
    claim: prefixClaim,
    explain: ({ passed, measured, required }) =>
      passed ? 'Cluster network has room for every host' : `Cluster network is ${measured}, needed is ${required}`,
    remedy: 'Choose a larger cluster network or a longer host prefix.',
    gate: 'ready',
  },
  {
    id: 'network-type-valid',
    category: 'network',
    checks: `The network type is one of ${NETWORK_TYPES.join(', ')} and suits the cluster.`,
    needs: [],
    claim: ({ settings }) => typeClaim(settings),
    explain: ({ passed, measured, required }) =>
      passed ? `Network type is ${measured}` : `Network type is ${measured}, needed is ${required}`,
    remedy: 'Set network_type to OVNKubernetes, or correct the setting it does not suit.',
    gate: 'ready',
  },
  {
    id: 'networks-same-address-families',
    category: 'network',
    checks: 'Cluster, service and machine networks have the same address families.',
    needs: ['requiredNetworks'],
    claim: ({ settings }) => familiesClaim(settings),
    explain: ({ passed, measured }) =>
      passed ? 'Networks have the same address families' : `Networks have different address families: ${measured}`,
    remedy: 'Give each family one service network, and cluster and machine networks of the same families.',
    gate: 'ready',
  },
];
