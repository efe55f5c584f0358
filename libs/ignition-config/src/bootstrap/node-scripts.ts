import { CLUSTER_FOLDER, DONE_PATH, KUBECONFIG, LOOPBACK_KUBECONFIG } from './bootstrap-paths';

/** crio starts pods only with the pause image of the release. */
export const CRIO_CONFIGURE_SCRIPT = `#!/usr/bin/env bash
set -euo pipefail
. /usr/local/bin/release-image.sh
until pause=$(image_for pod); do sleep 10; done
mkdir --parents /etc/crio/crio.conf.d
cat >/etc/crio/crio.conf.d/00-bootstrap.conf <<END
[crio.image]
global_auth_file = "/root/.docker/config.json"
pause_image = "$pause"
pause_image_auth_file = "/root/.docker/config.json"
END
systemctl restart crio.service
`;

export const KUBELET_SCRIPT = `#!/usr/bin/env bash
set -euo pipefail
exec /usr/bin/kubelet \\
  --config=/etc/kubernetes/bootstrap-kubelet.yaml \\
  --container-runtime-endpoint=/var/run/crio/crio.sock \\
  --runtime-cgroups=/system.slice/crio.service \\
  --hostname-override="$(hostname)" \\
  --v=2
`;

/** Static pods only: this machine is no node of the cluster. */
export const KUBELET_SETTINGS = `{
  "apiVersion": "kubelet.config.k8s.io/v1beta1",
  "kind": "KubeletConfiguration",
  "authentication": { "anonymous": { "enabled": true }, "webhook": { "enabled": false } },
  "authorization": { "mode": "AlwaysAllow" },
  "cgroupDriver": "systemd",
  "clusterDomain": "cluster.local",
  "staticPodPath": "/etc/kubernetes/manifests",
  "runtimeRequestTimeout": "10m0s",
  "serializeImagePulls": false
}
`;

export const APPROVE_CSR_SCRIPT = `#!/bin/sh
export KUBECONFIG=${LOOPBACK_KUBECONFIG}
until [ -f ${DONE_PATH} ]; do
  oc get csr --no-headers 2>/dev/null | awk '/Pending/ { print $1 }' | xargs --no-run-if-empty oc adm certificate approve
  sleep 20
done
`;

/** The store and the API have to run on more than one machine before other components rely on them. */
export const PROGRESS_SCRIPT = `#!/bin/sh
export KUBECONFIG=${KUBECONFIG}
until [ -f ${DONE_PATH} ]; do sleep 5; done
condition() { oc get "$1" cluster --output jsonpath="{.status.conditions[?(@.type=='$2')].status}" 2>/dev/null; }
if [ ! -f ${CLUSTER_FOLDER}/single-node ]; then
  until [ "$(oc get kubeapiserver cluster --output jsonpath='{range .status.nodeStatuses[?(@.currentRevision>0)]}x{end}' 2>/dev/null | wc --bytes)" -ge 2 ]; do sleep 5; done
  until [ "$(condition etcd EtcdRunningInCluster)" = True ]; do sleep 5; done
fi
until oc get configmap bootstrap --namespace kube-system >/dev/null 2>&1 ||
  oc create configmap bootstrap --namespace kube-system --from-literal status=complete; do sleep 5; done
`;
