import { CLUSTER_KINDS, CLUSTER_STATUSES, FINALIZING_STAGES, OPERATOR_STATUSES } from '@muster/domain';
import { Type } from '@sinclair/typebox';
import {
  CLOUD_CONTROLLER_MANAGERS,
  CLUSTER_CPU_ARCHITECTURES,
  ENCRYPTION_MODES,
  HIGH_AVAILABILITY_MODES,
  LOAD_BALANCER_TYPES,
  LOGS_STATES,
  NETWORK_TYPES,
  PLATFORM_TYPES,
  ROLE_SELECTIONS,
  VIP_VERIFICATIONS,
} from '../requests/wire-values';
import { FreeObject, type Static, StringEnum } from '../schema/answer-schema';
import { V2_HOST } from './v2-infra-env';

const OPERATOR_TYPES = ['builtin', 'olm'];

/** `platform` of the v2 API. */
export const V2_PLATFORM = Type.Object(
  {
    type: StringEnum<string>(PLATFORM_TYPES),
    external: Type.Optional(
      Type.Object(
        {
          platform_name: Type.Optional(Type.String()),
          cloud_controller_manager: Type.Optional(StringEnum<string>(CLOUD_CONTROLLER_MANAGERS)),
        },
        { title: 'platform_external' },
      ),
    ),
  },
  { title: 'platform' },
);

/** `api_vip` and `ingress_vip` of the v2 API. */
export const V2_VIP = Type.Object(
  {
    cluster_id: Type.String({ format: 'uuid' }),
    ip: Type.String(),
    verification: Type.Optional(StringEnum<string>(VIP_VERIFICATIONS)),
  },
  { title: 'vip' },
);

/** `service_network` and `machine_network` of the v2 API. */
export const V2_NETWORK = Type.Object(
  { cluster_id: Type.String({ format: 'uuid' }), cidr: Type.String() },
  { title: 'network' },
);

/** `cluster_network` of the v2 API. */
export const V2_CLUSTER_NETWORK = Type.Object(
  { ...V2_NETWORK.properties, host_prefix: Type.Integer() },
  { title: 'cluster_network' },
);

/** `host_network` of the v2 API. */
export const V2_HOST_NETWORK = Type.Object(
  { cidr: Type.String(), host_ids: Type.Array(Type.String({ format: 'uuid' })) },
  { title: 'host_network' },
);
export type V2HostNetwork = Static<typeof V2_HOST_NETWORK>;

/** `disk-encryption` of the v2 API. */
export const V2_DISK_ENCRYPTION = Type.Object(
  {
    enable_on: Type.Optional(StringEnum<string>(ROLE_SELECTIONS)),
    mode: Type.Optional(StringEnum<string>(ENCRYPTION_MODES)),
    tang_servers: Type.Optional(Type.String()),
  },
  { title: 'disk-encryption' },
);

/** `ignition-endpoint` of the v2 API. */
export const V2_IGNITION_ENDPOINT = Type.Object(
  { url: Type.Optional(Type.String()), ca_certificate: Type.Optional(Type.String()) },
  { title: 'ignition-endpoint' },
);

/** `bundle-create-params` of the v2 API. */
export const V2_CHOSEN_BUNDLE = Type.Object(
  { id: Type.String(), optional_operators: Type.Array(Type.String()) },
  { title: 'bundle-choice' },
);
export type V2ChosenBundle = Static<typeof V2_CHOSEN_BUNDLE>;

/** `monitored-operator` of the v2 API. */
export const V2_MONITORED_OPERATOR = Type.Object(
  {
    cluster_id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    operator_type: StringEnum<string>(OPERATOR_TYPES),
    version: Type.Optional(Type.String()),
    namespace: Type.Optional(Type.String()),
    subscription_name: Type.Optional(Type.String()),
    properties: Type.Optional(Type.String()),
    timeout_seconds: Type.Integer(),
    bundles: Type.Optional(Type.Array(Type.String())),
    source_bundles: Type.Optional(Type.Array(Type.String())),
    status: Type.Optional(StringEnum<string>(OPERATOR_STATUSES)),
    status_info: Type.Optional(Type.String()),
    status_updated_at: Type.String({ format: 'date-time' }),
  },
  { title: 'monitored-operator' },
);
export type V2MonitoredOperator = Static<typeof V2_MONITORED_OPERATOR>;

const PREPARATION_STATUSES = ['not_started', 'failed', 'success'];
const percent = () => Type.Integer({ minimum: 0, maximum: 100 });

/** `cluster-progress-info` of the v2 API. */
export const V2_CLUSTER_PROGRESS = Type.Object(
  {
    total_percentage: percent(),
    preparing_for_installation_stage_percentage: percent(),
    installing_stage_percentage: percent(),
    finalizing_stage_percentage: percent(),
    finalizing_stage: Type.Optional(StringEnum<string>(FINALIZING_STAGES)),
    finalizing_stage_started_at: Type.String({ format: 'date-time' }),
    finalizing_stage_timed_out: Type.Boolean(),
  },
  { title: 'cluster-progress-info' },
);
export type V2ClusterProgress = Static<typeof V2_CLUSTER_PROGRESS>;

