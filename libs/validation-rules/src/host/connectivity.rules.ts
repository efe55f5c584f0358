import { containsIp, parseCidrs } from '@muster/addresses';
import {
  type ClusterSettingsFacts,
  isDay2Cluster,
  isLoadBalancerUserManaged,
  isMultiNodeUserManaged,
  isSingleNode,
} from '../facts/cluster-settings.facts';
import { clusterOf, hardwareOf, type HostFacts, isBound, isDay2Host } from '../facts/host.facts';
import { diskIdOf } from '../hardware/disk-eligibility';
import type { Disk } from '../hardware/hardware';
import { requirementsForRole } from '../hardware/host-requirements';
import { AUTO_ASSIGN, effectiveRole } from '../roles/effective-role';
import { broken, type Claim, fail, pass, passIf, pending } from '../rule/rule';
import type { HostRule } from './host-rule';

const MAX_LISTED = 5;
const DAY_2 = 'Not checked when adding hosts to an installed cluster';
const isForDay2 = (facts: HostFacts): boolean => isDay2Host(facts) || isDay2Cluster(clusterOf(facts));

const isRouted = (cluster: ClusterSettingsFacts): boolean =>
  cluster.userManagedNetworking || isLoadBalancerUserManaged(cluster);

/** Address families that the networks of a cluster have. */
function familiesOf(cluster: ClusterSettingsFacts): readonly (4 | 6)[] {
  const all = [
    ...cluster.clusterNetworks.map(({ cidr }) => cidr),
    ...cluster.serviceNetworks,
    ...cluster.machineNetworks,
  ];
  return [...new Set(parseCidrs(all).map(({ family }) => family))].sort();
}

function majorityClaim(facts: HostFacts): Claim {
  const cluster = clusterOf(facts);
  if (!isRouted(cluster) && cluster.machineNetworks.length === 0)
    return pending("Waiting for the cluster's machine network");
  const { majority, isReachReported } = facts;
  if (majority === undefined || !isReachReported) return pending('Waiting for the hosts to try to reach each other');
  const missed = isRouted(cluster)
    ? familiesOf(cluster)
        .filter((family) => !majority.reachedFamilies.includes(family))
        .map((family) => `IPv${family}`)
    : cluster.machineNetworks.filter((network) => !majority.groups.includes(network));
  if (missed.length === 0) return pass();
  return majority.hasEnoughHosts ? fail(missed.join(', ')) : pending('Waiting for more hosts to compare with');
}

type Measure = 'latencyMs' | 'packetLossPercent';

function worstClaim(facts: HostFacts, measure: Measure, limit: number | undefined, unit: string): Claim {
  if (limit === undefined) return pass();
  const role = effectiveRole(facts.role, facts.suggestedRole);
  const offenders = facts.weakPeers
    .filter((peer) => peer.role === role && peer[measure] > limit)
    .sort((a, b) => b[measure] - a[measure] || (a.name < b.name ? -1 : 1));
  if (offenders.length === 0) return pass('', `${limit} ${unit}`);
  const listed = offenders.slice(0, MAX_LISTED).map((peer) => `${peer.name} ${peer[measure]} ${unit}`);
  const more = offenders.length > MAX_LISTED ? ` and ${offenders.length - MAX_LISTED} more` : '';
  return fail(`${listed.join(', ')}${more}`, `${limit} ${unit}`);
}

/** Why a host's ways to others are not measured, or undefined. */
function excusedFromMeasures(facts: HostFacts): string | undefined {
  if (isForDay2(facts)) return DAY_2;
  if (isSingleNode(clusterOf(facts)) || facts.clusterHostCount === 1) return 'There is no other host to reach';
  return effectiveRole(facts.role, facts.suggestedRole) === AUTO_ASSIGN ? 'The host has no role yet' : undefined;
}

function measured(id: HostRule['id'], title: string, claim: (facts: HostFacts) => Claim, remedy: string): HostRule {
  return {
    id,
    category: 'network',
    checks: `${title} towards hosts of the same role is at most what the role allows.`,
    applies: isBound,
    excused: excusedFromMeasures,
    needs: ['inventory'],
    claim: (facts) =>
      facts.isReachReported ? claim(facts) : pending('Waiting for the host to try to reach the others'),
    explain: ({ passed, measured: found, required }) =>
      passed
        ? `${title} towards hosts of the same role is low enough`
        : `${title} is too high: ${found}; allowed are ${required}`,
    remedy,
    gate: 'known',
    comesAndGoes: true,
  };
}

