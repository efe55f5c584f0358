import {
  type Cidr,
  containsIp,
  findOverlap,
  formatNetwork,
  isLinkLocal,
  isSameNetwork,
  parseCidrs,
  parseIp,
} from '@muster/addresses';
import {
  isDay2Cluster,
  isLoadBalancerUserManaged,
  isMultiNodeUserManaged,
  isRouted,
  isSingleNode,
} from '../facts/cluster-settings.facts';
import { clusterOf, hardwareOf, type HostFacts, isDay2Host } from '../facts/host.facts';
import { defaultRoutes } from '../facts/machine-networks';
import { cidrsOf } from '../hardware/hardware';
import { fail, failBecause, pass, passIf, pending, SUPPRESSED } from '../rule/rule';
import type { HostRule } from './host-rule';

const MAX_LISTED = 5;
const listed = (texts: readonly string[]): string =>
  texts.length <= MAX_LISTED
    ? texts.join(', ')
    : `${texts.slice(0, MAX_LISTED).join(', ')} and ${texts.length - MAX_LISTED} more`;

/** Returns the reason why a host may be outside the machine networks, or undefined. */
function excusedFromMachineNetwork(facts: HostFacts): string | undefined {
  const cluster = clusterOf(facts);
  if (isDay2Cluster(cluster)) return 'day-2';
  const isFree = isMultiNodeUserManaged(cluster) && (!facts.isBootstrap || cluster.machineNetworks.length === 0);
  return isFree ? 'user-managed-networking' : undefined;
}

/** Returns the subnets of the host, each once per interface. */
function subnetsOf(facts: HostFacts): readonly Cidr[] {
  return hardwareOf(facts).nics.flatMap((nic) => {
    const subnets = new Map<string, Cidr>();
    for (const cidr of parseCidrs([...nic.ipv4Addresses, ...nic.ipv6Addresses])) {
      if (!isLinkLocal(cidr.address)) subnets.set(formatNetwork(cidr), cidr);
    }
    return [...subnets.values()];
  });
}

/**
 * Returns the paths that lose packets between the hosts of the cluster. With cluster-managed networking, traffic of the cluster uses
 * only the machine networks. A storage network may have another MTU. An agent also measures from a storage interface to the addresses
 * in the machine networks, so both ends are compared.
 */
function failedPaths(facts: HostFacts, failures: NonNullable<HostFacts['mtuFailures']>): typeof failures {
  const cluster = clusterOf(facts);
  if (isRouted(cluster)) return failures;
  const networks = parseCidrs(cluster.machineNetworks);
  const { nics } = hardwareOf(facts);
  return failures.filter(({ nic, remoteAddress }) => {
    const remote = parseIp(remoteAddress);
    const { ipv4Addresses = [], ipv6Addresses = [] } = nics.find(({ name }) => name === nic) ?? {};
    const own = parseCidrs([...ipv4Addresses, ...ipv6Addresses]);
    return networks.some(
      (network) => remote && containsIp(network, remote) && own.some(({ address }) => containsIp(network, address)),
    );
  });
}

