import type {
  ClusterNetwork,
  ClusterSettings,
  DiskFormattingList,
  FirstNetworks,
  HostSettings,
  InfraEnvSettings,
  OperatorBundleList,
  Plain,
} from '@muster/contracts';
import type { Refusal } from '@muster/problems';
import { onlyPresent } from '@muster/schema';
import type {
  BundleRequest,
  NetworkRequest,
  RegisterClusterBody,
  ReviseClusterBody,
  VipRequest,
} from './cluster.request';
import type { FencingCredentialsRequest, HttpHeaderRequest, ReviseHostBody } from './host.request';
import type { RegisterInfraEnvBody, ReviseInfraEnvBody } from './infra-env.request';
import { DEFAULT_CLUSTER_NETWORK_CIDR, DEFAULT_HOST_PREFIX_IPV4 } from './wire-values';

const DEFAULT_HOST_PREFIX_IPV6 = 64;

type ClusterBody = RegisterClusterBody & ReviseClusterBody;

/** Returns the settings of a new cluster in the form of the bus messages. Absent fields stay absent. */
export function toClusterSettings(body: Partial<RegisterClusterBody>): Plain<ClusterSettings> {
  const { cluster_network_cidr: cidr, cluster_network_host_prefix: host_prefix, service_network_cidr: service } = body;
  const isSingle = cidr !== undefined || host_prefix !== undefined;
  const single = isSingle ? [{ cidr: cidr ?? DEFAULT_CLUSTER_NETWORK_CIDR, host_prefix }] : undefined;
  return toClusterChanges({
    ...body,
    cluster_networks: body.cluster_networks ?? single,
    service_networks: body.service_networks ?? (service === undefined ? undefined : [{ cidr: service }]),
  });
}

/** Returns the settings of the request without the single networks of older clients. Absent fields stay absent. */
export function toClusterChanges(request: Partial<RegisterClusterBody> | ReviseClusterBody): Plain<ClusterSettings> {
  const body: Partial<ClusterBody> = request;
  return onlyPresent({
    name: body.name,
    baseDnsDomain: body.base_dns_domain,
    openshiftVersion: body.openshift_version,
    ocpReleaseImage: body.ocp_release_image,
    cpuArchitecture: body.cpu_architecture === 'aarch64' ? 'arm64' : body.cpu_architecture,
    controlPlaneCount: body.control_plane_count,
    highAvailabilityMode: body.high_availability_mode,
    clusterNetworks: toClusterNetworks(body),
    serviceNetworks: toCidrs(body.service_networks),
    machineNetworks: toCidrs(body.machine_networks),
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
    platformDetails: body.platform?.external && { external: onlyPresent({ ...body.platform.external }) },
    diskEncryption: body.disk_encryption && onlyPresent({ ...body.disk_encryption }),
    loadBalancerType: body.load_balancer?.type,
    olmOperators: body.olm_operators && {
      items: body.olm_operators.map(({ name = '', properties = '' }) => ({ name, properties, sourceBundles: [] })),
    },
    apiVipDnsName: body.api_vip_dns_name && toApiName(body.api_vip_dns_name),
    ignitionEndpoint: body.ignition_endpoint && onlyPresent({ ...body.ignition_endpoint }),
  });
}

/** Names are compared without regard to case, and may end with the dot of the root. Hosts and certificates contain the simple form. */
export const toApiName = (name: string): string => name.toLowerCase().replace(/(?<=[^.])\.$/, '');

/** Returns the single networks of older clients, which a revision changes. Undefined when the request contains none. */
export function toFirstNetworks(body: ReviseClusterBody): Plain<FirstNetworks> | undefined {
  const networks = onlyPresent({
    clusterNetworkCidr: body.cluster_network_cidr,
    clusterNetworkHostPrefix: body.cluster_network_host_prefix,
    serviceNetworkCidr: body.service_network_cidr,
    machineNetworkCidr: body.machine_network_cidr,
  });
  return Object.keys(networks).length > 0 ? networks : undefined;
}

