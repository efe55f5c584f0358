import {
  addressBits,
  findOverlap,
  formatIp,
  formatNetwork,
  isCanonical,
  isUnspecified,
  parseCidr,
  parseCidrs,
  parseIp,
} from '@muster/addresses';
import { isAtLeast } from '@muster/validation-rules';
import { hasDerivedNetworks } from '../settings';
import type { BrokenInput, ClusterInput, ClusterInputRule } from './input-rule';

/** Minimum sizes of networks, as host bits. */
const HOST_BITS_MIN = { clusterOrService: 7, machine: 4, machineUserBalanced: 2, machineSingleNode: 1 } as const;
/** More networks than the racks of a large cluster. Each is compared with the addresses of all hosts. */
const MACHINE_NETWORKS_MAX = 128;
/** The number of hosts of the smallest cluster with several hosts. Each host needs a subnet of the cluster network. */
const HOSTS_MIN = 4;

/** Rules for networks: each is written with its first address and is large enough. */
export function brokenCidr(field: string, text: string, hostBitsMin: number): BrokenInput | undefined {
  const cidr = parseCidr(text);
  if (!cidr) return { reason: `${field} "${text}" is not a network like 192.168.1.0/24.` };
  if (isUnspecified(cidr.address))
    return { reason: `${field} "${text}" is the unspecified network. Use a network such as 192.168.1.0/24.` };
  if (!isCanonical(cidr))
    return { reason: `${field} "${text}" has host bits set. Use the network address.`, allowed: [formatNetwork(cidr)] };
  const prefixMax = addressBits(cidr.family) - hostBitsMin;
  return cidr.prefix <= prefixMax
    ? undefined
    : { reason: `${field} "${text}" is too small. The prefix length must be at most ${prefixMax}.` };
}

/** The installer refuses such networks. The connectivity of all hosts is computed for each network that they are in. */
function brokenByOverlap(texts: readonly string[]): BrokenInput | undefined {
  const [first, second] = findOverlap(parseCidrs(texts)) ?? [];
  return first && second
    ? { reason: `machine_networks ${formatNetwork(first)} and ${formatNetwork(second)} overlap. Remove one of them.` }
    : undefined;
}

const firstBroken = (broken: readonly (BrokenInput | undefined)[]): BrokenInput | undefined =>
  broken.find((one) => one !== undefined);

/** Returns whether addresses of both families are used. */
export function isDualStack({ settings }: ClusterInput): boolean {
  const cidrs = [
    ...(settings.clusterNetworks?.items ?? []).map(({ cidr }) => cidr),
    ...(settings.serviceNetworks?.items ?? []),
    ...(settings.machineNetworks?.items ?? []),
  ];
  return new Set(parseCidrs(cidrs).map(({ family }) => family)).size > 1;
}

