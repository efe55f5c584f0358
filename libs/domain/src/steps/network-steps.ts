import { formatNetwork, parseCidrs, parseIp } from '@muster/addresses';
import { withoutPrefix } from './machine-network';
import { isDay2Host, type StepArguments, type StepOtherHost } from './step-context';

/** Scanning more addresses than a /22 has takes longer than it is worth. */
const FREE_ADDRESSES_PREFIX_MIN = 22;

/** Every other host's NICs with their addresses, prefix lengths cut off, IPv4 before IPv6. */
export const connectivityCheck: StepArguments = (context) => {
  const remote = context.others().filter(({ status }) => status !== 'discovering' && status !== 'disconnected');
  if (remote.length === 0 || remote.some(({ hardware }) => !hardware || hardware.nics.length === 0)) return undefined;
  return [`[${remote.map(remoteHost).join(',')}]`];
};

/** Each host of a cluster gets the addresses of all others. The entry of one host is written once for all of them. */
const WRITTEN_NICS = new WeakMap<object, string>();

function remoteHost({ hostId, hardware }: StepOtherHost): string {
  if (!hardware) return '';
  let nics = WRITTEN_NICS.get(hardware);
  if (nics === undefined) {
    nics = JSON.stringify(
      hardware.nics.map((nic) => ({
        name: nic.name,
        mac: nic.macAddress,
        ip_addresses: [...nic.ipv4Addresses, ...nic.ipv6Addresses].map(withoutPrefix),
      })),
    );
    WRITTEN_NICS.set(hardware, nics);
  }
  return `{"host_id":${JSON.stringify(hostId)},"nics":${nics}}`;
}

/** The host's own IPv4 networks that are small enough to be scanned. */
export const freeNetworkAddresses: StepArguments = ({ hardware }) => {
  const cidrs = parseCidrs((hardware?.nics ?? []).flatMap((nic) => nic.ipv4Addresses));
  const scannable = cidrs.filter(({ family, prefix }) => family === 4 && prefix >= FREE_ADDRESSES_PREFIX_MIN);
  return scannable.length > 0 ? [JSON.stringify([...new Set(scannable.map(formatNetwork))])] : undefined;
};

export const ntpSynchronizer: StepArguments = ({ cluster, infraEnv }) => [
  JSON.stringify({ ntp_source: cluster ? cluster.ntpSources : infraEnv.ntpSources }),
];

export const domainResolution: StepArguments = ({ cluster, host }) => {
  if (!cluster?.name || !cluster.baseDnsDomain) return undefined;
  const domain = `${cluster.name}.${cluster.baseDnsDomain}`;
  const wildcard = `validateNoWildcardDNS.${domain}`;
  const registry = isDay2Host(host) ? undefined : registryOf(cluster.releaseImage);
  const names = [
    `api.${domain}`,
    `api-int.${domain}`,
    `console-openshift-console.apps.${domain}`,
    wildcard,
    // With the dot no search domain of the host is tried.
    `${wildcard}.`,
    ...(registry ? [registry] : []),
  ];
  return [JSON.stringify({ domains: names.map((domain_name) => ({ domain_name })) })];
};

/** Host name of an image reference's registry; undefined for an address, which needs no resolving, or the default registry. */
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
