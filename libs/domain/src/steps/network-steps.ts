import { type Cidr, containsIp, formatNetwork, isLinkLocal, parseCidr, parseCidrs, parseIp } from '@muster/addresses';
import { hostKeyOf } from '@muster/contracts';
import { keptByObject, urlHost } from '@muster/schema';
import { addressesOf, type Hardware, type Nic } from '@muster/validation-rules';
import { withoutPrefix } from './remote-hosts';
import { isDay2Host, type StepArguments, type StepCluster, type StepContext, type StepHost } from './step-context';
import { vipMacAddress } from './vip-leases';

/** Returns the addresses of a NIC without link-local addresses, which every NIC has. */
export function nicAddresses(nic: Nic): readonly Cidr[] {
  return parseCidrs([...nic.ipv4Addresses, ...nic.ipv6Addresses]).filter(({ address }) => !isLinkLocal(address));
}

export function isInNetwork(nic: Nic, network: Cidr): boolean {
  return nicAddresses(nic).some(({ address }) => containsIp(network, address));
}

/**
 * Returns the network from which the host gets its address at first boot: the first machine network that contains it.
 * In a cluster without machine networks, the network of its bootstrap host. Undefined when neither is known.
 */
export function machineNetworkOf(context: StepContext): Cidr | undefined {
  const networks = parseCidrs(context.cluster?.machineNetworks ?? []);
  const nics = context.hardware?.nics ?? [];
  const own = networks.find((network) => nics.some((nic) => isInNetwork(nic, network)));
  return own ?? networks[0] ?? bootstrapNetwork(context);
}

/** Returns the first IPv4 network of the bootstrap host, else its first network. */
function bootstrapNetwork(context: StepContext): Cidr | undefined {
  const bootstrap = context.host.isBootstrap
    ? context.hardware
    : context.others().find(({ isBootstrap }) => isBootstrap)?.hardware;
  const networks = parseCidrs(bootstrap ? addressesOf(bootstrap) : []).filter(({ address }) => !isLinkLocal(address));
  return networks.find(({ family }) => family === 4) ?? networks[0];
}

/**
 * Returns the addresses of a host without prefix lengths: those in the network, or all addresses when no network is
 * given.
 */
export function addressesIn(hardware: Hardware, network: Cidr | undefined): readonly string[] {
  return addressesOf(hardware)
    .filter((text) => {
      const cidr = parseCidr(text);
      return cidr && !isLinkLocal(cidr.address) && (!network || containsIp(network, cidr.address));
    })
    .map(withoutPrefix);
}

/** The smallest prefix length that is scanned. A scan of more addresses than a /22 takes too long. */
const FREE_ADDRESSES_PREFIX_MIN = 22;

/** Returns the NICs and addresses of every other host of the cluster. */
export const connectivityCheck: StepArguments = ({ host, remoteHosts }) => {
  const others = remoteHosts().without(hostKeyOf(host.infraEnvId, host.hostId));
  return others === undefined ? undefined : [others];
};

/** Returns the IPv4 networks of the host that are small enough to be scanned. */
export const freeNetworkAddresses: StepArguments = ({ hardware }) => {
  if (!hardware) return undefined;
  const networks = scannedNetworks(hardware);
  return networks ? [networks] : undefined;
};

/** Returns a JSON array, or an empty text when no network is small enough. It is written once per inventory. */
const scannedNetworks = keptByObject(({ nics }: Hardware): string => {
  const cidrs = parseCidrs(nics.flatMap((nic) => nic.ipv4Addresses));
  const scannable = cidrs.filter(({ family, prefix }) => family === 4 && prefix >= FREE_ADDRESSES_PREFIX_MIN);
  return scannable.length > 0 ? JSON.stringify([...new Set(scannable.map(formatNetwork))]) : '';
});

/** Sent to every host in the primary machine network: the MAC addresses of the VIPs are the same on all hosts. */
export const dhcpLeaseAllocate: StepArguments = ({ cluster, hardware }) => {
  if (!cluster?.vipDhcpAllocation) return undefined;
  const network = parseCidr(cluster.machineNetworks[0] ?? '');
  const nic = network && hardware?.nics.find((candidate) => isInNetwork(candidate, network));
  if (!nic) return undefined;
  return [
    JSON.stringify({
      interface: nic.name,
      api_vip_mac: vipMacAddress(cluster.id, 'api'),
      ingress_vip_mac: vipMacAddress(cluster.id, 'ingress'),
      api_vip_lease: cluster.vipLeases.api || undefined,
      ingress_vip_lease: cluster.vipLeases.ingress || undefined,
    }),
  ];
};

export const ntpSynchronizer: StepArguments = ({ cluster, infraEnv }) => [
  JSON.stringify({ ntp_source: cluster ? cluster.ntpSources : infraEnv.ntpSources }),
];

export const domainResolution: StepArguments = ({ cluster, host }) => {
  const domains = cluster && resolvedDomains(cluster, isDay2Host(host));
  return domains ? [domains] : undefined;
};

