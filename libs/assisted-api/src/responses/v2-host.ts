import { HOST_KINDS, HOST_ROLES, HOST_STAGES, HOST_STATUSES } from '@muster/domain';
import { LOGS_STATES } from '../requests/wire-values';
import { choice, flag, list, maybe, record, text, time, uuid, whole, word, type Static } from '../schema/answer-schema';

const MEDIA_STATUSES = ['connected', 'disconnected'];

/** `host-progress-info` of the contract. */
export const V2_HOST_PROGRESS = record('host-progress-info', {
  current_stage: maybe(word(HOST_STAGES)),
  progress_info: maybe(text()),
  installation_percentage: maybe(whole({ minimum: 0, maximum: 100 })),
  stage_started_at: time(),
  stage_updated_at: time(),
  stage_timed_out: maybe(flag()),
});
export type V2HostProgress = Static<typeof V2_HOST_PROGRESS>;

/** `host` of the contract. */
export const V2_HOST = record('host', {
  kind: word(HOST_KINDS),
  id: uuid(),
  href: text(),
  infra_env_id: uuid(),
  cluster_id: maybe(uuid()),
  user_name: maybe(text()),
  status: word(HOST_STATUSES),
  status_info: text(),
  status_updated_at: time(),
  role: word(HOST_ROLES),
  suggested_role: maybe(word(HOST_ROLES)),
  bootstrap: flag(),
  requested_hostname: maybe(text()),
  machine_config_pool_name: maybe(text()),
  discovery_agent_version: maybe(text()),
  installer_version: maybe(text()),
  media_status: word(MEDIA_STATUSES),
  progress: V2_HOST_PROGRESS,
  progress_stages: list(choice(HOST_STAGES)),
  stage_started_at: time(),
  stage_updated_at: time(),
  connection_timed_out: flag(),
  created_at: time(),
  updated_at: time(),
  deleted_at: maybe(time()),
  registered_at: time(),
  checked_in_at: time(),
  timestamp: maybe(whole()),
  logs_info: word(LOGS_STATES),
  logs_started_at: time(),
  logs_collected_at: time(),
  installation_disk_id: maybe(text()),
  installation_disk_path: maybe(text()),
  disks_to_be_formatted: maybe(text()),
  skip_formatting_disks: maybe(text()),
  installer_args: maybe(text()),
  node_labels: maybe(text()),
  ignition_endpoint_token_set: maybe(flag()),
  fencing_credentials: maybe(text()),
  validations_info: text(),
  inventory: maybe(text()),
  connectivity: maybe(text()),
  free_addresses: maybe(text()),
  api_vip_connectivity: maybe(text()),
  tang_connectivity: maybe(text()),
  ignition_config_overrides: maybe(text()),
  ntp_sources: maybe(text()),
  disks_info: maybe(text()),
  images_status: maybe(text()),
  domain_name_resolutions: maybe(text()),
});
export type V2Host = Static<typeof V2_HOST>;
