import type { ClusterDocument } from '@muster/assisted-api';
import type { ClusterEvent, EventData, ManifestEvent } from '@muster/contracts';
import { NO_REASON, userManifestsAfter } from '@muster/domain';
import type { DataByType } from '../event-rows';
import {
  machineNetworksPatch,
  NO_CLUSTER_LOGS,
  NO_CLUSTER_PROGRESS,
  presentedVips,
  registeredCluster,
  settingsPatch,
} from './cluster-registered';
import { presentedOperators, reportedOperator, unreportedOperators } from './operators-view';
import { changedGroups, changedOutcomes, overridePatch } from './outcome-view';
import { type Occurrence, orAbsent, type Patch, patched, patchesOf, unchanged, type ViewRows } from './view-rows';

/** Events of a cluster other than registration and deregistration. */
type ClusterChange = Exclude<ClusterEvent, { readonly type: 'ClusterRegistered' | 'ClusterDeregistered' }>;

/** Statuses that end an installation. */
const ENDS_INSTALLATION: ReadonlySet<string> = new Set(['installed', 'error', 'cancelled']);
const PREPARATION_NOT_STARTED = { status: 'not_started' };

export const CLUSTER_VIEW: ViewRows<DataByType<ClusterChange>, ClusterDocument> = {
  ClusterSettingsRevised: revisedPatch,
  MachineNetworksDerived: (cluster, { cidrs }) => machineNetworksPatch(cidrs, cluster.id),
  VipsDerived: (cluster, { apiVips, ingressVips }) => ({
    api_vips: presentedVips('api', apiVips, cluster.id, cluster),
    ingress_vips: presentedVips('ingress', ingressVips, cluster.id, cluster),
  }),
  ClusterEnteredStatus: (cluster, data) => ({
    status: data.status,
    _status_reason: data.statusReason ?? NO_REASON,
    status_updated_at: data.at,
    ...(ENDS_INSTALLATION.has(data.status) ? { install_completed_at: data.at } : {}),
    ...(data.status === 'finalizing' ? finalizingAgain(cluster, data.at) : {}),
  }),
  ClusterStatusExplained: (_cluster, { statusReason }) => ({ _status_reason: statusReason ?? NO_REASON }),
  InstallationPreparationStarted: (cluster, { attempt, bootstrapHostId, at }) => ({
    ...withoutInstallation(cluster),
    install_started_at: at,
    _attempt: attempt,
    _bootstrap_host_id: bootstrapHostId,
  }),
  InstallationPrepared: (_cluster, { openshiftClusterId }) => ({
    'last-installation-preparation': { status: 'success' },
    openshift_cluster_id: orAbsent(openshiftClusterId),
  }),
  InstallationPreparationFailed: (_cluster, { reason }) => ({
    'last-installation-preparation': { status: 'failed', reason },
  }),
  InstallationPreparationUndone: (_cluster, { reason }) => ({
    'last-installation-preparation': { status: 'not_started', reason },
  }),
  ClusterProgressed: (cluster, data) => ({
    progress: {
      ...cluster.progress,
      total_percentage: data.totalPercentage,
      preparing_for_installation_stage_percentage: data.preparingForInstallationStagePercentage,
      installing_stage_percentage: data.installingStagePercentage,
      finalizing_stage_percentage: data.finalizingStagePercentage,
    },
  }),
  FinalizingStageReached: (cluster, { stage, at }) => ({
    progress: {
      ...cluster.progress,
      finalizing_stage: stage,
      finalizing_stage_started_at: at,
      finalizing_stage_timed_out: false,
    },
  }),
  FinalizingStageTimedOut: (cluster) => ({ progress: { ...cluster.progress, finalizing_stage_timed_out: true } }),
  OperatorStatusReported: (cluster, data, { at }) => ({
    monitored_operators: reportedOperator(cluster.monitored_operators, data, at),
  }),
  ClusterDeadlinePassed: unchanged,
  KubeconfigCompleted: () => ({ _has_kubeconfig: true }),
  InstallationCancelled: () => ({ 'last-installation-preparation': PREPARATION_NOT_STARTED }),
  ClusterReset: (cluster) => ({
    ...withoutInstallation(cluster),
    openshift_cluster_id: undefined,
    _bootstrap_host_id: '',
    // The VIPs of a single node are derived from its host. Those of other clusters are settings of the user.
    ...(cluster.control_plane_count === 1 ? { api_vips: [], ingress_vips: [] } : {}),
  }),
  ClusterOpenedForHosts: (_cluster, { apiVipDnsName }) => ({
    kind: 'AddHostsCluster',
    status: 'adding-hosts',
    api_vip_dns_name: orAbsent(apiVipDnsName),
  }),
  ClusterLogsReported: (_cluster, { logsState, at }) => ({
    logs_info: logsState,
    ...(logsState === 'requested' ? { controller_logs_started_at: at } : {}),
  }),
  ClusterLogsCollected: (cluster, { logsType, hostId, body, at }) => ({
    ...(logsType === 'controller' ? { controller_logs_collected_at: at } : {}),
    _log_digests: { ...cluster._log_digests, [logsType === 'controller' ? logsType : hostId]: body?.digest ?? '' },
  }),
};

