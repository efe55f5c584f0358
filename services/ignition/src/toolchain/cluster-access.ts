import { renderKubeconfig } from './kubeconfig';
import { bundleOf, type ClusterPki } from './pki/cluster-pki';

/** Kubeconfigs of a new cluster by file name; each with no more than what its user needs. Secrets. */
export function clusterAccess(name: string, domain: string, pki: ClusterPki) {
  const everywhere = bundleOf(pki, 'kube-apiserver-complete-server-ca-bundle');
  const admin = { clusterName: name, user: 'admin', client: pki.pairs['admin-kubeconfig-client'] };
  return {
    /** For users. */
    noIngress: renderKubeconfig({ ...admin, host: `api.${domain}`, caPem: everywhere }),
    /** For programs on the bootstrap host. */
    onBootstrap: new Map([
      ['kubeconfig', renderKubeconfig({ ...admin, host: `api-int.${domain}`, caPem: everywhere })],
      ['kubeconfig-loopback', renderKubeconfig({ ...admin, host: 'localhost', caPem: everywhere })],
      [
        'kubeconfig-kubelet',
        renderKubeconfig({
          clusterName: name,
          user: 'kubelet',
          host: `api-int.${domain}`,
          caPem: everywhere,
          client: pki.pairs['kubelet-client'],
        }),
      ],
    ]),
  };
}
