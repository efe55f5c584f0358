/** An authority of a new cluster. Where none signs it, it signs itself. */
export interface AuthorityRow {
  /** Name of its files, without extension. */
  readonly name: string;
  readonly subject: string;
  readonly years: number;
}

function row<Name extends string>(name: Name, unit: string, years: number) {
  return { name, subject: `CN=${name}, OU=${unit}`, years };
}

/** Each vouches for one audience, so that losing one opens nothing else. The cluster replaces those of a year by itself. */
export const AUTHORITIES = [
  // Nodes trust it for their configuration, for as long as the cluster lives.
  row('root-ca', 'openshift', 10),
  row('admin-kubeconfig-signer', 'openshift', 10),
  // The API as seen from outside, from the same machine, and from pods.
  row('kube-apiserver-lb-signer', 'openshift', 10),
  row('kube-apiserver-localhost-signer', 'openshift', 10),
  row('kube-apiserver-service-network-signer', 'openshift', 10),
  row('kube-apiserver-to-kubelet-signer', 'openshift', 1),
  row('kube-control-plane-signer', 'openshift', 1),
  row('aggregator-signer', 'openshift', 1),
  row('kubelet-signer', 'openshift', 1),
  row('kubelet-bootstrap-kubeconfig-signer', 'openshift', 10),
] as const satisfies readonly AuthorityRow[];

/** Files with the certificates of several authorities, by name without extension. */
export const BUNDLES: { readonly [name: string]: readonly string[] } = {
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
};
