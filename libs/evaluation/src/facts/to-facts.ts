import { verifyByFreeAddresses } from '@muster/addresses';
import type { Plain, VipVerification } from '@muster/contracts';
import { NO_SHAPE } from '@muster/operators';
import {
  cidrsOf,
  type ClusterFacts,
  type ClusterHostFacts,
  type ClusterSettingsFacts,
  effectiveRole,
  hasCores,
  hasMemory,
  type HostFacts,
  type HostRequirements,
  isRouted,
  isSingleNode,
  requirementsForRole,
  requirementsOf,
  type RulesPolicy,
  type WeakPeer,
} from '@muster/validation-rules';
import { majorityHostsMinOf } from './affected-hosts';
import type { FactsView } from './facts-view';
import { type ClusterEntry, type HostEntry, isAbsent, nameOf } from './view-entries';

/** Returns the facts of one host that its rules read. */
export function toHostFacts(entry: HostEntry, view: FactsView, policy: RulesPolicy): HostFacts {
  const { state, reports } = entry;
  const cluster = view.cluster(state.clusterId);
  const infraEnv = view.infraEnv(state.infraEnvId)?.state.settings;
  const facts: HostFacts = {
    policy,
    cluster: cluster?.facts,
    shape: cluster?.shape ?? NO_SHAPE,
    infraEnvVersion: infraEnv?.openshiftVersion ?? '',
    infraEnvHasNtpSources: Boolean(infraEnv?.ntpSources || infraEnv?.additionalNtpSources),
    kind: state.kind,
    stage: state.progress.stage,
    isSilent: state.isSilent,
    isMediaConnected: state.isMediaConnected,
    agentVersion: state.agentVersion,
    clockOffsetSeconds: reports.clockOffsetSeconds,
    requestedHostname: state.requestedHostname,
    hasDuplicateName: cluster !== undefined && (view.combinedOf(cluster).names.get(nameOf(entry))?.size ?? 0) > 1,
    role: state.role,
    suggestedRole: state.suggestedRole,
    isBootstrap: state.isBootstrap,
    installationDiskId: state.installationDisk.id,
    installationDiskPath: state.installationDisk.path,
    skipFormattingDisks: listOf(state.settings.skipFormattingDisks),
    installerArgs: argumentsOf(state.settings.installerArgs),
    hardware: reports.hardware,
    diskSpeeds: reports.diskSpeeds,
    images: reports.images,
    ntpSources: reports.ntpSources,
    isIgnitionDownloaded: reports.isIgnitionDownloaded,
    mtuFailures: reports.mtuFailures,
    resolutions: reports.resolutions,
    failedSteps: reports.failedSteps,
    isTangReached: reports.isTangReached,
    workerEncryption: reports.workerEncryption,
    workerNetworking: reports.workerNetworking,
    clusterHostCount: cluster?.hostKeys.size ?? 0,
    isReachReported: reports.reaches !== undefined && !(cluster && view.combinedOf(cluster).leftOut.has(entry.key)),
    majority: cluster && majorityOf(state.hostId, cluster, view),
    weakPeers: [],
    collidingAddresses: cluster ? view.collisionsOf(cluster, entry) : [],
  };
  if (!cluster || reports.weakReaches.length === 0) return facts;
  return { ...facts, weakPeers: weakPeersOf(entry, cluster, view, requirementsForRole(facts)) };
}

function majorityOf(hostId: string, cluster: ClusterEntry, view: FactsView): HostFacts['majority'] {
  const { groups, members, checkedHosts } = view.presentGroups(cluster);
  if (groups === undefined) return undefined;
  const { connectivity } = view.combinedOf(cluster);
  const isWithRouters = isRouted(cluster.facts);
  const comparedHosts = isWithRouters ? cluster.hostKeys.size : checkedHosts;
  return {
    groups: [...members].filter(([, hosts]) => hosts.has(hostId)).map(([network]) => network),
    reachedFamilies: connectivity.reachedFamilies(hostId),
    unreachedFamilies: isWithRouters ? connectivity.unreachedFamilies(hostId) : [],
    hasEnoughHosts: comparedHosts >= majorityHostsMinOf(cluster, view),
    awaitsReports: cluster.awaitsReports,
  };
}