/** `cluster` of the v2 API. */
export const V2_CLUSTER = Type.Object(
  {
    kind: StringEnum<string>(CLUSTER_KINDS),
    id: Type.String({ format: 'uuid' }),
    href: Type.String(),
    name: Type.String(),
    user_name: Type.Optional(Type.String()),
    org_id: Type.Optional(Type.String()),
    email_domain: Type.Optional(Type.String()),
    status: StringEnum<string>(CLUSTER_STATUSES),
    status_info: Type.String(),
    status_updated_at: Type.String({ format: 'date-time' }),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
    deleted_at: Type.Optional(Type.String({ format: 'date-time' })),
    install_started_at: Type.String({ format: 'date-time' }),
    install_completed_at: Type.String({ format: 'date-time' }),
    openshift_version: Type.String(),
    ocp_release_image: Type.Optional(Type.String()),
    openshift_cluster_id: Type.Optional(Type.String({ format: 'uuid' })),
    cpu_architecture: StringEnum<string>(CLUSTER_CPU_ARCHITECTURES),
    control_plane_count: Type.Integer(),
    high_availability_mode: StringEnum<string>(HIGH_AVAILABILITY_MODES),
    base_dns_domain: Type.Optional(Type.String()),
    platform: V2_PLATFORM,
    image_info: FreeObject(),
    user_managed_networking: Type.Boolean(),
    vip_dhcp_allocation: Type.Boolean(),
    network_type: Type.Optional(StringEnum<string>(NETWORK_TYPES)),
    connectivity_majority_groups: Type.Optional(Type.String()),
    load_balancer: Type.Object({ type: StringEnum<string>(LOAD_BALANCER_TYPES) }, { title: 'load_balancer' }),
    api_vips: Type.Array(V2_VIP),
    ingress_vips: Type.Array(V2_VIP),
    api_vip_dns_name: Type.Optional(Type.String()),
    cluster_networks: Type.Array(V2_CLUSTER_NETWORK),
    service_networks: Type.Array(V2_NETWORK),
    machine_networks: Type.Array(V2_NETWORK),
    cluster_network_cidr: Type.Optional(Type.String()),
    cluster_network_host_prefix: Type.Optional(Type.Integer()),
    service_network_cidr: Type.Optional(Type.String()),
    machine_network_cidr: Type.Optional(Type.String()),
    host_networks: Type.Array(V2_HOST_NETWORK),
    ssh_public_key: Type.Optional(Type.String()),
    pull_secret_set: Type.Boolean(),
    http_proxy: Type.Optional(Type.String()),
    https_proxy: Type.Optional(Type.String()),
    no_proxy: Type.Optional(Type.String()),
    additional_ntp_source: Type.Optional(Type.String()),
    ntp_sources: Type.Optional(Type.String()),
    hyperthreading: StringEnum<string>(ROLE_SELECTIONS),
    schedulable_masters: Type.Boolean(),
    schedulable_masters_forced_true: Type.Boolean(),
    disk_encryption: V2_DISK_ENCRYPTION,
    ignition_endpoint: Type.Optional(V2_IGNITION_ENDPOINT),
    install_config_overrides: Type.Optional(Type.String()),
    tags: Type.Optional(Type.String()),
    imported: Type.Boolean(),
    progress: V2_CLUSTER_PROGRESS,
    'last-installation-preparation': Type.Object(
      {
        status: StringEnum<string>(PREPARATION_STATUSES),
        reason: Type.Optional(Type.String()),
      },
      { title: 'last-installation-preparation' },
    ),
    monitored_operators: Type.Array(V2_MONITORED_OPERATOR),
    operator_bundles: Type.Optional(Type.Array(V2_CHOSEN_BUNDLE)),
    validations_info: Type.String(),
    ignored_host_validations: Type.Optional(Type.String()),
    ignored_cluster_validations: Type.Optional(Type.String()),
    ip_collisions: Type.Optional(Type.String()),
    org_soft_timeouts_enabled: Type.Optional(Type.Boolean()),
    feature_usage: Type.String(),
    logs_info: StringEnum<string>(LOGS_STATES),
    controller_logs_started_at: Type.String({ format: 'date-time' }),
    controller_logs_collected_at: Type.String({ format: 'date-time' }),
    total_host_count: Type.Integer(),
    enabled_host_count: Type.Integer(),
    ready_host_count: Type.Integer(),
    hosts: Type.Array(V2_HOST),
  },
  { title: 'cluster' },
);
export type V2Cluster = Static<typeof V2_CLUSTER>;
