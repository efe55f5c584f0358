import { NO_SHAPE } from '@muster/operators';
import { effectiveRole, type HostFacts, type RulesPolicy, type WeakPeer } from '@muster/validation-rules';
import type { FactsView } from './facts-view';
import { majorityHostsMinOf } from './cluster-shape';
import { type ClusterEntry, type HostEntry, nameOf } from './view-entries';

/** Returns the snapshot of one host that its rules read. */
export function toHostFacts(entry: HostEntry, view: FactsView, policy: RulesPolicy): HostFacts {
  const { state, reports } = entry;
  const cluster = view.cluster(state.clusterId);
  const infraEnv = view.infraEnv(state.infraEnvId)?.state.settings;
  return {
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
    hasDuplicateName: (cluster?.names.get(nameOf(entry))?.size ?? 0) > 1,
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
    isTangReached: reports.isTangReached,
    workerEncryption: reports.workerEncryption,
    workerNetworking: reports.workerNetworking,
    clusterHostCount: cluster?.hostKeys.size ?? 0,
    isReachReported: reports.reaches !== undefined,
    majority: cluster && majorityOf(state.hostId, cluster, view),
    weakPeers: cluster ? weakPeersOf(entry, cluster, view) : [],
    collidingAddresses: cluster ? view.collisionsOf(cluster, entry) : [],
  };
}

function majorityOf(hostId: string, cluster: ClusterEntry, view: FactsView): HostFacts['majority'] {
  const { groups, members } = view.presentGroups(cluster);
  if (groups === undefined) return undefined;
  return {
    groups: [...members].filter(([, hosts]) => hosts.has(hostId)).map(([network]) => network),
    reachedFamilies: cluster.connectivity.reachedFamilies(hostId),
    hasEnoughHosts: cluster.hostKeys.size >= majorityHostsMinOf(cluster, view),
    awaitsReports: cluster.awaitsReports,
  };
}

/** Few: in a healthy network there are none. */
function weakPeersOf({ reports }: HostEntry, cluster: ClusterEntry, view: FactsView): readonly WeakPeer[] {
  const weak: WeakPeer[] = [];
  for (const { hostId, latencyMs, packetLossPercent } of reports.weakReaches) {
    const peer = view.hostOfCluster(cluster, hostId);
    if (!peer) continue;
    const { role, suggestedRole } = peer.state;
    weak.push({ name: nameOf(peer) || hostId, role: effectiveRole(role, suggestedRole), latencyMs, packetLossPercent });
  }
  return weak;
}

/** A comma list. */
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
