/** A certificate authority of a new cluster. It signs itself unless another one signs it. */
export interface AuthorityRow {
  /** Name of its files without extension. */
  readonly name: string;
  readonly subject: string;
  readonly years: number;
}

function row<Name extends string>(name: Name, unit: string, years: number) {
  return { name, subject: `CN=${name}, OU=${unit}`, years };
}

/**
 * Each authority certifies one audience, so that a lost key affects no other one. The cluster replaces those that are
 * valid for a year.
 */
export const AUTHORITIES = [
  // Nodes trust it for their configuration during the whole life of the cluster.
  row('root-ca', 'openshift', 10),
  row('admin-kubeconfig-signer', 'openshift', 10),
  // The API for clients outside of the cluster, on the same host, and in pods.
  row('kube-apiserver-lb-signer', 'openshift', 10),
  row('kube-apiserver-localhost-signer', 'openshift', 10),
  row('kube-apiserver-service-network-signer', 'openshift', 10),
  row('kube-apiserver-to-kubelet-signer', 'openshift', 1),
  row('kube-control-plane-signer', 'openshift', 1),
  row('aggregator-signer', 'openshift', 1),
  row('kubelet-signer', 'openshift', 1),
  row('kubelet-bootstrap-kubeconfig-signer', 'openshift', 10),
] as const satisfies readonly AuthorityRow[];

/** Files with the certificates of several authorities: name without extension → authorities. */
export const BUNDLES = {
  'admin-kubeconfig-ca-bundle': ['admin-kubeconfig-signer'],
  'aggregator-ca-bundle': ['aggregator-signer'],
  'kube-apiserver-lb-ca-bundle': ['kube-apiserver-lb-signer'],
  'kube-apiserver-localhost-ca-bundle': ['kube-apiserver-localhost-signer'],
  'kube-apiserver-service-network-ca-bundle': ['kube-apiserver-service-network-signer'],
  'kube-apiserver-to-kubelet-ca-bundle': ['kube-apiserver-to-kubelet-signer'],
  'kube-control-plane-ca-bundle': ['kube-control-plane-signer'],
  'kubelet-client-ca-bundle': ['kubelet-signer'],
  'kubelet-bootstrap-kubeconfig-ca-bundle': ['kubelet-bootstrap-kubeconfig-signer'],
  // Authorities of API servers.
  'kube-apiserver-complete-server-ca-bundle': [
    'kube-apiserver-lb-signer',
    'kube-apiserver-localhost-signer',
    'kube-apiserver-service-network-signer',
  ],
  // Authorities of API clients.
  'kube-apiserver-complete-client-ca-bundle': [
    'admin-kubeconfig-signer',
    'kubelet-signer',
    'kube-control-plane-signer',
    'kube-apiserver-to-kubelet-signer',
    'kubelet-bootstrap-kubeconfig-signer',
  ],
} as const satisfies { readonly [name: string]: readonly AuthorityName[] };

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

type AuthorityName = (typeof AUTHORITIES)[number]['name'];

/** Name of the server; see `serverNames`. */
export type ServerPlace = 'api' | 'localhost' | 'service-network' | 'machine-config-server';

/** A certificate that does not sign others. */
export interface CertificateRow {
  readonly name: string;
  readonly subject: string;
  readonly authority: AuthorityName;
  readonly years: number;
  readonly isClient: boolean;
  /** Absent for client certificates. */
  readonly server?: ServerPlace;
}

const API_SERVER = 'O=kube-master, CN=system:kube-apiserver';
const ADMINISTRATOR = 'O=system:masters, CN=system:admin';
const MACHINE_CONFIG_ACCOUNTS = 'system:serviceaccounts:openshift-machine-config-operator';

/** Those that are valid for a year must last until the operators of the cluster create their own. */
export const CERTIFICATES = [
  client('admin-kubeconfig-client', ADMINISTRATOR, 'admin-kubeconfig-signer', 10),
  server('kube-apiserver-lb-server', API_SERVER, 'kube-apiserver-lb-signer', 'api'),
  server('kube-apiserver-localhost-server', API_SERVER, 'kube-apiserver-localhost-signer', 'localhost'),
  server(
    'kube-apiserver-service-network-server',
    API_SERVER,
    'kube-apiserver-service-network-signer',
    'service-network',
  ),
  client('kube-apiserver-to-kubelet-client', API_SERVER, 'kube-apiserver-to-kubelet-signer', 1),
  client('kube-control-plane-kube-controller-manager-client', ADMINISTRATOR, 'kube-control-plane-signer', 1),
  client('kube-control-plane-kube-scheduler-client', ADMINISTRATOR, 'kube-control-plane-signer', 1),
  client('aggregator-client', 'O=kube-master, CN=system:kube-apiserver-proxy', 'aggregator-signer', 1),
  client('apiserver-proxy', 'O=kube-master, CN=system:kube-apiserver-proxy', 'aggregator-signer', 1),
  // The account with which a machine requests to become a node.
  client(
    'kubelet-client',
    `O=${MACHINE_CONFIG_ACCOUNTS}, O=system:serviceaccounts, CN=system:serviceaccount:openshift-machine-config-operator:node-bootstrapper`,
    'kubelet-bootstrap-kubeconfig-signer',
    10,
  ),
  // Used to read the logs of the bootstrap host.
  { ...client('journal-gatewayd', 'CN=journal-gatewayd', 'root-ca', 10), server: 'localhost' },
  {
    ...server('machine-config-server', 'CN=system:machine-config-server', 'root-ca', 'machine-config-server'),
    years: 10,
  },
] as const satisfies readonly CertificateRow[];

function client<Name extends string>(name: Name, subject: string, authority: AuthorityName, years: number) {
  return { name, subject, authority, years, isClient: true };
}

function server<Name extends string>(name: Name, subject: string, authority: AuthorityName, place: ServerPlace) {
  return { name, subject, authority, years: 1, isClient: false, server: place };
}
