import { type HostDocument, UNSET_TIME, type V2HostProgress } from '@muster/assisted-api';
import { type EventData, hostKeyOf } from '@muster/contracts';
import { NO_REASON } from '@muster/domain';
import { hostHref } from './hrefs';
import { type Occurrence, orAbsent, type Patch } from './view-rows';

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

/** An installation that has not begun: no stage, no logs. */
export const NOT_INSTALLED = {
  progress: NO_PROGRESS,
  stage_started_at: UNSET_TIME,
  stage_updated_at: UNSET_TIME,
  _progress_position: undefined,
  ...NO_LOGS,
} as const satisfies Patch<HostDocument>;

/** A host that has told nothing about itself. */
export const NOTHING_REPORTED = {
  _reported_hostname: undefined,
  _networks: [],
  _inventory_digest: undefined,
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

/** A host that was deregistered before is in a later one; its first report says in which. */
const FIRST_EPOCH = 1;

/** The document of a host that registers for the first time, with all members it may ever have. */
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
    _epoch: FIRST_EPOCH,
    _outcomes: {},
  };
}
