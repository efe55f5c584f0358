import type { ClusterDocument } from '@muster/assisted-api';
import type { EventData } from '@muster/contracts';
import { orAbsent } from './view-rows';

type Settings = NonNullable<EventData<'ClusterRegistered'>['settings']>;
type WritablePatch = { -readonly [Member in keyof ClusterDocument]?: ClusterDocument[Member] | undefined };

/** Member of the contract for each setting that is shown as it is; an empty text removes it. */
const SHOWN_AS_GIVEN = {
  name: 'name',
  baseDnsDomain: 'base_dns_domain',
  openshiftVersion: 'openshift_version',
  ocpReleaseImage: 'ocp_release_image',
  cpuArchitecture: 'cpu_architecture',
  controlPlaneCount: 'control_plane_count',
  highAvailabilityMode: 'high_availability_mode',
  vipDhcpAllocation: 'vip_dhcp_allocation',
  userManagedNetworking: 'user_managed_networking',
  networkType: 'network_type',
  sshPublicKey: 'ssh_public_key',
  additionalNtpSource: 'additional_ntp_source',
  ntpSources: 'ntp_sources',
  hyperthreading: 'hyperthreading',
  schedulableMasters: 'schedulable_masters',
  tags: 'tags',
  installConfigOverrides: 'install_config_overrides',
  apiVipDnsName: 'api_vip_dns_name',
  diskEncryption: 'disk_encryption',
  ignitionEndpoint: 'ignition_endpoint',
} as const satisfies { readonly [Setting in keyof Settings]?: keyof ClusterDocument };

/** What given settings change in the document; absent ones stay. */
export function settingsPatch(settings: Settings, clusterId: string, before?: ClusterDocument): WritablePatch {
  const patch: { [member: string]: unknown } = {};
  for (const [setting, member] of Object.entries(SHOWN_AS_GIVEN)) {
    const value = settings[setting as keyof typeof SHOWN_AS_GIVEN];
    if (value !== undefined) patch[member] = value === '' ? undefined : value;
  }
  return {
    ...(patch as WritablePatch),
    ...networksPatch(settings, clusterId, before),
    ...platformPatch(settings, before),
    ...proxyPatch(settings.proxy),
    ...overridesPatch(settings),
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
  if (settings.apiVips) patch.api_vips = presentedVips(settings.apiVips.items, clusterId, before?.api_vips);
  if (settings.ingressVips)
    patch.ingress_vips = presentedVips(settings.ingressVips.items, clusterId, before?.ingress_vips);
  return patch;
}

export function machineNetworksPatch(cidrs: readonly string[], clusterId: string): WritablePatch {
  return {
    machine_networks: cidrs.map((cidr) => ({ cluster_id: clusterId, cidr })),
    machine_network_cidr: cidrs[0],
  };
}

/** An address that stays keeps what was found out about it. */
export function presentedVips(
  addresses: readonly string[],
  clusterId: string,
  before: ClusterDocument['api_vips'] = [],
): ClusterDocument['api_vips'] {
  return addresses.map(
    (ip) => before.find((vip) => vip.ip === ip) ?? { cluster_id: clusterId, ip, verification: 'unverified' },
  );
}

function platformPatch(settings: Settings, before: ClusterDocument | undefined): WritablePatch {
  const patch: WritablePatch = {};
  if (settings.platformType !== undefined || settings.platformDetails) {
    const type = settings.platformType ?? before?.platform.type ?? 'baremetal';
    patch.platform = { ...settings.platformDetails, type };
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
  if (uiSettings !== undefined) patch._ui_settings = uiSettings;
  return patch;
}
