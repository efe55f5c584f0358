import { type ClusterDocument, UNSET_TIME, type V2ClusterProgress } from '@muster/assisted-api';
import type { EventData } from '@muster/contracts';
import { NO_REASON } from '@muster/domain';
import { settingsPatch } from './cluster-settings-view';
import { clusterHref } from './hrefs';
import { presentedOperators } from './operators-view';
import { type Occurrence, orAbsent, type Patch } from './view-rows';

export const NO_CLUSTER_PROGRESS: V2ClusterProgress = {
  total_percentage: 0,
  preparing_for_installation_stage_percentage: 0,
  installing_stage_percentage: 0,
  finalizing_stage_percentage: 0,
  finalizing_stage_started_at: UNSET_TIME,
  finalizing_stage_timed_out: false,
};

export const NO_CLUSTER_LOGS = {
  logs_info: '',
  controller_logs_started_at: UNSET_TIME,
  controller_logs_collected_at: UNSET_TIME,
  _log_digests: {},
} as const satisfies Patch<ClusterDocument>;

/** Members that are absent from answers until they are set. */
const NOT_GIVEN = {
  ocp_release_image: undefined,
  base_dns_domain: undefined,
  network_type: undefined,
  api_vip_dns_name: undefined,
  cluster_network_cidr: undefined,
  cluster_network_host_prefix: undefined,
  service_network_cidr: undefined,
  machine_network_cidr: undefined,
  ssh_public_key: undefined,
  http_proxy: undefined,
  https_proxy: undefined,
  no_proxy: undefined,
  additional_ntp_source: undefined,
  ntp_sources: undefined,
  ignition_endpoint: undefined,
  install_config_overrides: undefined,
  tags: undefined,
  ignored_host_validations: undefined,
  ignored_cluster_validations: undefined,
} as const satisfies Patch<ClusterDocument>;

/** The document of a new cluster. Defaults are the registration's to fill in; those here only keep required members present. */
export function registeredCluster(data: EventData<'ClusterRegistered'>, occurrence: Occurrence): ClusterDocument {
  const { clusterId, settings } = data;
  return {
    ...NOT_GIVEN,
    kind: data.kind,
    id: clusterId,
    href: clusterHref(clusterId),
    name: '',
    user_name: data.owner?.userName ?? '',
    org_id: data.owner?.orgId ?? '',
    email_domain: data.owner?.emailDomain ?? '',
    status: data.status,
    _status_reason: data.statusReason ?? NO_REASON,
    status_updated_at: data.at || occurrence.at,
    created_at: occurrence.at,
    updated_at: occurrence.at,
    install_started_at: UNSET_TIME,
    install_completed_at: UNSET_TIME,
    openshift_version: '',
    openshift_cluster_id: orAbsent(data.openshiftClusterId),
    cpu_architecture: 'x86_64',
    control_plane_count: 3,
    high_availability_mode: 'Full',
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
    pull_secret_set: data.pullSecretSet,
    hyperthreading: 'all',
    schedulable_masters: false,
    disk_encryption: { enable_on: 'none', mode: 'tpmv2' },
    imported: data.imported,
    progress: NO_CLUSTER_PROGRESS,
    'last-installation-preparation': { status: 'not_started' },
    monitored_operators: presentedOperators(data.monitoredOperators, clusterId, settings?.olmOperators?.items ?? []),
    total_host_count: 0,
    enabled_host_count: 0,
    ready_host_count: 0,
    ...NO_CLUSTER_LOGS,
    _outcomes: {},
    _worker_count: 0,
    _bootstrap_host_id: '',
    _attempt: 0,
    _ui_settings: '',
    _has_kubeconfig: false,
    _position: occurrence.position,
    ...(settings ? settingsPatch(settings, clusterId) : {}),
  };
}
