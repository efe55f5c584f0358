import type { StepArguments, StepContext } from './step-context';

const MAX_FREE_ADDRESS_HOST_BITS = 10;

/** Every other host's NICs with their addresses, prefix lengths cut off, IPv4 before IPv6. */
export const connectivityCheck: StepArguments = (context) => {
  const remote = context.others().filter(({ status }) => status !== 'discovering' && status !== 'disconnected');
  if (remote.length === 0 || remote.some(({ hardware }) => !hardware || hardware.nics.length === 0)) return undefined;
  return [
    JSON.stringify(
      remote.map(({ hostId, hardware }) => ({
        host_id: hostId,
        nics: (hardware?.nics ?? []).map((nic) => ({
          name: nic.name,
          mac: nic.macAddress,
          ip_addresses: [...nic.ipv4Addresses, ...nic.ipv6Addresses].map(addressOf),
        })),
      })),
    ),
  ];
};

/** The host's own IPv4 networks that are small enough to be scanned (/22 or longer). */
export const freeNetworkAddresses: StepArguments = ({ hardware }) => {
  const networks = new Set((hardware?.nics ?? []).flatMap((nic) => nic.ipv4Addresses.map(networkOfIpv4)));
  const scannable = [...networks].filter((network) => 32 - Number(network.split('/')[1]) <= MAX_FREE_ADDRESS_HOST_BITS);
  return scannable.length > 0 ? [JSON.stringify(scannable)] : undefined;
};

export const ntpSynchronizer: StepArguments = ({ cluster, infraEnvNtpSources }) => [
  JSON.stringify({ ntp_source: cluster?.ntpSources || infraEnvNtpSources }),
];

export const domainResolution: StepArguments = ({ cluster, host }) => {
  if (!cluster?.name || !cluster.baseDnsDomain) return undefined;
  const domain = `${cluster.name}.${cluster.baseDnsDomain}`;
  const wildcard = `validateNoWildcardDNS.${domain}`;
  const registry = cluster.releaseImage.split('/')[0] ?? '';
  const isDay2 = host.kind === 'AddToExistingClusterHost';
  const names = [
    `api.${domain}`,
    `api-int.${domain}`,
    `console-openshift-console.apps.${domain}`,
    wildcard,
    `${wildcard}.`,
  ];
  if (!isDay2 && registry.includes('.') && !/^[\d.:]+$/.test(registry)) names.push(registry.replace(/:\d+$/, ''));
  return [JSON.stringify({ domains: names.map((domain_name) => ({ domain_name })) })];
};

export const verifyVips: StepArguments = ({ cluster, hardware }) => {
  if (!cluster || !hardware) return undefined;
  const vips = [
    ...cluster.apiVips.map((vip) => ({ vip, vip_type: 'api' })),
    ...cluster.ingressVips.map((vip) => ({ vip, vip_type: 'ingress' })),
  ];
  return vips.length > 0 ? [JSON.stringify(vips)] : undefined;
};

export const apiVipConnectivityCheck: StepArguments = ({ cluster, host }) => {
  if (!cluster?.apiVipDnsName) return undefined;
  const pool = host.machineConfigPoolName || (host.effectiveRole === 'auto-assign' ? 'worker' : host.effectiveRole);
  return [JSON.stringify({ url: `http://${cluster.apiVipDnsName}:22624/config/${pool}` })];
};

/** Addresses of the control plane hosts other than the bootstrap: in the machine network, or all where there is none. */
export function controlPlaneAddresses(context: StepContext): string[] {
  const network = context.cluster?.machineNetworks[0];
  return context
    .others()
    .filter(({ role, isBootstrap }) => role === 'master' && !isBootstrap)
    .flatMap(({ hardware }) => (hardware?.nics ?? []).flatMap((nic) => nic.ipv4Addresses))
    .filter((cidr) => !network || networkOfIpv4(`${addressOf(cidr)}/${network.split('/')[1]}`) === network)
    .map(addressOf);
}

export const addressOf = (cidr: string): string => cidr.split('/')[0] ?? cidr;

/** `192.0.2.77/24` → `192.0.2.0/24`. */
export function networkOfIpv4(cidr: string): string {
  const [address = '', prefix = '32'] = cidr.split('/');
  const bits = address.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);
  const size = 2 ** (32 - Number(prefix));
  const base = bits - (bits % size);
  return `${[24, 16, 8, 0].map((shift) => Math.floor(base / 2 ** shift) % 256).join('.')}/${prefix}`;
}
