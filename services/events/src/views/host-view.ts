import { type HostDocument, UNSET_TIME, type V2HostProgress } from '@muster/assisted-api';
import { type EventData, type HostEvent, hostKeyOf } from '@muster/contracts';
import { mayBeBootstrap, NO_REASON } from '@muster/domain';
import type { DataByType } from '../event-rows';
import { hostHref, type Occurrence, orAbsent, type Patch, unchanged, type ViewRows } from './view-rows';

/** Actor of commands that the service issues itself. */
const FROM_THE_SERVICE = 'service:';

export const NO_PROGRESS: V2HostProgress = {
  installation_percentage: 0,
  stage_started_at: UNSET_TIME,
  stage_updated_at: UNSET_TIME,
};

export const NO_LOGS = {
  logs_info: '',
  logs_started_at: UNSET_TIME,
  logs_collected_at: UNSET_TIME,
  _logs_digest: undefined,
} as const satisfies Patch<HostDocument>;

/** Members before an installation: no stage and no logs. */
export const NOT_INSTALLED = {
  progress: NO_PROGRESS,
  stage_started_at: UNSET_TIME,
  stage_updated_at: UNSET_TIME,
  _progress_position: undefined,
  ...NO_LOGS,
} as const satisfies Patch<HostDocument>;

/** Members of a host without reports. */
export const NOTHING_REPORTED = {
  _reported_hostname: undefined,
  _is_virtual: undefined,
  _networks: [],
  _inventory_digest: undefined,
  _sizes: undefined,
  _disks: undefined,
  _disk_gb_min: undefined,
  _connectivity_digest: undefined,
  _ip_collisions: undefined,
  _free_addresses_digest: undefined,
  _api_vip_connectivity_digest: undefined,
  _tang_connectivity_digest: undefined,
  disks_to_be_formatted: undefined,
  disks_info: undefined,
  ntp_sources: undefined,
  images_status: undefined,
  domain_name_resolutions: undefined,
} as const satisfies Patch<HostDocument>;

/** The first generation. A host that was deregistered before has a later one; its first report contains it. */
const FIRST_GENERATION = 1;

/** Returns the document of a host that registers for the first time, with all members that it may ever have. */
export function registeredHost(data: EventData<'HostRegistered'>, { at, position }: Occurrence): HostDocument {
  return {
    kind: data.kind,
    id: data.hostId,
    href: hostHref(data.infraEnvId, data.hostId),
    infra_env_id: data.infraEnvId,
    cluster_id: orAbsent(data.clusterId),
    user_name: data.owner?.userName ?? '',
    org_id: data.owner?.orgId ?? '',
    email_domain: data.owner?.emailDomain ?? '',
    status: 'discovering',
    _status_reason: NO_REASON,
    status_updated_at: at,
    role: data.role,
    suggested_role: undefined,
    bootstrap: data.bootstrap,
    requested_hostname: undefined,
    machine_config_pool_name: orAbsent(data.machineConfigPoolName),
    discovery_agent_version: orAbsent(data.discoveryAgentVersion),
    installer_version: undefined,
    media_status: 'connected',
    connection_timed_out: false,
    created_at: at,
    updated_at: at,
    registered_at: at,
    checked_in_at: at,
    installation_disk_id: undefined,
    installation_disk_path: undefined,
    skip_formatting_disks: undefined,
    installer_args: undefined,
    node_labels: undefined,
    ignition_endpoint_token_set: undefined,
    fencing_credentials: undefined,
    ...NOT_INSTALLED,
    ...NOTHING_REPORTED,
    _ignition_overrides_digest: undefined,
    _host_key: hostKeyOf(data.infraEnvId, data.hostId),
    _position: position,
    _generation: FIRST_GENERATION,
    _outcomes: {},
  };
}

/** Events of a host other than registration and deregistration. */
type HostChange = Exclude<HostEvent, { readonly type: 'HostRegistered' | 'HostDeregistered' }>;

export const HOST_VIEW: ViewRows<DataByType<HostChange>, HostDocument> = {
  HostReregistered: (_host, data, { at }) => ({
    discovery_agent_version: orAbsent(data.discoveryAgentVersion),
    kind: data.kind,
    cluster_id: orAbsent(data.clusterId),
    registered_at: at,
    checked_in_at: at,
    connection_timed_out: false,
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
  HostAgentReplaced: (_host, data) => ({ discovery_agent_version: orAbsent(data.discoveryAgentVersion) }),
  HostMediaDisconnected: () => ({ media_status: 'disconnected' }),
  HostMediaReconnected: () => ({ media_status: 'connected' }),
  HostRoleAssigned: (host, data, { actor }) => ({
    role: data.role,
    _role_was_automatic: (host.role === 'auto-assign' && actor.startsWith(FROM_THE_SERVICE)) || undefined,
    bootstrap: host.bootstrap && mayBeBootstrap(data.role),
    machine_config_pool_name: orAbsent(data.machineConfigPoolName),
  }),
  HostRoleSuggested: (_host, data) => ({ suggested_role: orAbsent(data.role) }),
  HostRenamed: (_host, data) => ({ requested_hostname: orAbsent(data.requestedHostname) }),
  InstallationDiskChosen: (_host, data) => ({
    installation_disk_id: orAbsent(data.diskId),
    installation_disk_path: orAbsent(data.diskPath),
    _disk_chosen_by_user: data.byUser || undefined,
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
    _role_was_automatic: undefined,
    suggested_role: undefined,
    bootstrap: false,
    machine_config_pool_name: undefined,
    installation_disk_id: undefined,
    _disk_chosen_by_user: undefined,
    installation_disk_path: undefined,
    connection_timed_out: false,
    ...NOT_INSTALLED,
    ...NOTHING_REPORTED,
  }),
  // Reports are valid until the host registers again.
  HostReset: unchanged,
  HostIdentityConflictDetected: (_host, { known, claimant }) => ({
    _identity_conflict: known && claimant ? { known, claimant } : undefined,
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

/** Placeholder of sealed credentials. Clients only check whether there are any. */
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