function toClusterNetworks({
  cluster_networks: networks,
}: Partial<ClusterBody>): { items: Plain<ClusterNetwork>[] } | undefined {
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

function toCidrs(networks: readonly NetworkRequest[] | undefined): { items: string[] } | undefined {
  return networks && { items: networks.map(({ cidr }) => cidr) };
}

function toAddresses(vips: readonly VipRequest[] | undefined): { items: string[] } | undefined {
  return vips && { items: vips.map(({ ip = '' }) => ip).filter((ip) => ip !== '') };
}

function toProxy(body: Partial<ClusterBody>): Plain<ClusterSettings>['proxy'] {
  const { http_proxy: httpProxy, https_proxy: httpsProxy, no_proxy: noProxy } = body;
  return httpProxy === undefined && httpsProxy === undefined && noProxy === undefined
    ? undefined
    : onlyPresent({ httpProxy, httpsProxy, noProxy });
}

/** Returns the bundles in the form of the services. Undefined when the request contains none. */
export function toOperatorBundles(
  bundles: readonly BundleRequest[] | undefined,
): Plain<OperatorBundleList> | undefined {
  return (
    bundles && {
      items: bundles.map(({ id, optional_operators: optional }) => ({
        id,
        optionalOperators: optional && { items: [...optional] },
      })),
    }
  );
}

/** Returns the settings of a new infra-env in the form of the bus messages. */
export function toInfraEnvSettings(body: RegisterInfraEnvBody): Plain<InfraEnvSettings> {
  return { ...toInfraEnvFields(body), ...toIdentity(body) };
}

/** In a revision, an empty key, version or override means no change, as in the v2 API. */
export function toInfraEnvChanges(body: ReviseInfraEnvBody): Plain<InfraEnvSettings> {
  const changes = toInfraEnvFields(body);
  for (const field of ['sshAuthorizedKey', 'openshiftVersion'] as const) {
    if (changes[field] === '') delete changes[field];
  }
  return changes;
}

function toIdentity(body: RegisterInfraEnvBody): Plain<InfraEnvSettings> {
  return onlyPresent({
    name: body.name,
    clusterId: body.cluster_id?.toLowerCase(),
    cpuArchitecture: body.cpu_architecture === 'aarch64' ? 'arm64' : body.cpu_architecture,
  });
}

function toInfraEnvFields(body: RegisterInfraEnvBody | ReviseInfraEnvBody): Plain<InfraEnvSettings> {
  return onlyPresent({
    openshiftVersion: body.openshift_version,
    imageType: body.image_type,
    proxy:
      body.proxy &&
      onlyPresent({
        httpProxy: body.proxy.http_proxy,
        httpsProxy: body.proxy.https_proxy,
        noProxy: body.proxy.no_proxy,
      }),
    sshAuthorizedKey: body.ssh_authorized_key,
    additionalNtpSources: body.additional_ntp_sources,
    ntpSources: body.ntp_sources,
    additionalTrustBundle: body.additional_trust_bundle,
    kernelArguments: body.kernel_arguments && toListText(body.kernel_arguments),
    rendezvousIp: body.rendezvous_ip,
    networkDiscoveryDelaySeconds: body.network_discovery_delay_seconds,
  });
}

/**
 * Returns documents that the receiving service seals. Empty networks become removed, so that they are absent in
 * responses.
 */
export function toInfraEnvDocuments(body: RegisterInfraEnvBody | ReviseInfraEnvBody): {
  readonly ignitionConfigOverride?: string;
  readonly staticNetworkConfig?: string;
} {
  const { ignition_config_override: ignitionConfigOverride, static_network_config: networks } = body;
  return onlyPresent({
    ignitionConfigOverride,
    staticNetworkConfig: networks && toListText(networks),
  });
}

/** No items: empty, so that the field is absent in responses. */
const toListText = (items: readonly object[]): string => (items.length > 0 ? JSON.stringify(items) : '');

export interface HostRevision {
  readonly hostName?: string;
  readonly hostRole?: string;
  readonly installationDiskId?: string;
  readonly settings: Plain<HostSettings>;
  readonly disks?: Plain<DiskFormattingList>;
  /** Returns secrets that the receiving service seals. An empty value removes the stored one. */
  readonly ignitionEndpointToken?: string;
  /** JSON object of header names and values. */
  readonly ignitionEndpointHttpHeaders?: string;
  /** JSON object in the form of the v2 API. */
  readonly fencingCredentials?: string;
}

/** Returns the settings of the request in the form of the bus messages. */
export function toHostRevision(body: ReviseHostBody): HostRevision | { readonly refusal: Refusal } {
  const chosen = (body.disks_selected_config ?? []).filter(({ role }) => role === 'install');
  if (body.disks_selected_config && chosen.length !== 1) {
    return {
      refusal: {
        code: 'conflicts-with-other',
        reason: `disks_selected_config has ${chosen.length} disks with the role install. Exactly one is allowed`,
        subject: 'disks_selected_config',
      },
    };
  }
  const refusal = headerRefusal(body);
  if (refusal) return { refusal };
  const revision = onlyPresent({
    hostName: body.host_name,
    hostRole: body.host_role,
    installationDiskId: chosen[0]?.id,
    ignitionEndpointToken: body.ignition_endpoint_token,
    ignitionEndpointHttpHeaders: body.ignition_endpoint_http_headers && toHeaders(body.ignition_endpoint_http_headers),
    fencingCredentials: body.fencing_credentials && toCredentials(body.fencing_credentials),
    disks: body.disks_skip_formatting && {
      items: body.disks_skip_formatting.map(({ disk_id: diskId, skip_formatting: skip }) => ({ diskId, skip })),
    },
  });
  const settings = onlyPresent({
    machineConfigPoolName: body.machine_config_pool_name,
    nodeLabels:
      body.node_labels && JSON.stringify(Object.fromEntries(body.node_labels.map(({ key, value }) => [key, value]))),
  });
  return { ...revision, settings };
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** Control characters, except tabs. */
const NOT_IN_HEADERS = /[^\P{Cc}\t]/u;

/** Ignition refuses such a header when the installed host starts. The values are secrets. */
function headerRefusal(body: ReviseHostBody): Refusal | undefined {
  const refused = (subject: string, reason: string): Refusal => ({ code: 'invalid-input', reason, subject });
  const { ignition_endpoint_token: token = '', ignition_endpoint_http_headers: headers = [] } = body;
  if (NOT_IN_HEADERS.test(token))
    return refused(
      'ignition_endpoint_token',
      'ignition_endpoint_token contains a line break or another control character. Send the token alone.',
    );
  const wrong = headers.findIndex(
    ({ key, value }) => !HEADER_NAME.test(key) || value === '' || NOT_IN_HEADERS.test(value),
  );
  if (wrong < 0) return undefined;
  return refused(
    'ignition_endpoint_http_headers',
    `ignition_endpoint_http_headers[${wrong}] is not an HTTP header. A key consists of letters, digits and hyphens. A value is not empty and has no line breaks or other control characters.`,
  );
}

/** No headers: empty, which removes the stored ones. */
function toHeaders(headers: readonly HttpHeaderRequest[]): string {
  return headers.length === 0 ? '' : JSON.stringify(Object.fromEntries(headers.map(({ key, value }) => [key, value])));
}

const toCredentials = ({ certificate_verification: verification = 'Enabled', ...given }: FencingCredentialsRequest) =>
  JSON.stringify({ ...given, certificate_verification: verification });
