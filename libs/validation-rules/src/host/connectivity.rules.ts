import { compareIps, containsIp, parseCidrs, parseIp } from '@muster/addresses';
import {
  type ClusterSettingsFacts,
  isDay2Cluster,
  isMultiNodeUserManaged,
  isRouted,
  isSingleNode,
} from '../facts/cluster-settings.facts';
import {
  AUTO_ASSIGN,
  clusterOf,
  effectiveRole,
  hardwareOf,
  type HostFacts,
  isDay2Host,
  type MajorityFacts,
} from '../facts/host.facts';
import type { Disk } from '../hardware/hardware';
import { requirementsForRole } from '../hardware/host-requirements';
import { diskIdOf } from '../hardware/installation-disk';
import { broken, type Claim, fail, failBecause, type Messages, pass, passBecause, pending } from '../rule/rule';
import type { HostRule } from './host-rule';

const MAX_LISTED = 5;
const DAY_2 = 'day-2';
const isForDay2 = (facts: HostFacts): boolean => isDay2Host(facts) || isDay2Cluster(clusterOf(facts));

/** Returns the address families of the networks of a cluster. */
function familiesOf(cluster: ClusterSettingsFacts): readonly (4 | 6)[] {
  const all = [
    ...cluster.clusterNetworks.map(({ cidr }) => cidr),
    ...cluster.serviceNetworks,
    ...cluster.machineNetworks,
  ];
  return [...new Set(parseCidrs(all).map(({ family }) => family))].sort();
}

const CHECK = 'connectivity-check';

function majorityClaim(facts: HostFacts): Claim {
  const cluster = clusterOf(facts);
  const { majority, isReachReported, isSilent } = facts;
  const problem = facts.failedSteps.get(CHECK);
  // The other hosts are compared without this one.
  if (problem !== undefined && !isReachReported && !isSilent) return failBecause('step-failed', CHECK, problem);
  if (!isRouted(cluster) && cluster.machineNetworks.length === 0) return pending('awaits-machineNetworks');
  if (majority === undefined) return pending('awaits-connectivity');
  // A silent host never reports, so the groups of the other hosts decide.
  if (!isReachReported && !isSilent) return pending('awaits-connectivity');
  if (isRouted(cluster)) return routedClaim(cluster, majority);
  const missed = cluster.machineNetworks.filter((network) => !majority.groups.includes(network));
  if (missed.length === 0) return pass();
  if (!majority.hasEnoughHosts) return pending('awaits-more-hosts');
  return majority.awaitsReports ? pending('awaits-groups') : fail(missed.join(', '));
}

/** One connected host that does not reach this host is enough for a failure. A missing report is not. */
function routedClaim(cluster: ClusterSettingsFacts, majority: MajorityFacts): Claim {
  const missed = familiesOf(cluster).filter((family) => !majority.reachedFamilies.includes(family));
  if (missed.length === 0) return pass();
  if (!majority.hasEnoughHosts) return pending('awaits-more-hosts');
  const unreached = missed.filter((family) => majority.unreachedFamilies.includes(family));
  return unreached.length === 0 ? pending('awaits-groups') : fail(unreached.map((family) => `IPv${family}`).join(', '));
}

type Measure = 'latencyMs' | 'packetLossPercent';

function worstClaim(facts: HostFacts, measure: Measure, limit: number | undefined, unit: string): Claim {
  if (facts.clusterHostCount === 1) return passBecause('only-host');
  if (effectiveRole(facts.role, facts.suggestedRole) === AUTO_ASSIGN) return passBecause('no-role');
  if (limit === undefined) return pass();
  const role = effectiveRole(facts.role, facts.suggestedRole);
  const offenders = facts.weakPeers
    .filter((peer) => peer.role === role && peer[measure] > limit)
    .sort((a, b) => b[measure] - a[measure] || (a.name < b.name ? -1 : 1));
  if (offenders.length === 0) return pass();
  const listed = offenders.slice(0, MAX_LISTED).map((peer) => `${peer.name} ${peer[measure]} ${unit}`);
  const more = offenders.length > MAX_LISTED ? ` and ${offenders.length - MAX_LISTED} more` : '';
  return fail(`${listed.join(', ')}${more}`, limit);
}

/** Returns the reason why the connectivity of a host is not checked, or undefined. */
function excusedFromConnectivity(facts: HostFacts): string | undefined {
  if (isForDay2(facts)) return DAY_2;
  return isSingleNode(clusterOf(facts)) ? 'single-node' : undefined;
}

const measuredMessages = (title: string, unit: string): Messages => ({
  success: `${title} to hosts of the same role is within the limit of the role`,
  failure: {
    message: `${title} is too high: {0}, at most {1} ${unit} is allowed`,
    measured: '{0}',
    required: `{1} ${unit}`,
  },
});