/** Only what exceeds a limit is looked up: in a cluster of several sites, each host may have hundreds of slow connections. */
function weakPeersOf(
  { reports }: HostEntry,
  cluster: ClusterEntry,
  view: FactsView,
  { networkLatencyMsMax = Infinity, packetLossPercentMax = Infinity }: HostRequirements,
): readonly WeakPeer[] {
  const weak: WeakPeer[] = [];
  for (const { hostId, latencyMs, packetLossPercent } of reports.weakReaches) {
    if (latencyMs <= networkLatencyMsMax && packetLossPercent <= packetLossPercentMax) continue;
    const peer = view.hostOfCluster(cluster, hostId);
    if (!peer) continue;
    const { role, suggestedRole } = peer.state;
    weak.push({ name: nameOf(peer) || hostId, role: effectiveRole(role, suggestedRole), latencyMs, packetLossPercent });
  }
  return weak;
}

/** Parses a comma-separated list. */
const listOf = (text = ''): readonly string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);

/** Parses a JSON array of texts. Installer arguments are stored in this form and were checked when they were set. */
function argumentsOf(json = ''): readonly string[] {
  if (json === '') return [];
  try {
    const parsed: unknown = JSON.parse(json);
    return Array.isArray(parsed) ? parsed.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

/** Returns the facts of one cluster that its rules read. */
export function toClusterFacts(cluster: ClusterEntry, view: FactsView, policy: RulesPolicy): ClusterFacts {
  const hosts = view.hostsOf(cluster);
  return {
    policy,
    settings: cluster.facts,
    hosts: hosts.map((host) => (host.summary ??= summarize(host, cluster.facts, policy))),
    vipVerifications: (cluster.vipVerifications ??= combinedVerifications(cluster.facts, hosts)),
  };
}

function summarize(
  { key, state, reports }: HostEntry,
  cluster: ClusterSettingsFacts,
  policy: RulesPolicy,
): ClusterHostFacts {
  const { hardware } = reports;
  const table = requirementsOf(policy.requirements, cluster.openshiftVersion);
  const isEnough = ({ cpuCores, ramMib }: HostRequirements): boolean =>
    hardware !== undefined && hasCores(hardware, cpuCores) && hasMemory(hardware, ramMib);
  return {
    hostKey: key,
    status: state.status,
    kind: state.kind,
    role: state.role,
    suggestedRole: state.suggestedRole,
    hasInventory: hardware !== undefined,
    hardware,
    installationDiskId: state.installationDisk.id,
    addresses: hardware ? cidrsOf(hardware) : [],
    canBeControlPlane: isEnough(isSingleNode(cluster) ? table.sno : table.master),
    canBeArbiter: isEnough(table.arbiter),
    hasFencingCredentials: state.settings.fencingCredentialsSet ?? false,
    clockOffsetSeconds: reports.clockOffsetSeconds,
    leaseFailure: reports.failedSteps.get('dhcp-lease-allocate') ?? '',
  };
}

/** Absent hosts do not count. */
function combinedVerifications(cluster: ClusterSettingsFacts, hosts: readonly HostEntry[]): Plain<VipVerification>[] {
  const combined = (vipType: string, vips: readonly string[]): Plain<VipVerification>[] =>
    vips.map((vip, index) => {
      const verification = reportedVerification(vipType, vip, hosts) ?? verifiedByLists(vip, index, cluster, hosts);
      return { vip, vipType, verification };
    });
  return [...combined('api', cluster.apiVips), ...combined('ingress', cluster.ingressVips)];
}

/** Hosts may report different results. One host that found another machine on the address takes precedence. */
function reportedVerification(vipType: string, vip: string, hosts: readonly HostEntry[]): string | undefined {
  let found: string | undefined;
  for (const host of hosts) {
    if (isAbsent(host)) continue;
    for (const one of host.reports.vips) {
      if (one.vip !== vip || one.vipType !== vipType) continue;
      if (one.verification === 'failed') return one.verification;
      if (one.verification === 'succeeded') found = one.verification;
    }
  }
  return found;
}

/** No host has verified the address itself, so the lists of free addresses of its network are used. */
function verifiedByLists(
  vip: string,
  index: number,
  { machineNetworks }: ClusterSettingsFacts,
  hosts: readonly HostEntry[],
): string {
  const network = machineNetworks[index];
  const reported = hosts
    .filter((host) => !isAbsent(host))
    .flatMap(({ reports }) => reports.freeAddresses.filter((one) => one.network === network));
  const different = new Map(reported.map(({ text, ranges }) => [text, ranges]));
  return verifyByFreeAddresses([...different.values()], vip);
}
