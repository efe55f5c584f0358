import { type ClusterDocument, UNSET_TIME, type V2ClusterProgress } from '@muster/assisted-api';
import type { EventData } from '@muster/contracts';
import { NO_REASON } from '@muster/domain';
import { keysOf, onlyPresent } from '@muster/schema';
import { presentedOperators } from './operators-view';
import { clusterHref, type Occurrence, orAbsent, type Patch, patched } from './view-rows';

type Settings = NonNullable<EventData<'ClusterRegistered'>['settings']>;
type WritablePatch = { -readonly [Member in keyof ClusterDocument]?: ClusterDocument[Member] | undefined };

/** Returns the changes of the document for given settings. Absent settings stay. */
export function settingsPatch(settings: Settings, clusterId: string, before?: ClusterDocument): WritablePatch {
  return Object.assign(
    shownAsGiven(settings),
    networksPatch(settings, clusterId, before),
    platformPatch(settings, before),
    proxyPatch(settings.proxy),
    overridesPatch(settings),
    installConfigPatch(settings),
  );
}

/** Settings that documents contain unchanged. An empty text removes the member. */
function shownAsGiven(settings: Settings): WritablePatch {
  const given: WritablePatch = onlyPresent({
    name: settings.name,
    base_dns_domain: settings.baseDnsDomain,
    openshift_version: settings.openshiftVersion,
    ocp_release_image: settings.ocpReleaseImage,
    cpu_architecture: settings.cpuArchitecture,
    control_plane_count: settings.controlPlaneCount,
    high_availability_mode: settings.highAvailabilityMode,
    vip_dhcp_allocation: settings.vipDhcpAllocation,
    user_managed_networking: settings.userManagedNetworking,
    network_type: settings.networkType,
    ssh_public_key: settings.sshPublicKey,
    additional_ntp_source: settings.additionalNtpSource,
    ntp_sources: settings.ntpSources,
    hyperthreading: settings.hyperthreading,
    schedulable_masters: settings.schedulableMasters,
    tags: settings.tags,
    api_vip_dns_name: settings.apiVipDnsName,
    disk_encryption: settings.diskEncryption,
    ignition_endpoint: settings.ignitionEndpoint,
  });
  for (const member of keysOf(given)) if (given[member] === '') given[member] = undefined;
  return given;
}

function installConfigPatch({ installConfigOverrides: given }: Settings): WritablePatch {
  if (!given) return {};
  const { digest = '', bytes = 0 } = given.document ?? {};
  return {
    _install_config_overrides: digest === '' ? undefined : { digest, bytes, ...(given.isFips && { is_fips: true }) },
  };
}

function networksPatch(settings: Settings, clusterId: string, before: ClusterDocument | undefined): WritablePatch {
  const patch: WritablePatch = {};
  if (settings.clusterNetworks) {
    const networks = settings.clusterNetworks.items;
    patch.cluster_networks = networks.map(({ cidr, hostPrefix }) => ({
      cluster_id: clusterId,
      cidr,
      host_prefix: hostPrefix,
    }));
    patch.cluster_network_cidr = networks[0]?.cidr;
    patch.cluster_network_host_prefix = networks[0]?.hostPrefix;
  }
  if (settings.serviceNetworks) {
    patch.service_networks = settings.serviceNetworks.items.map((cidr) => ({ cluster_id: clusterId, cidr }));
    patch.service_network_cidr = settings.serviceNetworks.items[0];
  }
  if (settings.machineNetworks) Object.assign(patch, machineNetworksPatch(settings.machineNetworks.items, clusterId));
  if (settings.apiVips) patch.api_vips = presentedVips('api', settings.apiVips.items, clusterId, before);
  if (settings.ingressVips)
    patch.ingress_vips = presentedVips('ingress', settings.ingressVips.items, clusterId, before);
  return patch;
}

export function machineNetworksPatch(cidrs: readonly string[], clusterId: string): WritablePatch {
  return {
    machine_networks: cidrs.map((cidr) => ({ cluster_id: clusterId, cidr })),
    machine_network_cidr: cidrs[0],
  };
}

/** An address that stays, or is set again, has the last result of its check. */
export function presentedVips(
  vipType: 'api' | 'ingress',
  addresses: readonly string[],
  clusterId: string,
  before: ClusterDocument | undefined,
): ClusterDocument['api_vips'] {
  const shown = before?.[`${vipType}_vips`] ?? [];
  return addresses.map((ip) => {
    const stays = shown.find((vip) => vip.ip === ip) ?? { cluster_id: clusterId, ip };
    const report = before?._verified_vips?.find((vip) => vip.vip === ip && vip.vipType === vipType);
    return report ? { ...stays, verification: report.verification } : stays;
  });
}

