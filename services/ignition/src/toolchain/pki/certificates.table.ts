import type { AUTHORITIES } from './authorities.table';

type AuthorityName = (typeof AUTHORITIES)[number]['name'];

/** By what a server is called; see `serverNames`. */
export type ServerPlace = 'api' | 'localhost' | 'service-network' | 'machine-config-server';

/** A certificate that signs nothing. */
export interface CertificateRow {
  readonly name: string;
  readonly subject: string;
  readonly authority: AuthorityName;
  readonly years: number;
  readonly isClient: boolean;
  /** Absent for those that only call. */
  readonly server?: ServerPlace;
}

const API_SERVER = 'O=kube-master, CN=system:kube-apiserver';
const ADMINISTRATOR = 'O=system:masters, CN=system:admin';
const MACHINE_CONFIG_ACCOUNTS = 'system:serviceaccounts:openshift-machine-config-operator';

/** Those of a year have to last until the cluster's own operators make theirs. */
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
  // The account in whose name a machine asks to become a node.
  client(
    'kubelet-client',
    `O=${MACHINE_CONFIG_ACCOUNTS}, O=system:serviceaccounts, CN=system:serviceaccount:openshift-machine-config-operator:node-bootstrapper`,
    'kubelet-bootstrap-kubeconfig-signer',
    10,
  ),
  // Logs of the bootstrap host are read with it.
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
