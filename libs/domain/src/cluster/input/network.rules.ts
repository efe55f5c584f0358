import { addressBits, formatNetwork, isCanonical, isUnspecified, parseCidr, parseCidrs } from '@muster/addresses';
import type { BrokenInput, ClusterInput, ClusterInputRule } from './input-rule';

/** Smallest sizes, as bits that have to be left for addresses. */
const HOST_BITS_MIN = { clusterOrService: 7, machine: 4, machineUserBalanced: 2, machineSingleNode: 1 } as const;
/** A cluster network has to hold a part per host of the smallest cluster. */
const HOSTS_MIN = 4;

/** A network is written by its first address and is large enough. */
export function brokenCidr(field: string, text: string, hostBitsMin: number): BrokenInput | undefined {
  const cidr = parseCidr(text);
  if (!cidr) return { reason: `${field} "${text}" is not a network like 192.168.1.0/24.` };
  if (isUnspecified(cidr.address)) return { reason: `${field} "${text}" is not a network that machines can be in.` };
  if (!isCanonical(cidr)) return { reason: `${field} "${text}" has host bits set.`, allowed: [formatNetwork(cidr)] };
  const prefixMax = addressBits(cidr.family) - hostBitsMin;
  return cidr.prefix <= prefixMax
    ? undefined
    : { reason: `${field} "${text}" is too small: its prefix may be at most ${prefixMax}.` };
}

const firstBroken = (broken: readonly (BrokenInput | undefined)[]): BrokenInput | undefined =>
  broken.find((one) => one !== undefined);

/** Are addresses of both families in play? */
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
    check: ({ settings }) =>
      firstBroken(
        (settings.clusterNetworks?.items ?? []).map(
          ({ cidr, hostPrefix }) =>
            brokenCidr('cluster_networks', cidr, HOST_BITS_MIN.clusterOrService) ?? brokenHostPrefix(cidr, hostPrefix),
        ),
      ),
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
      return firstBroken(
        (settings.machineNetworks?.items ?? []).map((cidr) => brokenCidr('machine_networks', cidr, bits)),
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
              'cluster_networks, service_networks and machine_networks have to begin with the same address family.',
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
      const isDerived =
        !settings.userManagedNetworking &&
        !settings.vipDhcpAllocation &&
        settings.loadBalancerType !== 'user-managed' &&
        input.kind === 'Cluster';
      const isNew =
        given.machineNetworks !== undefined &&
        given.machineNetworks.items.join() !== (before?.machineNetworks?.items ?? []).join();
      return before && isNew && isDerived && !isDualStack(input)
        ? { reason: 'machine_networks follow from the VIPs: give the VIPs, or let DHCP allocate them.' }
        : undefined;
    },
  },
];

function brokenHostPrefix(text: string, hostPrefix: number): BrokenInput | undefined {
  const cidr = parseCidr(text);
  if (!cidr) return undefined;
  const prefixMax = addressBits(cidr.family) - HOST_BITS_MIN.clusterOrService;
  const prefixMin = cidr.prefix + Math.log2(HOSTS_MIN);
  return hostPrefix >= Math.max(1, prefixMin) && hostPrefix <= prefixMax
    ? undefined
    : {
        reason: `host_prefix ${hostPrefix} of cluster network ${text} has to be between ${prefixMin} and ${prefixMax}, so that every host gets a part.`,
      };
}