function platformPatch(settings: Settings, before: ClusterDocument | undefined): WritablePatch {
  const patch: WritablePatch = {};
  const { platformType, platformDetails } = settings;
  if (platformDetails) patch._platform_details = platformDetails;
  if (platformType !== undefined || platformDetails) {
    const type = platformType ?? before?.platform.type ?? 'baremetal';
    // Earlier events of another type did not clear the details, and those of the former type did not contain them again.
    const details = platformDetails ?? (type === 'external' ? before?._platform_details : undefined);
    patch.platform = { ...details, type };
  }
  if (settings.loadBalancerType) patch.load_balancer = { type: settings.loadBalancerType };
  return patch;
}

/** A proxy is replaced as a whole. */
function proxyPatch(proxy: Settings['proxy']): WritablePatch {
  if (!proxy) return {};
  return {
    http_proxy: orAbsent(proxy.httpProxy ?? ''),
    https_proxy: orAbsent(proxy.httpsProxy ?? ''),
    no_proxy: orAbsent(proxy.noProxy ?? ''),
  };
}

function overridesPatch(settings: Settings): WritablePatch {
  const patch: WritablePatch = {};
  const { ignoredHostValidations, ignoredClusterValidations, uiSettings } = settings;
  if (ignoredHostValidations) patch.ignored_host_validations = JSON.stringify(ignoredHostValidations.items);
  if (ignoredClusterValidations) patch.ignored_cluster_validations = JSON.stringify(ignoredClusterValidations.items);
  if (uiSettings) patch._ui_settings_digest = orAbsent(uiSettings.digest);
  return patch;
}

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

/**
 * A new cluster before its registration is applied. Documents have all their members from the start, and a copy of one object costs a
 * hundredth of a literal with as many members and spreads (200 us). A member of value `undefined` is absent from responses.
 */
const BLANK_CLUSTER: ClusterDocument = {
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
  _install_config_overrides: undefined,
  tags: undefined,
  ignored_host_validations: undefined,
  ignored_cluster_validations: undefined,
  kind: 'Cluster',
  id: '',
  href: '',
  name: '',
  user_name: '',
  org_id: '',
  email_domain: '',
  status: '',
  _status_reason: NO_REASON,
  status_updated_at: '',
  created_at: '',
  updated_at: '',
  install_started_at: UNSET_TIME,
  install_completed_at: UNSET_TIME,
  openshift_version: '',
  openshift_cluster_id: undefined,
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
  pull_secret_set: false,
  hyperthreading: 'all',
  schedulable_masters: false,
  disk_encryption: { enable_on: 'none', mode: 'tpmv2' },
  imported: false,
  progress: NO_CLUSTER_PROGRESS,
  'last-installation-preparation': { status: 'not_started' },
  monitored_operators: [],
  total_host_count: 0,
  enabled_host_count: 0,
  ready_host_count: 0,
  ...NO_CLUSTER_LOGS,
  _outcomes: {},
  _worker_count: 0,
  _bootstrap_host_id: '',
  _attempt: 0,
  _has_kubeconfig: false,
  _position: 0,
};

/**
 * Returns the document of a new cluster. The registration service sets the defaults. The defaults here only make
 * required members present.
 */
export function registeredCluster(data: EventData<'ClusterRegistered'>, occurrence: Occurrence): ClusterDocument {
  const { clusterId, settings, owner } = data;
  const registration: Patch<ClusterDocument> = {
    kind: data.kind,
    id: clusterId,
    href: clusterHref(clusterId),
    user_name: owner?.userName ?? '',
    org_id: owner?.orgId ?? '',
    email_domain: owner?.emailDomain ?? '',
    status: data.status,
    _status_reason: data.statusReason ?? NO_REASON,
    status_updated_at: data.at || occurrence.at,
    created_at: occurrence.at,
    openshift_cluster_id: orAbsent(data.openshiftClusterId),
    pull_secret_set: data.pullSecretSet,
    imported: data.imported,
    monitored_operators: presentedOperators(data.monitoredOperators, clusterId, settings?.olmOperators?.items ?? []),
  };
  return Object.assign(
    patched({ ...BLANK_CLUSTER }, registration, occurrence),
    settings && settingsPatch(settings, clusterId),
  );
}