export const NETWORK_RULES: readonly ClusterInputRule[] = [
  {
    id: 'cluster-networks-usable',
    subject: 'cluster_networks',
    fields: ['clusterNetworks'],
    check: ({ settings }) => {
      const hostsMin = settings.controlPlaneCount === 1 ? 1 : HOSTS_MIN;
      return firstBroken(
        (settings.clusterNetworks?.items ?? []).map(
          ({ cidr, hostPrefix }) =>
            brokenCidr('cluster_networks', cidr, HOST_BITS_MIN.clusterOrService) ??
            brokenHostPrefix(cidr, hostPrefix, hostsMin),
        ),
      );
    },
  },
  {
    id: 'service-networks-usable',
    subject: 'service_networks',
    fields: ['serviceNetworks'],
    check: ({ settings }) =>
      firstBroken(
        (settings.serviceNetworks?.items ?? []).map((cidr) =>
          brokenCidr('service_networks', cidr, HOST_BITS_MIN.clusterOrService),
        ),
      ),
  },
  {
    id: 'machine-networks-usable',
    subject: 'machine_networks',
    fields: ['machineNetworks'],
    check: ({ settings }) => {
      const bits =
        settings.controlPlaneCount === 1
          ? HOST_BITS_MIN.machineSingleNode
          : settings.loadBalancerType === 'user-managed'
            ? HOST_BITS_MIN.machineUserBalanced
            : HOST_BITS_MIN.machine;
      const networks = settings.machineNetworks?.items ?? [];
      if (networks.length > MACHINE_NETWORKS_MAX)
        return { reason: `machine_networks has ${networks.length} entries. Allowed: at most ${MACHINE_NETWORKS_MAX}.` };
      return (
        firstBroken(networks.map((cidr) => brokenCidr('machine_networks', cidr, bits))) ?? brokenByOverlap(networks)
      );
    },
  },
  {
    id: 'networks-start-with-one-family',
    subject: 'machine_networks',
    fields: ['clusterNetworks', 'serviceNetworks', 'machineNetworks'],
    check: ({ settings }) => {
      const first = [
        settings.clusterNetworks?.items[0]?.cidr,
        settings.serviceNetworks?.items[0],
        settings.machineNetworks?.items[0],
      ].filter((cidr) => cidr !== undefined);
      const families = new Set(parseCidrs(first).map(({ family }) => family));
      return families.size > 1
        ? {
            reason:
              'The first entries of cluster_networks, service_networks and machine_networks must have the same address family.',
          }
        : undefined;
    },
  },
  {
    id: 'machine-networks-follow-vips',
    subject: 'machine_networks',
    fields: ['machineNetworks'],
    check: (input) => {
      const { given, settings, before } = input;
      const networks = given.machineNetworks?.items ?? [];
      const isNew = networks.length > 0 && networks.join() !== (before?.machineNetworks?.items ?? []).join();
      return before && isNew && hasDerivedNetworks(input.kind, settings) && !isDualStack(input)
        ? { reason: 'machine_networks are derived from the VIPs. Set the VIPs, or let DHCP allocate them.' }
        : undefined;
    },
  },
];

function brokenHostPrefix(text: string, hostPrefix: number, hostsMin: number): BrokenInput | undefined {
  const cidr = parseCidr(text);
  if (!cidr) return undefined;
  const prefixMax = addressBits(cidr.family) - HOST_BITS_MIN.clusterOrService;
  const prefixMin = cidr.prefix + Math.log2(hostsMin);
  return hostPrefix >= Math.max(1, prefixMin) && hostPrefix <= prefixMax
    ? undefined
    : {
        reason: `host_prefix ${hostPrefix} of cluster network ${text} must be between ${prefixMin} and ${prefixMax}, so that every host receives a subnet.`,
      };
}

const MAX_VIPS = 2;
const DUAL_STACK_SINCE = '4.12';
const FIELDS = ['apiVips', 'ingressVips', 'vipDhcpAllocation', 'userManagedNetworking', 'loadBalancerType'] as const;

const vipsOf = ({
  settings,
}: ClusterInput): { readonly api: readonly string[]; readonly ingress: readonly string[] } => ({
  api: settings.apiVips?.items ?? [],
  ingress: settings.ingressVips?.items ?? [],
});

const canonical = (text: string): string => {
  const address = parseIp(text);
  return address ? formatIp(address) : text;
};

/** Creates the rules that API VIPs and ingress VIPs share. */
function listRule(kind: 'api' | 'ingress'): ClusterInputRule {
  const field = `${kind}_vips`;
  return {
    id: `${kind}-vips-usable`,
    subject: field,
    fields: [kind === 'api' ? 'apiVips' : 'ingressVips'],
    check: (input) => {
      const vips = vipsOf(input)[kind];
      const wrong = vips.find((vip) => !parseIp(vip));
      if (wrong !== undefined) return { reason: `${field} "${wrong}" is not an address.` };
      if (vips.length > MAX_VIPS) return { reason: `${field} must have at most ${MAX_VIPS} addresses.` };
      const families = vips.map((vip) => parseIp(vip)?.family);
      if (new Set(families).size < families.length)
        return { reason: `${field} must not have two addresses of one family. Use one IPv4 and one IPv6 address.` };
      if (vips.length === MAX_VIPS && !isAtLeast(input.settings.openshiftVersion ?? '', DUAL_STACK_SINCE))
        return { reason: `Two ${field} require version ${DUAL_STACK_SINCE} or later.` };
      return undefined;
    },
  };
}

