import type { HostDocument } from '@muster/assisted-api';
import type { EventData, HostEvent } from '@muster/contracts';
import { NO_REASON } from '@muster/domain';
import { NO_LOGS, NO_PROGRESS, NOT_INSTALLED, NOTHING_REPORTED } from './host-registered';
import { type Occurrence, orAbsent, type Patch, unchanged, type ViewRows } from './view-rows';

/** Facts of a host's own stream, but for its birth and its end. */
type HostChange = Exclude<HostEvent, { readonly type: 'HostRegistered' | 'HostDeregistered' }>;

export const HOST_VIEW: ViewRows<HostChange, HostDocument> = {
  HostReregistered: (_host, data, { at }) => ({
    discovery_agent_version: orAbsent(data.discoveryAgentVersion),
    kind: data.kind,
    cluster_id: orAbsent(data.clusterId),
    registered_at: at,
    checked_in_at: at,
    ...NOT_INSTALLED,
    ...(data.inventoryKept
      ? { images_status: undefined, ntp_sources: undefined }
      : { ...NOTHING_REPORTED, bootstrap: false }),
  }),
  HostEnteredStatus: (_host, data, { at }) => ({
    status: data.status,
    _status_reason: data.statusReason ?? NO_REASON,
    status_updated_at: data.at || at,
  }),
  HostStatusExplained: (_host, data) => ({ _status_reason: data.statusReason ?? NO_REASON }),
  HostFellSilent: (_host, data) => ({ checked_in_at: data.lastSeenAt }),
  HostReturned: (_host, _data, { at }) => ({ checked_in_at: at }),
  HostMediaDisconnected: () => ({ media_status: 'disconnected' }),
  HostMediaReconnected: () => ({ media_status: 'connected' }),
  HostRoleAssigned: (host, data) => ({
    role: data.role,
    bootstrap: host.bootstrap && data.role !== 'worker',
    machine_config_pool_name: orAbsent(data.machineConfigPoolName),
  }),
  HostRoleSuggested: (_host, data) => ({ suggested_role: orAbsent(data.role) }),
  HostRenamed: (_host, data) => ({ requested_hostname: orAbsent(data.requestedHostname) }),
  InstallationDiskChosen: (_host, data) => ({
    installation_disk_id: orAbsent(data.diskId),
    installation_disk_path: orAbsent(data.diskPath),
    _disk_chosen_by_person: data.byPerson || undefined,
  }),
  HostSettingsRevised: (_host, data) => (data.changes ? settingsPatch(data.changes) : {}),
  HostBootstrapChosen: () => ({ bootstrap: true }),
  HostProgressed: progressPatch,
  HostStageTimedOut: (host) => ({ progress: { ...host.progress, stage_timed_out: true } }),
  HostStageClockPaused: unchanged,
  HostStageClockResumed: (host, { at }) => ({
    stage_updated_at: at,
    progress: { ...host.progress, stage_updated_at: at },
  }),
  HostImageCheckVoided: () => ({ images_status: undefined }),
  HostImageCheckRenewed: unchanged,
  HostConnectionTimedOut: () => ({ connection_timed_out: true }),
  HostConnectionRecovered: () => ({ connection_timed_out: false }),
  HostDeadlinePassed: unchanged,
  HostInstallationFailed: unchanged,
  HostInstallerChosen: (_host, data) => ({ installer_version: orAbsent(data.installerImage) }),
  HostBound: (_host, data) => ({
    cluster_id: data.clusterId,
    bootstrap: false,
    ...NOT_INSTALLED,
    ...NOTHING_REPORTED,
  }),
  HostUnbound: () => ({
    cluster_id: undefined,
    kind: 'Host',
    role: 'auto-assign',
    suggested_role: undefined,
    bootstrap: false,
    machine_config_pool_name: undefined,
    installation_disk_id: undefined,
    _disk_chosen_by_person: undefined,
    installation_disk_path: undefined,
    ...NOT_INSTALLED,
    ...NOTHING_REPORTED,
  }),
  // Reports stay valid until the host registers again.
  HostReset: unchanged,
  HostIdentityConflictDetected: (_host, { known, intruder }) => ({
    _identity_conflict: known && intruder ? { known, intruder } : undefined,
  }),
  HostIdentityConflictResolved: () => ({ _identity_conflict: undefined }),
  HostIdentityClaimed: unchanged,
  HostLogsReported: (_host, { logsState, at }) => ({
    ...(logsState === '' ? NO_LOGS : { logs_info: logsState }),
    ...(logsState === 'requested' ? { logs_started_at: at } : {}),
  }),
  HostLogsCollected: (_host, { body, at }) => ({ logs_collected_at: at, _logs_digest: body?.digest }),
};

function progressPatch(
  host: HostDocument,
  data: EventData<'HostProgressed'>,
  { at, position }: Pick<Occurrence, 'at' | 'position'>,
): Patch<HostDocument> {
  const before = host.progress;
  const startedAt = data.stageChanged ? at : before.stage_started_at;
  return {
    stage_started_at: startedAt,
    stage_updated_at: at,
    _progress_position: position,
    progress: {
      ...(data.stageChanged ? NO_PROGRESS : before),
      current_stage: data.stage,
      progress_info: data.progressInfo,
      installation_percentage: data.installationPercentage,
      stage_started_at: startedAt,
      stage_updated_at: at,
    },
  };
}

/** The placeholder of sealed credentials: clients only check whether there are any. */
const SEALED_CREDENTIALS = '{"password":"(sealed)"}';

type HostSettings = NonNullable<EventData<'HostSettingsRevised'>['changes']>;

/** Absent settings stay; empty ones are removed. */
function settingsPatch(changes: HostSettings): Patch<HostDocument> {
  const patch: { -readonly [Member in keyof HostDocument]?: HostDocument[Member] | undefined } = {};
  const { machineConfigPoolName, nodeLabels, skipFormattingDisks, installerArgs } = changes;
  if (machineConfigPoolName !== undefined) patch.machine_config_pool_name = orAbsent(machineConfigPoolName);
  if (nodeLabels !== undefined) patch.node_labels = orAbsent(nodeLabels);
  if (skipFormattingDisks !== undefined) patch.skip_formatting_disks = orAbsent(skipFormattingDisks);
  if (installerArgs !== undefined) patch.installer_args = orAbsent(installerArgs);
  if (changes.ignitionEndpointTokenSet !== undefined)
    patch.ignition_endpoint_token_set = changes.ignitionEndpointTokenSet;
  if (changes.fencingCredentialsSet !== undefined)
    patch.fencing_credentials = changes.fencingCredentialsSet ? SEALED_CREDENTIALS : undefined;
  if (changes.ignitionConfigOverrides)
    patch._ignition_overrides_digest = orAbsent(changes.ignitionConfigOverrides.digest);
  return patch;
}
