import { containsIp, findOverlap, formatNetwork, isSameNetwork, parseCidrs, type Cidr } from '@muster/addresses';
import { isLinkLocal } from '@muster/addresses';
import {
  isDay2Cluster,
  isLoadBalancerUserManaged,
  isMultiNodeUserManaged,
  isSingleNode,
} from '../facts/cluster-settings.facts';
import { clusterOf, hardwareOf, type HostFacts, isBound, isDay2Host } from '../facts/host.facts';
import { addressesOf } from '../hardware/hardware';
import { defaultRoutes } from '../networks/default-routes';
import { fail, pass, passIf, pending } from '../rule/rule';
import type { HostRule } from './host-rule';

const MAX_LISTED = 5;
const listed = (texts: readonly string[]): string =>
  texts.length <= MAX_LISTED
    ? texts.join(', ')
    : `${texts.slice(0, MAX_LISTED).join(', ')} and ${texts.length - MAX_LISTED} more`;

/** Why a host need not be in a machine network, or undefined. */
function excusedFromMachineNetwork(facts: HostFacts): string | undefined {
  const cluster = clusterOf(facts);
  if (isDay2Cluster(cluster)) return 'Not needed when adding hosts to an installed cluster';
  const isFree = isMultiNodeUserManaged(cluster) && (!facts.isBootstrap || cluster.machineNetworks.length === 0);
  return isFree ? 'Not needed with user-managed networking' : undefined;
}

/** Subnets of the host, each once per interface. */
function subnetsOf(facts: HostFacts): readonly Cidr[] {
  return hardwareOf(facts).nics.flatMap((nic) => {
    const subnets = new Map<string, Cidr>();
    for (const cidr of parseCidrs([...nic.ipv4Addresses, ...nic.ipv6Addresses])) {
      if (!isLinkLocal(cidr.address)) subnets.set(formatNetwork(cidr), cidr);
    }
    return [...subnets.values()];
  });
}

export const NETWORK_RULES: readonly HostRule[] = [
  {
    id: 'machine-cidr-defined',
    category: 'network',
    checks: 'The cluster has a machine network; not needed with user-managed networking or on day 2.',
    applies: isBound,
    excused: (facts) => {
      const cluster = clusterOf(facts);
      if (isDay2Cluster(cluster)) return 'Not needed when adding hosts to an installed cluster';
      return cluster.userManagedNetworking ? 'Not needed with user-managed networking' : undefined;
    },
    needs: [],
    claim: (facts) => passIf(clusterOf(facts).machineNetworks.length > 0, clusterOf(facts).machineNetworks.join(', ')),
    explain: ({ passed, measured }) =>
      passed ? `Machine network is ${measured}` : 'Machine network of the cluster is not known',
    remedy: 'Give the cluster its API and ingress VIPs, or a machine network.',
    gate: 'input',
  },
  {
    id: 'belongs-to-machine-cidr',
    category: 'network',
    checks: 'The host has an address in every machine network (in one of them with a user-managed load balancer).',
    applies: isBound,
    excused: excusedFromMachineNetwork,
    needs: ['inventory', 'machineNetworks'],
    claim: (facts) => {
      const cluster = clusterOf(facts);
      const own = parseCidrs(addressesOf(hardwareOf(facts)));
      const networks = parseCidrs(cluster.machineNetworks);
      const missed = networks.filter((network) => !own.some(({ address }) => containsIp(network, address)));
      const belongs = isLoadBalancerUserManaged(cluster) ? missed.length < networks.length : missed.length === 0;
      return passIf(
        belongs && networks.length > 0,
        missed.map(formatNetwork).join(', '),
        cluster.machineNetworks.join(', '),
      );
    },
    explain: ({ passed, measured, required }) =>
      passed ? `Host has an address in ${required}` : `Host has no address in ${measured}`,
    remedy: 'Connect the host to the machine network, or correct the network settings of the cluster or the host.',
    gate: 'known',
  },
  {
    id: 'has-default-route',
    category: 'network',
    checks: 'There is a route to everywhere through a gateway.',
    needs: ['inventory'],
    claim: (facts) =>
      passIf(defaultRoutes(hardwareOf(facts)).length > 0, defaultRoutes(hardwareOf(facts))[0]?.gateway ?? ''),
    explain: ({ passed, measured }) =>
      passed ? `Default route goes through ${measured}` : 'Host has no default route',
    remedy: 'Let DHCP hand out a gateway, or configure one in the static network settings.',
    gate: 'known',
    comesAndGoes: true,
  },
  {
    id: 'non-overlapping-subnets',
    category: 'network',
    checks: "No two subnets of the host overlap, within the address families that the cluster's networks use.",
    applies: isBound,
    needs: ['inventory'],
    claim: (facts) => {
      const cluster = clusterOf(facts);
      const used = parseCidrs([...cluster.clusterNetworks.map(({ cidr }) => cidr), ...cluster.serviceNetworks]);
      const families = new Set(used.map(({ family }) => family));
      const overlap = findOverlap(subnetsOf(facts).filter(({ family }) => families.has(family)));
      if (!overlap) return pass();
      const [first, second] = overlap;
      return fail(
        isSameNetwork(first, second)
          ? `${formatNetwork(first)} on two interfaces`
          : `${formatNetwork(first)} and ${formatNetwork(second)}`,
      );
    },
    explain: ({ passed, measured }) => (passed ? 'Subnets of the host do not overlap' : `Subnets overlap: ${measured}`),
    remedy: 'Give each interface of the host a subnet of its own.',
    gate: 'known',
  },
  {
    id: 'ignition-downloadable',
    category: 'network',
    checks: 'On day 2: the host can fetch the ignition of its role from the installed cluster.',
    applies: isDay2Host,
    needs: [],
    claim: ({ isIgnitionDownloaded }) =>
      isIgnitionDownloaded === undefined
        ? pending('Waiting for the host to fetch the ignition of the installed cluster')
        : passIf(isIgnitionDownloaded),
    explain: ({ passed }) =>
      passed
        ? 'Ignition of the installed cluster can be fetched'
        : 'Ignition of the installed cluster cannot be fetched',
    remedy:
      'Check that the host resolves and reaches the API address of the installed cluster on port 22624 (22623 with TLS).',
    gate: 'known',
    comesAndGoes: true,
  },
  {
    id: 'mtu-valid',
    category: 'network',
    checks: 'Packets of the full MTU reach the other hosts.',
    applies: (facts) => isBound(facts) && !isSingleNode(clusterOf(facts)),
    excused: (facts) => (isDay2Host(facts) ? 'Not checked when adding hosts to an installed cluster' : undefined),
    needs: ['inventory'],
    claim: ({ mtuFailures }) => {
      if (mtuFailures === undefined) return pending('Waiting for the host to try to reach the others');
      const failures = mtuFailures.map(({ nic, remoteAddress }) => `${nic} to ${remoteAddress}`);
      return passIf(failures.length === 0, listed(failures));
    },
    explain: ({ passed, measured }) => (passed ? 'MTU is sound' : `Full-size packets get lost: ${measured}`),
    remedy: 'Set the same MTU on the interfaces of all hosts and on the switches between them.',
    gate: 'none',
    comesAndGoes: true,
  },
];