export const VIP_RULES: readonly ClusterInputRule[] = [
  {
    id: 'vips-not-user-managed',
    subject: 'api_vips',
    fields: FIELDS,
    check: (input) => {
      const { settings, given } = input;
      const isGiven = (given.apiVips?.items.length ?? 0) + (given.ingressVips?.items.length ?? 0) > 0;
      // The VIPs of a single node are the addresses of the node.
      if (settings.controlPlaneCount === 1) return undefined;
      if (isGiven && settings.userManagedNetworking)
        return { reason: 'VIPs are not used with user-managed networking. Omit them.' };
      if (isGiven && settings.vipDhcpAllocation)
        return { reason: 'DHCP allocates the VIPs. Omit them, or set vip_dhcp_allocation to false.' };
      return undefined;
    },
  },
  {
    id: 'dhcp-not-user-managed',
    subject: 'vip_dhcp_allocation',
    fields: ['vipDhcpAllocation', 'userManagedNetworking'],
    check: ({ settings }) =>
      settings.vipDhcpAllocation && settings.userManagedNetworking
        ? { reason: 'vip_dhcp_allocation cannot be used with user-managed networking, which has no VIPs.' }
        : undefined,
  },
  listRule('api'),
  listRule('ingress'),
  {
    id: 'as-many-api-as-ingress-vips',
    subject: 'ingress_vips',
    fields: ['apiVips', 'ingressVips'],
    check: (input) => {
      const { api, ingress } = vipsOf(input);
      // The two lists may be set in separate requests.
      return api.length > 0 && ingress.length > 0 && api.length !== ingress.length
        ? {
            reason: `There are ${api.length} api_vips and ${ingress.length} ingress_vips. Their numbers must be equal.`,
          }
        : undefined;
    },
  },
  {
    id: 'vips-differ',
    subject: 'ingress_vips',
    fields: ['apiVips', 'ingressVips', 'loadBalancerType'],
    check: (input) => {
      if (input.settings.loadBalancerType === 'user-managed' || input.settings.controlPlaneCount === 1)
        return undefined;
      const { api, ingress } = vipsOf(input);
      const taken = new Set(api.map(canonical));
      const twice = ingress.find((vip) => taken.has(canonical(vip)));
      return twice === undefined
        ? undefined
        : { reason: `${twice} is both an API VIP and an ingress VIP. Use separate addresses.` };
    },
  },
  {
    id: 'vips-start-with-network-family',
    subject: 'api_vips',
    fields: ['apiVips', 'ingressVips', 'clusterNetworks', 'serviceNetworks', 'machineNetworks'],
    check: (input) => {
      const { api, ingress } = vipsOf(input);
      const first = [api[0], ingress[0]].map((vip) => parseIp(vip ?? '')?.family).filter((one) => one !== undefined);
      if (new Set(first).size > 1)
        return { reason: 'The first entries of api_vips and ingress_vips must have the same address family.' };
      // The machine networks, which follow the VIPs, must have the order of the other networks. A single node sets its VIPs itself.
      const { clusterNetworks, controlPlaneCount } = input.settings;
      const family = parseCidr(clusterNetworks?.items[0]?.cidr ?? '')?.family;
      if (!family || controlPlaneCount === 1 || !isDualStack(input) || first.every((one) => one === family))
        return undefined;
      return {
        reason: `The first entries of api_vips and ingress_vips must be IPv${family} addresses, because cluster_networks begins with an IPv${family} network.`,
      };
    },
  },
];