export const NETWORK_RULES: readonly HostRule[] = [
  {
    id: 'machine-cidr-defined',
    category: 'network',
    checks: 'The cluster has a machine network. Not required with user-managed networking or on day 2.',
    boundOnly: true,
    initial: fail(),
    excused: (facts) => {
      const cluster = clusterOf(facts);
      if (isDay2Cluster(cluster)) return 'day-2';
      return cluster.userManagedNetworking ? 'user-managed-networking' : undefined;
    },
    needs: [],
    claim: (facts) => passIf(clusterOf(facts).machineNetworks.length > 0),
    messages: {
      success: 'The cluster has a machine network',
      failure: 'The cluster has no machine network yet',
    },
    remedy: 'Set the API and ingress VIPs or the machine network of the cluster.',
    gate: 'input',
  },
  {
    id: 'belongs-to-machine-cidr',
    category: 'network',
    checks: 'The host has an address in every machine network (in one of them with a user-managed load balancer).',
    boundOnly: true,
    excused: excusedFromMachineNetwork,
    needs: ['inventory', 'machineNetworks'],
    claim: (facts) => {
      const cluster = clusterOf(facts);
      const own = cidrsOf(hardwareOf(facts));
      const networks = parseCidrs(cluster.machineNetworks);
      const missed = networks.filter((network) => !own.some(({ address }) => containsIp(network, address)));
      const belongs = isLoadBalancerUserManaged(cluster) ? missed.length < networks.length : missed.length === 0;
      if (belongs && networks.length > 0) return pass();
      return fail(missed.map(formatNetwork).join(', '), cluster.machineNetworks.join(', '));
    },
    messages: {
      success: 'The host has an address in the machine networks of the cluster',
      failure: {
        message: 'The host has no address in machine network {0}',
        measured: 'no address in {0}',
        required: 'an address in {1}',
      },
    },
    remedy: 'Connect the host to the machine network, or correct the network settings of the cluster or the host.',
    gate: 'known',
  },
  {
    id: 'has-default-route',
    category: 'network',
    checks: 'The host has a default route with a gateway.',
    needs: ['inventory'],
    claim: (facts) => {
      const [route] = defaultRoutes(hardwareOf(facts));
      return route ? pass(route.gateway) : fail();
    },
    messages: {
      success: { message: 'The host has a default route through {0}', measured: '{0}' },
      failure: 'The host has no default route',
    },
    remedy: 'Configure a gateway in DHCP or in the static network settings.',
    gate: 'known',
    mayFlap: true,
  },
  {
    id: 'non-overlapping-subnets',
    category: 'network',
    checks: 'No two subnets of the host overlap, within the address families of the cluster and service networks.',
    boundOnly: true,
    needs: ['inventory'],
    claim: (facts) => {
      const cluster = clusterOf(facts);
      const used = parseCidrs([...cluster.clusterNetworks.map(({ cidr }) => cidr), ...cluster.serviceNetworks]);
      const families = new Set(used.map(({ family }) => family));
      const overlap = findOverlap(subnetsOf(facts).filter(({ family }) => families.has(family)));
      if (!overlap) return pass();
      const [first, second] = overlap;
      return isSameNetwork(first, second)
        ? failBecause('same-subnet', formatNetwork(first))
        : fail(formatNetwork(first), formatNetwork(second));
    },
    messages: {
      success: 'The subnets of the host do not overlap',
      failure: { message: 'The subnets {0} and {1} of the host overlap', measured: '{0} and {1}' },
      'same-subnet': { message: 'Two interfaces of the host are in subnet {0}', measured: '{0} on two interfaces' },
    },
    remedy: 'Put each interface of the host into a separate subnet.',
    gate: 'known',
  },
  {
    id: 'ignition-downloadable',
    measuredBy: 'api-vip-connectivity-check',
    category: 'network',
    checks: 'On day 2, the host can download the Ignition config of its role from the installed cluster.',
    initial: SUPPRESSED,
    applies: isDay2Host,
    needs: [],
    claim: ({ isIgnitionDownloaded }) =>
      isIgnitionDownloaded === undefined ? pending('awaits-download') : passIf(isIgnitionDownloaded),
    messages: {
      success: 'The host can download the Ignition config of the installed cluster',
      failure: 'The host cannot download the Ignition config of the installed cluster',
      'awaits-download': 'Waiting for the host to download the Ignition config of the installed cluster',
    },
    remedy:
      'Check that the host resolves and reaches the API address of the installed cluster on port 22624 (22623 with TLS).',
    gate: 'known',
    mayFlap: true,
  },
  {
    id: 'mtu-valid',
    measuredBy: 'connectivity-check',
    category: 'network',
    checks:
      'Packets of the full MTU reach the other hosts. With cluster-managed networking, only the machine networks count.',
    boundOnly: true,
    applies: (facts) => !isSingleNode(clusterOf(facts)),
    excused: (facts) => (isDay2Host(facts) ? 'day-2' : undefined),
    needs: ['inventory'],
    claim: (facts) => {
      if (facts.mtuFailures === undefined) return pending('awaits-connectivity');
      const paths = failedPaths(facts, facts.mtuFailures);
      const failures = paths.map(({ nic, remoteAddress }) => `${nic} to ${remoteAddress}`);
      return failures.length === 0 ? pass() : fail(listed(failures));
    },
    messages: {
      success: 'Packets of the full MTU reach the other hosts',
      failure: { message: 'Packets of the full MTU are lost from {0}', measured: '{0}' },
    },
    remedy: 'Set the same MTU on the interfaces of all hosts and on the switches between them.',
    gate: 'none',
    mayFlap: true,
  },
];