/** Returns a JSON object, or an empty text for a cluster without a domain. It is written once per change of the cluster. */
const resolvedDomains = keptByObject(({ name, baseDnsDomain, releaseImage }: StepCluster, isDay2: boolean): string => {
  if (!name || !baseDnsDomain) return '';
  const domain = `${name}.${baseDnsDomain}`;
  const wildcard = `validateNoWildcardDNS.${domain}`;
  const registry = isDay2 ? undefined : registryOf(releaseImage);
  const names = [
    `api.${domain}`,
    `api-int.${domain}`,
    `console-openshift-console.apps.${domain}`,
    wildcard,
    // With the trailing dot, the search domains of the host are not tried.
    `${wildcard}.`,
    ...(registry ? [registry] : []),
  ];
  return JSON.stringify({ domains: names.map((domain_name) => ({ domain_name })) });
});

/**
 * Returns the host name of an image reference's registry. Undefined for an IP address, which needs no name resolution,
 * and for the default registry.
 */
function registryOf(image: string): string | undefined {
  const [registry = '', ...path] = image.split('/');
  if (path.length === 0 || !/[.:]/.test(registry) || registry.startsWith('[')) return undefined;
  const name = registry.replace(/:\d+$/, '');
  return parseIp(name) ? undefined : name;
}

export const verifyVips: StepArguments = ({ cluster, hardware }) => {
  if (!cluster || !hardware) return undefined;
  const vips = [
    ...cluster.apiVips.map((vip) => ({ vip, vip_type: 'api' })),
    ...cluster.ingressVips.map((vip) => ({ vip, vip_type: 'ingress' })),
  ];
  return vips.length > 0 ? [JSON.stringify(vips)] : undefined;
};

const IGNITION_PORT = 22_624;
const IGNITION_TLS_PORT = 22_623;

/** Returns the check whether a day-2 host can download its Ignition config from the endpoint that it will use. */
export const apiVipConnectivityCheck: StepArguments = ({ cluster, host }) => {
  const caCertificate = host.ignitionAccess?.caCertificate || cluster?.ignitionEndpoint?.caCertificate;
  const base =
    cluster && ignitionBase({ ...cluster, ignitionEndpoint: { ...cluster.ignitionEndpoint, caCertificate } });
  if (!base) return undefined;
  return [
    JSON.stringify({
      url: `${base}/${poolOf(host)}`,
      ca_certificate: caCertificate || undefined,
      ignition_endpoint_token: host.ignitionAccess?.token || undefined,
      request_headers: headersOf(host),
    }),
  ];
};

/** The token is sent as a member and as a header, because some agent versions read only one of them. */
function headersOf({ ignitionAccess }: StepHost): readonly { readonly key: string; readonly value: string }[] {
  if (!ignitionAccess) return [];
  const { token, headers } = ignitionAccess;
  const given = Object.entries(headers).map(([key, value]) => ({ key, value }));
  const others = given.filter(({ key }) => key.toLowerCase() !== 'authorization');
  return token ? [...others, { key: 'Authorization', value: `Bearer ${token}` }] : given;
}

/**
 * Returns the endpoint that a user set, else the machine-config server behind the API. It uses TLS when its CA is
 * known.
 */
export function ignitionBase({
  ignitionEndpoint,
  apiVipDnsName,
}: Pick<StepCluster, 'ignitionEndpoint' | 'apiVipDnsName'>): string | undefined {
  if (ignitionEndpoint?.url) return withoutFinalSlashes(ignitionEndpoint.url);
  if (!apiVipDnsName) return undefined;
  const host = urlHost(apiVipDnsName);
  if (!ignitionEndpoint?.caCertificate) return `http://${host}:${IGNITION_PORT}/config`;
  return `https://${host.replace(/^api\./, 'api-int.')}:${IGNITION_TLS_PORT}/config`;
}

/** A pattern would read the rest of the URL once for each slash. */
function withoutFinalSlashes(url: string): string {
  let end = url.length;
  while (url.charAt(end - 1) === '/') end -= 1;
  return url.slice(0, end);
}

const poolOf = ({ machineConfigPoolName, effectiveRole }: StepHost): string =>
  machineConfigPoolName || (effectiveRole === 'auto-assign' ? 'worker' : effectiveRole);

/**
 * Returns the check whether a host with disk encryption reaches its Tang servers. On day 2, the Ignition config of the
 * installed cluster contains the servers, after the host has downloaded it.
 */
export const tangConnectivityCheck: StepArguments = ({ cluster, host }) => {
  if (isDay2Host(host)) return host.tangServers ? [JSON.stringify({ tang_servers: host.tangServers })] : undefined;
  const encryption = cluster?.diskEncryption;
  if (!encryption || encryption.mode !== 'tang' || !encryption.tangServers) return undefined;
  const encrypted = encryption.enableOn.split(',');
  const isEncrypted = encrypted.includes('all') || encrypted.includes(`${host.effectiveRole}s`);
  return isEncrypted ? [JSON.stringify({ tang_servers: encryption.tangServers })] : undefined;
};
