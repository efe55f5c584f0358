import type { ClusterNetwork, ClusterSettings, Plain } from '@muster/contracts';
import type { RegisterClusterBody, ReviseClusterBody } from './cluster.request';
import { DEFAULT_CLUSTER_NETWORK_CIDR, DEFAULT_HOST_PREFIX_IPV4 } from './wire-values';
import type { ClusterNetworkRequest, NetworkRequest, VipRequest } from './network.request';

const DEFAULT_HOST_PREFIX_IPV6 = 64;

type ClusterBody = RegisterClusterBody & ReviseClusterBody;

/** The settings of the request in the form of the bus. Absent fields stay absent. */
export function toClusterSettings(request: Partial<RegisterClusterBody> | ReviseClusterBody): Plain<ClusterSettings> {
  const body: Partial<ClusterBody> = request;
  return withoutAbsent({
    name: body.name,
    baseDnsDomain: body.base_dns_domain,
    openshiftVersion: body.openshift_version,
    ocpReleaseImage: body.ocp_release_image,
    cpuArchitecture: body.cpu_architecture === 'aarch64' ? 'arm64' : body.cpu_architecture,
    controlPlaneCount: body.control_plane_count,
    highAvailabilityMode: body.high_availability_mode,
    clusterNetworks: toClusterNetworks(body),
    serviceNetworks: toCidrs(body.service_networks, body.service_network_cidr),
    machineNetworks: toCidrs(body.machine_networks, body.machine_network_cidr),
    apiVips: toAddresses(body.api_vips),
    ingressVips: toAddresses(body.ingress_vips),
    vipDhcpAllocation: body.vip_dhcp_allocation,
    userManagedNetworking: body.user_managed_networking,
    networkType: body.network_type,
    sshPublicKey: body.ssh_public_key,
    proxy: toProxy(body),
    additionalNtpSource: body.additional_ntp_source,
    ntpSources: body.ntp_sources,
    hyperthreading: body.hyperthreading,
    schedulableMasters: body.schedulable_masters,
    tags: body.tags,
    platformType: body.platform?.type,
    platformDetails: body.platform?.external && { external: withoutAbsent({ ...body.platform.external }) },
    diskEncryption: body.disk_encryption && withoutAbsent({ ...body.disk_encryption }),
    loadBalancerType: body.load_balancer?.type,
    olmOperators: body.olm_operators && {
      items: body.olm_operators.map(({ name = '', properties = '' }) => ({ name, properties, sourceBundles: [] })),
    },
    apiVipDnsName: body.api_vip_dns_name,
    ignitionEndpoint: body.ignition_endpoint && withoutAbsent({ ...body.ignition_endpoint }),
  });
}

function toClusterNetworks(body: Partial<ClusterBody>): { items: Plain<ClusterNetwork>[] } | undefined {
  const { cluster_network_cidr: cidr, cluster_network_host_prefix: hostPrefix } = body;
  const single = cidr !== undefined || hostPrefix !== undefined;
  const networks: readonly ClusterNetworkRequest[] | undefined =
    body.cluster_networks ??
    (single ? [{ cidr: cidr ?? DEFAULT_CLUSTER_NETWORK_CIDR, host_prefix: hostPrefix }] : undefined);
  return (
    networks && {
      items: networks.map((network) => ({
        cidr: network.cidr,
        hostPrefix:
          network.host_prefix ?? (network.cidr.includes(':') ? DEFAULT_HOST_PREFIX_IPV6 : DEFAULT_HOST_PREFIX_IPV4),
      })),
    }
  );
}

function toCidrs(
  networks: readonly NetworkRequest[] | undefined,
  single: string | undefined,
): { items: string[] } | undefined {
  if (networks) return { items: networks.map(({ cidr }) => cidr) };
  return single === undefined ? undefined : { items: [single] };
}

function toAddresses(vips: readonly VipRequest[] | undefined): { items: string[] } | undefined {
  return vips && { items: vips.map(({ ip = '' }) => ip).filter((ip) => ip !== '') };
}

function toProxy(body: Partial<ClusterBody>): Plain<ClusterSettings>['proxy'] {
  const { http_proxy: httpProxy, https_proxy: httpsProxy, no_proxy: noProxy } = body;
  return httpProxy === undefined && httpsProxy === undefined && noProxy === undefined
    ? undefined
    : withoutAbsent({ httpProxy, httpsProxy, noProxy });
}

/** JSON has no undefined; only the given fields remain. */
export function withoutAbsent<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
