import { CLUSTER_FOLDER } from './bootstrap-input';

/** Converts the control plane in memory to the Ignition config with which the disk is written. */
export const IN_PLACE_SCRIPT = `#!/usr/bin/env bash
set -euo pipefail
cd ${CLUSTER_FOLDER}
. /usr/local/bin/release-image.sh

if [ ! -f stop-etcd.done ]; then
  # Its files must not change while they are copied.
  if [ -f /etc/kubernetes/manifests/etcd-member-pod.yaml ]; then mv /etc/kubernetes/manifests/etcd-member-pod.yaml .; fi
  until [ -z "$(crictl ps --quiet --name '^etcd$')" ]; do sleep 5; done
  touch stop-etcd.done
fi

if [ ! -f master-ignition.done ]; then
  curl --silent --fail --retry 30 --retry-connrefused --retry-delay 10 \\
    --header 'Accept: application/vnd.coreos.ignition+json; version=3.2.0' \\
    --output original-master.ign http://localhost:22624/config/master
  podman run --quiet --rm --volume ${CLUSTER_FOLDER}:/assets:z --volume /:/host:ro --volume /var/lib/etcd:/var/lib/etcd:ro \\
    --volume /etc/kubernetes:/etc/kubernetes:ro "$(image_for cluster-bootstrap)" \\
    bootstrap-in-place --asset-dir /assets --input /assets/bootstrap-in-place/master-update.fcc --output /assets/master.ign
  touch master-ignition.done
fi
`;

/** The Butane document that is merged over the config of the machine-config server. */
export const IN_PLACE_UPDATE = `variant: fcos
version: 1.1.0
ignition:
  config:
    merge:
      - local: original-master.ign
storage:
  trees:
    - { local: kubernetes/bootstrap-configs, path: /etc/kubernetes/bootstrap-configs }
    - { local: tls, path: /etc/kubernetes/bootstrap-secrets }
    - { local: etcd-bootstrap/etc-kubernetes/static-pod-resources, path: /etc/kubernetes/static-pod-resources }
    - { local: etcd-data, path: /var/lib/etcd }
  files:
    - { path: /etc/kubernetes/bootstrap-secrets/kubeconfig, contents: { local: auth/kubeconfig-loopback }, mode: 0600, overwrite: true }
    - { path: /etc/kubernetes/manifests/etcd-pod.yaml, contents: { local: etcd-member-pod.yaml }, mode: 0644 }
    - { path: /etc/kubernetes/manifests/kube-apiserver-pod.yaml, contents: { local: bootstrap-manifests/kube-apiserver-pod.yaml }, mode: 0644 }
    - { path: /etc/kubernetes/manifests/kube-controller-manager-pod.yaml, contents: { local: bootstrap-manifests/kube-controller-manager-pod.yaml }, mode: 0644 }
    - { path: /etc/kubernetes/manifests/kube-scheduler-pod.yaml, contents: { local: bootstrap-manifests/kube-scheduler-pod.yaml }, mode: 0644 }
    - { path: /usr/local/bin/bootstrap-in-place-post-reboot.sh, contents: { local: bootstrap-in-place/bootstrap-in-place-post-reboot.sh }, mode: 0555 }
systemd:
  units:
    - name: bootkube.service
      enabled: true
      contents: |
        [Unit]
        Description=Complete the bootstrap after the restart
        Wants=kubelet.service
        After=kubelet.service
        ConditionPathExists=/etc/kubernetes/bootstrap-secrets/kubeconfig
        [Service]
        Type=oneshot
        ExecStart=/usr/local/bin/bootstrap-in-place-post-reboot.sh
        Restart=on-failure
        RestartSec=5
        [Install]
        WantedBy=multi-user.target
`;

/** Runs on the installed node. Each step in this order can be repeated. */
export const POST_REBOOT_SCRIPT = `#!/usr/bin/env bash
set -uo pipefail
export KUBECONFIG=/etc/kubernetes/bootstrap-secrets/kubeconfig

wait_for_api() { until oc get --raw /readyz >/dev/null 2>&1; do sleep 5; done; }
signal_bootstrap_complete() {
  until oc get configmap bootstrap --namespace kube-system >/dev/null 2>&1 ||
    oc create configmap bootstrap --namespace kube-system --from-literal status=complete; do sleep 5; done
}
# The holder of the lease was the control plane before the restart, which no longer runs.
release_cvo_lease() {
  oc delete lease version --namespace openshift-cluster-version --ignore-not-found
  oc delete configmap version --namespace openshift-cluster-version --ignore-not-found
}
expedite() {
  for namespace in openshift-service-ca-operator openshift-service-ca; do
    oc delete pods --all --namespace "$namespace" --wait=false --ignore-not-found
  done
}
restore_cvo_overrides() {
  oc patch clusterversion version --type merge --patch '{"spec":{"overrides":null}}'
}
approve_csr() {
  until oc get nodes --selector node-role.kubernetes.io/master --no-headers 2>/dev/null | grep -qw Ready; do
    oc get csr --no-headers 2>/dev/null | awk '/Pending/ { print $1 }' | xargs --no-run-if-empty oc adm certificate approve
    sleep 10
  done
}
restart_kubelet() { systemctl restart kubelet.service; }
wait_for_cvo() {
  until [ "$(oc get clusterversion version --output jsonpath='{.status.conditions[?(@.type=="Available")].status}' 2>/dev/null)" = True ]; do sleep 20; done
}
clean() {
  rm --recursive --force /etc/kubernetes/bootstrap-* ${CLUSTER_FOLDER}
  systemctl disable bootkube.service
}

for step in wait_for_api signal_bootstrap_complete release_cvo_lease expedite restore_cvo_overrides approve_csr \\
  restart_kubelet wait_for_cvo clean; do
  echo "Step $step"
  "$step"
done
`;