export const CONNECTIVITY_RULES: readonly HostRule[] = [
  {
    id: 'belongs-to-majority-group',
    category: 'network',
    checks:
      'The host is one of the largest group of hosts of which each reaches each: on layer 2 in every machine network; with user-managed networking or load balancing, all others reach it on layer 3 in every address family.',
    applies: isBound,
    excused: (facts) => {
      if (isForDay2(facts)) return DAY_2;
      return isSingleNode(clusterOf(facts)) ? 'There is no other host to reach' : undefined;
    },
    needs: ['inventory'],
    claim: majorityClaim,
    explain: ({ passed, measured: found }) =>
      passed ? 'Host reaches the other hosts' : `Host is cut off from most other hosts in ${found}`,
    remedy: 'Check cables, VLANs, switches and firewalls between this host and the others.',
    gate: 'known',
    comesAndGoes: true,
  },
  measured(
    'sufficient-network-latency-requirement-for-role',
    'Network latency',
    (facts) => worstClaim(facts, 'latencyMs', requirementsForRole(facts).networkLatencyMsMax, 'ms'),
    'Bring the hosts of this role closer to each other in the network, or give this host another role.',
  ),
  measured(
    'sufficient-packet-loss-requirement-for-role',
    'Packet loss',
    (facts) => worstClaim(facts, 'packetLossPercent', requirementsForRole(facts).packetLossPercentMax, '%'),
    'Check for bad cables, ports or overload between the hosts, or give this host another role.',
  ),
  {
    id: 'no-ip-collisions-in-network',
    category: 'network',
    checks: 'No other machine answers on an address of the host.',
    applies: isBound,
    excused: (facts) => (isForDay2(facts) ? DAY_2 : undefined),
    needs: [],
    claim: ({ collidingAddresses }) => passIf(collidingAddresses.length === 0, collidingAddresses.join(', ')),
    explain: ({ passed, measured: found }) =>
      passed ? 'Addresses of the host are its own' : `More than one machine answers on ${found}`,
    remedy: 'Give one of the machines another address, or take the one that does not belong there off the network.',
    gate: 'known',
    comesAndGoes: true,
  },
  {
    id: 'no-iscsi-nic-belongs-to-machine-cidr',
    category: 'network',
    checks: 'The network card that an iSCSI installation disk is reached through is in no machine network.',
    applies: appliesToIscsi,
    needs: ['inventory', 'machineNetworks'],
    claim: iscsiClaim,
    explain: ({ passed, measured: found }) =>
      passed ? 'Installation disk is not reached through a machine network' : `iSCSI goes through ${found}`,
    remedy: 'Reach the iSCSI target through a network of its own, or choose another installation disk.',
    gate: 'known',
  },
];

/** While it is not known what disk the host has, it may be one. */
function appliesToIscsi(facts: HostFacts): boolean {
  const cluster = clusterOf(facts);
  if (!isBound(facts) || isMultiNodeUserManaged(cluster) || isForDay2(facts) || cluster.imported) return false;
  const isKnown = facts.hardware !== undefined && cluster.machineNetworks.length > 0;
  return !isKnown || sessionsOf(facts).length > 0;
}

/** The iSCSI disks that the installation disk is, or is made of. */
function sessionsOf({ hardware, installationDiskId }: HostFacts): readonly Disk[] {
  const disk = hardware?.disks.find((one) => diskIdOf(one) === installationDiskId);
  if (disk?.driveType === 'iSCSI') return [disk];
  if (!hardware || disk?.driveType !== 'Multipath') return [];
  return hardware.disks.filter(
    ({ driveType, holders }) => driveType === 'iSCSI' && holders.split(',').includes(disk.name),
  );
}

function iscsiClaim(facts: HostFacts): Claim {
  const networks = parseCidrs(clusterOf(facts).machineNetworks);
  for (const { iscsiHostIpAddress } of sessionsOf(facts)) {
    if (iscsiHostIpAddress === '') return broken('The host address of the iSCSI session is missing');
    const nic = hardwareOf(facts).nics.find(({ ipv4Addresses, ipv6Addresses }) =>
      [...ipv4Addresses, ...ipv6Addresses].some((address) => address.split('/')[0] === iscsiHostIpAddress),
    );
    if (!nic) return broken(`No interface of the host has the iSCSI address ${iscsiHostIpAddress}`);
    const isInside = parseCidrs([...nic.ipv4Addresses, ...nic.ipv6Addresses]).some((own) =>
      networks.some((network) => containsIp(network, own.address)),
    );
    if (isInside) return fail(`${nic.name}, which is in a machine network`);
  }
  return pass();
}
