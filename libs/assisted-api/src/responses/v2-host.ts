import { HOST_KINDS, HOST_ROLES, HOST_STAGES, HOST_STATUSES } from '@muster/domain';
import { LOGS_STATES } from '../requests/wire-values';
import { Type } from '@sinclair/typebox';
import { type Static, StringEnum } from '../schema/answer-schema';

const MEDIA_STATUSES = ['connected', 'disconnected'];

/** `host-progress-info` of the contract. */
export const V2_HOST_PROGRESS = Type.Object(
  {
    current_stage: Type.Optional(StringEnum<string>(HOST_STAGES)),
    progress_info: Type.Optional(Type.String()),
    installation_percentage: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
    stage_started_at: Type.String({ format: 'date-time' }),
    stage_updated_at: Type.String({ format: 'date-time' }),
    stage_timed_out: Type.Optional(Type.Boolean()),
  },
  { title: 'host-progress-info' },
);
export type V2HostProgress = Static<typeof V2_HOST_PROGRESS>;

/** `host` of the contract. */
export const V2_HOST = Type.Object(
  {
    kind: StringEnum<string>(HOST_KINDS),
    id: Type.String({ format: 'uuid' }),
    href: Type.String(),
    infra_env_id: Type.String({ format: 'uuid' }),
    cluster_id: Type.Optional(Type.String({ format: 'uuid' })),
    user_name: Type.Optional(Type.String()),
    status: StringEnum<string>(HOST_STATUSES),
    status_info: Type.String(),
    status_updated_at: Type.String({ format: 'date-time' }),
    role: StringEnum<string>(HOST_ROLES),
    suggested_role: Type.Optional(StringEnum<string>(HOST_ROLES)),
    bootstrap: Type.Boolean(),
    requested_hostname: Type.Optional(Type.String()),
    machine_config_pool_name: Type.Optional(Type.String()),
    discovery_agent_version: Type.Optional(Type.String()),
    installer_version: Type.Optional(Type.String()),
    media_status: StringEnum<string>(MEDIA_STATUSES),
    progress: V2_HOST_PROGRESS,
    progress_stages: Type.Array(StringEnum(HOST_STAGES)),
    stage_started_at: Type.String({ format: 'date-time' }),
    stage_updated_at: Type.String({ format: 'date-time' }),
    connection_timed_out: Type.Boolean(),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
    deleted_at: Type.Optional(Type.String({ format: 'date-time' })),
    registered_at: Type.String({ format: 'date-time' }),
    checked_in_at: Type.String({ format: 'date-time' }),
    timestamp: Type.Optional(Type.Integer()),
    logs_info: StringEnum<string>(LOGS_STATES),
    logs_started_at: Type.String({ format: 'date-time' }),
    logs_collected_at: Type.String({ format: 'date-time' }),
    installation_disk_id: Type.Optional(Type.String()),
    installation_disk_path: Type.Optional(Type.String()),
    disks_to_be_formatted: Type.Optional(Type.String()),
    skip_formatting_disks: Type.Optional(Type.String()),
    installer_args: Type.Optional(Type.String()),
    node_labels: Type.Optional(Type.String()),
    ignition_endpoint_token_set: Type.Optional(Type.Boolean()),
    fencing_credentials: Type.Optional(Type.String()),
    validations_info: Type.String(),
    inventory: Type.Optional(Type.String()),
    connectivity: Type.Optional(Type.String()),
    free_addresses: Type.Optional(Type.String()),
    api_vip_connectivity: Type.Optional(Type.String()),
    tang_connectivity: Type.Optional(Type.String()),
    ignition_config_overrides: Type.Optional(Type.String()),
    ntp_sources: Type.Optional(Type.String()),
    disks_info: Type.Optional(Type.String()),
    images_status: Type.Optional(Type.String()),
    domain_name_resolutions: Type.Optional(Type.String()),
  },
  { title: 'host' },
);
export type V2Host = Static<typeof V2_HOST>;
