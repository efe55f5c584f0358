import { NO_REASON } from '@muster/domain';
import {
  type ClusterDocument,
  COLLECTIONS,
  type EventDocument,
  type HostDocument,
  type InfraEnvDocument,
  UNSET_TIME,
} from '@muster/assisted-api';
import { hostKeyOf } from '@muster/contracts';

export const CLUSTER_ID = '5b0f2c5e-8d6d-4b7a-9a52-0f6f3a1c9d01';
export const INFRA_ENV_ID = '0c9d7a35-3a64-4d4c-8a3d-0e3a5a0a7b02';
export const HOST_ID = 'e1b5a0f4-6f0f-4a4b-9c0a-7d1d2c3b4a03';

const OWNED = { _position: 1, user_name: 'admin', org_id: '', email_domain: '' };
const MADE_AT = '2026-01-02T03:04:05.000Z';

interface Stored<Document> {
  readonly collection: string;
  readonly key: string;
  readonly document: Document;
}

export function clusterDocument(changes: Partial<ClusterDocument> = {}): Stored<ClusterDocument> {
  const document: ClusterDocument = {
    ...OWNED,
    kind: 'Cluster',
    id: CLUSTER_ID,
    href: `/api/assisted-install/v2/clusters/${CLUSTER_ID}`,
    name: 'one',
    status: 'insufficient',
    _status_reason: NO_REASON,
    status_updated_at: MADE_AT,
    created_at: MADE_AT,
    updated_at: MADE_AT,
    install_started_at: UNSET_TIME,
    install_completed_at: UNSET_TIME,
    openshift_version: '4.18.52',
    cpu_architecture: 'x86_64',
    control_plane_count: 3,
    high_availability_mode: 'Full',
    base_dns_domain: 'example.com',
    platform: { type: 'baremetal' },
    image_info: {},
    user_managed_networking: false,
    vip_dhcp_allocation: false,
    load_balancer: { type: 'cluster-managed' },
    api_vips: [],
    ingress_vips: [],
    cluster_networks: [],
    service_networks: [],
    machine_networks: [],
    pull_secret_set: true,
    hyperthreading: 'all',
    schedulable_masters: false,
    disk_encryption: {},
    imported: false,
    progress: {
      total_percentage: 0,
      preparing_for_installation_stage_percentage: 0,
      installing_stage_percentage: 0,
      finalizing_stage_percentage: 0,
      finalizing_stage_started_at: UNSET_TIME,
      finalizing_stage_timed_out: false,
    },
    'last-installation-preparation': { status: 'not_started' },
    monitored_operators: [],
    logs_info: '',
    controller_logs_started_at: UNSET_TIME,
    controller_logs_collected_at: UNSET_TIME,
    total_host_count: 0,
    enabled_host_count: 0,
    ready_host_count: 0,
    _outcomes: {},
    _worker_count: 0,
    _bootstrap_host_id: '',
    _attempt: 0,
    _log_digests: {},
    _has_kubeconfig: false,
    ...changes,
  };
  return { collection: COLLECTIONS.clusters, key: document.id, document };
}

export function hostDocument(changes: Partial<HostDocument> = {}): Stored<HostDocument> {
  const document: HostDocument = {
    ...OWNED,
    kind: 'Host',
    id: HOST_ID,
    href: `/api/assisted-install/v2/infra-envs/${INFRA_ENV_ID}/hosts/${HOST_ID}`,
    infra_env_id: INFRA_ENV_ID,
    cluster_id: CLUSTER_ID,
    status: 'discovering',
    _status_reason: NO_REASON,
    status_updated_at: MADE_AT,
    role: 'auto-assign',
    suggested_role: 'master',
    bootstrap: false,
    media_status: 'connected',
    progress: { stage_started_at: UNSET_TIME, stage_updated_at: UNSET_TIME },
    stage_started_at: UNSET_TIME,
    stage_updated_at: UNSET_TIME,
    connection_timed_out: false,
    created_at: MADE_AT,
    updated_at: MADE_AT,
    registered_at: MADE_AT,
    checked_in_at: MADE_AT,
    logs_info: '',
    logs_started_at: UNSET_TIME,
    logs_collected_at: UNSET_TIME,
    _host_key: hostKeyOf(INFRA_ENV_ID, HOST_ID),
    _generation: 0,
    _outcomes: {},
    _networks: [],
    ...changes,
  };
  return { collection: COLLECTIONS.hosts, key: hostKeyOf(document.infra_env_id, document.id), document };
}

export function infraEnvDocument(changes: Partial<InfraEnvDocument> = {}): Stored<InfraEnvDocument> {
  const document: InfraEnvDocument = {
    ...OWNED,
    kind: 'InfraEnv',
    id: INFRA_ENV_ID,
    href: `/api/assisted-install/v2/infra-envs/${INFRA_ENV_ID}`,
    name: 'one_infra-env',
    cluster_id: CLUSTER_ID,
    openshift_version: '4.18',
    cpu_architecture: 'x86_64',
    type: 'full-iso',
    proxy: {},
    pull_secret_set: true,
    expires_at: UNSET_TIME,
    created_at: MADE_AT,
    updated_at: MADE_AT,
    ...changes,
  };
  return { collection: COLLECTIONS.infraEnvs, key: document.id, document };
}

export function eventDocument(ordinal: number, changes: Partial<EventDocument> = {}): Stored<EventDocument> {
  const document: EventDocument = {
    ...OWNED,
    name: 'cluster_status_updated',
    severity: 'info',
    category: 'user',
    _props: {},
    message: `event ${ordinal}`,
    event_time: MADE_AT,
    cluster_id: CLUSTER_ID,
    ...changes,
  };
  return { collection: COLLECTIONS.events, key: `${String(ordinal).padStart(16, '0')}.0`, document };
}