/** Removes the results of an earlier attempt. Its start and end times stay. */
function withoutInstallation(cluster: ClusterDocument): Patch<ClusterDocument> {
  return {
    progress: NO_CLUSTER_PROGRESS,
    'last-installation-preparation': PREPARATION_NOT_STARTED,
    monitored_operators: unreportedOperators(cluster.monitored_operators),
    ...NO_CLUSTER_LOGS,
    _has_kubeconfig: false,
    _release_download: undefined,
  };
}

/** A stage that had not ended when the cluster left `finalizing` starts again. */
function finalizingAgain({ progress }: ClusterDocument, at: string): Patch<ClusterDocument> {
  if (!progress.finalizing_stage) return {};
  return { progress: { ...progress, finalizing_stage_started_at: at, finalizing_stage_timed_out: false } };
}

function revisedPatch(
  cluster: ClusterDocument,
  { changes, pullSecretReplaced, monitoredOperators }: EventData<'ClusterSettingsRevised'>,
  occurrence: Occurrence,
): Patch<ClusterDocument> {
  const operators = monitoredOperators?.items;
  return {
    ...(changes ? settingsPatch(changes, cluster.id, cluster) : {}),
    ...overridePatch(cluster, changes, occurrence),
    ...(pullSecretReplaced ? { pull_secret_set: true } : {}),
    ...(operators
      ? {
          monitored_operators: presentedOperators(
            operators,
            cluster.id,
            changes?.olmOperators?.items,
            cluster.monitored_operators,
          ),
        }
      : {}),
  };
}

/** Adds the results of a VIP check of a host. The last report about an address applies. */
export function verifiedVips(cluster: ClusterDocument, { vips }: EventData<'VipsVerified'>): Patch<ClusterDocument> {
  const verified = (vipType: 'api' | 'ingress', shown: ClusterDocument['api_vips']): ClusterDocument['api_vips'] =>
    presentedVips(
      vipType,
      shown.map(({ ip }) => ip),
      cluster.id,
      { ...cluster, _verified_vips: vips },
    );
  return {
    _verified_vips: vips,
    api_vips: verified('api', cluster.api_vips),
    ingress_vips: verified('ingress', cluster.ingress_vips),
  };
}

export type ClusterDocumentEvent =
  | ClusterEvent
  | ManifestEvent
  | { readonly type: 'ClusterOutcomesChanged'; readonly data: EventData<'ClusterOutcomesChanged'> }
  | { readonly type: 'ReleaseRead'; readonly data: EventData<'ReleaseRead'> }
  | { readonly type: 'ReleaseDownloadProgressed'; readonly data: EventData<'ReleaseDownloadProgressed'> }
  | { readonly type: 'PreparationQueued'; readonly data: EventData<'PreparationQueued'> };

const presentedDownload = (data: EventData<'ReleaseDownloadProgressed'>): ClusterDocument['_release_download'] => ({
  image: data.image,
  bytes: data.downloadedBytes,
  total_bytes: data.totalBytes,
});

/** Returns the document after the event; undefined after the deletion of the cluster. */
export function evolveClusterDocument(
  before: ClusterDocument | undefined,
  event: ClusterDocumentEvent,
  occurrence: Occurrence,
): ClusterDocument | undefined {
  if (event.type === 'ClusterRegistered') return registeredCluster(event.data, occurrence);
  if (!before || event.type === 'ClusterDeregistered') return undefined;
  if (event.type === 'ClusterOutcomesChanged')
    return patched(
      { ...before },
      { _outcomes: changedOutcomes(before._outcomes, event.data), ...changedGroups(before, event.data) },
      occurrence,
    );
  if (event.type === 'ReleaseRead') return patched({ ...before }, { _release_download: undefined }, occurrence);
  if (event.type === 'PreparationQueued') return patched({ ...before }, {}, occurrence);
  if (event.type === 'ReleaseDownloadProgressed')
    return patched({ ...before }, { _release_download: presentedDownload(event.data) }, occurrence);
  if (event.type === 'ManifestStored' || event.type === 'ManifestRemoved')
    return patched(
      { ...before },
      { _user_manifests: userManifestsAfter(before._user_manifests ?? [], event) },
      occurrence,
    );
  return patched({ ...before }, clusterPatch(before, event, occurrence), occurrence);
}

const clusterPatch = patchesOf(CLUSTER_VIEW);