function measured(
  id: HostRule['id'],
  messages: Messages,
  claim: (facts: HostFacts) => Claim,
  { checks, remedy }: Pick<HostRule, 'checks' | 'remedy'>,
): HostRule {
  return {
    id,
    measuredBy: CHECK,
    category: 'network',
    checks,
    boundOnly: true,
    excused: excusedFromConnectivity,
    needs: ['inventory'],
    claim: (facts) =>
      facts.isReachReported || facts.clusterHostCount === 1 ? claim(facts) : pending('awaits-connectivity'),
    messages,
    remedy,
    gate: 'known',
    mayFlap: true,
  };
}

export const CONNECTIVITY_RULES: readonly HostRule[] = [
  {
    id: 'belongs-to-majority-group',
    measuredBy: CHECK,
    category: 'network',
    checks:
      'The host belongs to the largest group of hosts that all reach each other: on layer 2 in every machine network. With user-managed networking or load balancing, all other hosts reach it on layer 3 in every address family.',
    boundOnly: true,
    excused: excusedFromConnectivity,
    needs: ['inventory'],
    claim: majorityClaim,
    messages: {
      success: 'The host has connectivity to the majority of hosts in the cluster',
      failure: { message: 'The host has no connectivity to the majority of hosts in {0}', measured: '{0}' },
    },
    remedy: 'Check cables, VLANs, switches and firewalls between this host and the others.',
    gate: 'known',
    mayFlap: true,
  },
  measured(
    'sufficient-network-latency-requirement-for-role',
    measuredMessages('Network latency', 'ms'),
    (facts) => worstClaim(facts, 'latencyMs', requirementsForRole(facts).networkLatencyMsMax, 'ms'),
    {
      checks: 'The network latency to hosts of the same role is within the limit of the role.',
      remedy: 'Reduce the latency between the hosts of this role, or give this host another role.',
    },
  ),
  measured(
    'sufficient-packet-loss-requirement-for-role',
    measuredMessages('Packet loss', '%'),
    (facts) => worstClaim(facts, 'packetLossPercent', requirementsForRole(facts).packetLossPercentMax, '%'),
    {
      checks: 'The packet loss to hosts of the same role is within the limit of the role.',
      remedy: 'Check the cables, ports and load between the hosts, or give this host another role.',
    },
  ),
  {
    id: 'no-ip-collisions-in-network',
    measuredBy: CHECK,
    category: 'network',
    checks: 'No other machine uses an IP address of the host.',
    boundOnly: true,
    excused: (facts) => (isForDay2(facts) ? DAY_2 : undefined),
    needs: [],
    claim: ({ collidingAddresses }) => (collidingAddresses.length === 0 ? pass() : fail(collidingAddresses.join(', '))),
    messages: {
      success: 'No IP collisions were detected by the hosts of the cluster',
      failure: { message: 'More than one machine uses IP address {0}', measured: '{0}' },
    },
    remedy: 'Give one of the machines another address, or disconnect the machine that does not belong to the network.',
    gate: 'known',
    mayFlap: true,
  },
  {
    id: 'no-iscsi-nic-belongs-to-machine-cidr',
    category: 'network',
    checks: 'The network interface of an iSCSI installation disk is in no machine network.',
    boundOnly: true,
    applies: appliesToIscsi,
    needs: ['inventory', 'machineNetworks'],
    claim: iscsiClaim,
    messages: {
      success: 'The network interface of the iSCSI installation disk is in no machine network',
      failure: {
        message: 'Network interface {0} of the iSCSI installation disk is in a machine network',
        measured: '{0}',
      },
      'no-address': 'The host address of the iSCSI session is missing',
      'no-interface': 'No interface of the host has the iSCSI address {0}',
    },
    remedy: 'Use a separate network for the iSCSI target, or choose another installation disk.',
    gate: 'known',
  },
];

/** While the installation disk is unknown, it may be an iSCSI disk. */
function appliesToIscsi(facts: HostFacts): boolean {
  const cluster = clusterOf(facts);
  if (isMultiNodeUserManaged(cluster) || isForDay2(facts) || cluster.imported) return false;
  const isKnown = facts.hardware !== undefined && cluster.machineNetworks.length > 0;
  return !isKnown || sessionsOf(facts).length > 0;
}

/** Returns the iSCSI disks that the installation disk consists of. */
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
    if (iscsiHostIpAddress === '') return broken('no-address');
    // The kernel writes an IPv6 address of a session without abbreviation.
    const session = parseIp(iscsiHostIpAddress);
    const nic = hardwareOf(facts).nics.find(({ ipv4Addresses, ipv6Addresses }) =>
      parseCidrs([...ipv4Addresses, ...ipv6Addresses]).some(
        ({ address }) => session !== undefined && compareIps(address, session) === 0,
      ),
    );
    if (!nic) return broken('no-interface', iscsiHostIpAddress);
    const isInside = parseCidrs([...nic.ipv4Addresses, ...nic.ipv6Addresses]).some((own) =>
      networks.some((network) => containsIp(network, own.address)),
    );
    if (isInside) return fail(nic.name);
  }
  return pass();
}
