import type { ServerPlace } from './certificates.table';

export interface PkiInput {
  /** `<cluster>.<base domain>` */
  readonly domain: string;
  /** API VIPs. */
  readonly addresses: readonly string[];
  /** CIDRs. The API server gets the first address of each. */
  readonly serviceNetworks: readonly string[];
  /** ISO 8601. */
  readonly startedAt: string;
}

export interface ServerName {
  readonly type: 'dns' | 'ip';
  readonly value: string;
}

const dns = (value: string): ServerName => ({ type: 'dns', value });
const ip = (value: string): ServerName => ({ type: 'ip', value });

/** Returns the DNS names and IP addresses of a server certificate. */
export function serverNames(place: ServerPlace, input: PkiInput): readonly ServerName[] {
  const { domain, addresses, serviceNetworks } = input;
  switch (place) {
    case 'api':
      return [dns(`api.${domain}`), dns(`api-int.${domain}`), ...addresses.map(ip)];
    case 'localhost':
      return [dns('localhost'), ip('127.0.0.1'), ip('::1')];
    case 'service-network':
      return [
        ...['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'].map(
          dns,
        ),
        ...['openshift', 'openshift.default', 'openshift.default.svc', 'openshift.default.svc.cluster.local'].map(dns),
        ...serviceNetworks.flatMap((network) => firstAddressOf(network) ?? []).map(ip),
      ];
    case 'machine-config-server':
      return [dns(`api-int.${domain}`), ...addresses.map(ip)];
    default:
      return place satisfies never;
  }
}

/** Returns the first host address of a network; undefined when the text is not a network. */
export function firstAddressOf(cidr: string): string | undefined {
  const address = cidr.split('/')[0] ?? '';
  if (address.includes(':')) return address.endsWith('::') ? `${address}1` : undefined;
  const octets = address.split('.').map(Number);
  const last = octets.pop();
  return octets.length === 3 && last !== undefined ? [...octets, last + 1].join('.') : undefined;
}
