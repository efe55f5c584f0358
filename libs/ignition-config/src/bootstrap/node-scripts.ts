import { shellQuote } from '../discovery/discovery-input';
import { PULL_SECRET_PATH } from '../discovery/host-files';
import { CLUSTER_FOLDER, DONE_PATH, KUBECONFIG, LOOPBACK_KUBECONFIG } from './bootstrap-input';

/** Configures crio with the pause image of the release, without which it starts no pods. */
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

/** Runs static pods only, because this machine is not a node of the cluster. */
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

/** etcd and the API server must run on more than one machine before other components use them. */
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

/** Live systems without node programs mount those of the release. */
const REPOSITORY = `if grep --quiet coreos.liveiso= /proc/cmdline; then
  repo=/var/ostreecontainer/repo
  checkout=/var/ostreecontainer/checkout
else
  repo=/ostree/repo
  checkout=/ostree/repo/tmp/node-image
fi
`;

export const NODE_IMAGE_PULL_SCRIPT = `#!/usr/bin/env bash
set -euo pipefail
. /usr/local/bin/release-image.sh
${REPOSITORY}
if [ -d "$checkout" ]; then exit 0; fi
until image=$(image_for rhel-coreos); do
  echo "The node image of the release is not available yet. Next try in 10 seconds."
  sleep 10
done
mkdir --parents "$(dirname "$checkout")"
if [ ! -d "$repo" ]; then mkdir --parents "$repo" && ostree init --mode=bare --repo="$repo"; fi
until ostree container image pull --authfile /root/.docker/config.json "$repo" "ostree-unverified-image:docker://$image"; do
  echo "The download of the node image failed. Next try in 10 seconds."
  sleep 10
done
ostree refs --repo="$repo" --create=coreos/node-image "$(ostree refs --repo="$repo" --list ostree/container/image | head --lines=1)"
ostree checkout --repo="$repo" --require-hardlinks coreos/node-image "$checkout.new" ||
  ostree checkout --repo="$repo" coreos/node-image "$checkout.new"

# Settings that were changed on this system take precedence over those of the image.
if command -v ostree >/dev/null && ostree admin config-diff >/tmp/config-diff 2>/dev/null; then
  awk '/^[AM]/ { print $2 }' /tmp/config-diff | while read -r path; do
    if [ -e "/etc/$path" ]; then cp --archive --parents "/etc/$path" "$checkout.new/usr" 2>/dev/null || true; fi
  done
fi
mv "$checkout.new" "$checkout"
# Frees the memory of the layers, which are not needed again.
if grep --quiet coreos.liveiso= /proc/cmdline; then rm --recursive --force "$repo"; fi
`;

export const NODE_IMAGE_OVERLAY_SCRIPT = `#!/usr/bin/env bash
set -euo pipefail
${REPOSITORY}
# The modules of the running kernel are kept, because other modules are incompatible with it.
mkdir --parents "$checkout/usr/lib/modules/$(uname --kernel-release)"
mount --bind "/usr/lib/modules/$(uname --kernel-release)" "$checkout/usr/lib/modules/$(uname --kernel-release)"
rsync --archive --ignore-existing "$checkout/usr/etc/" /etc/
mount --rbind "$checkout/usr" /usr
semodule -R
systemctl daemon-reload
systemctl try-restart sshd.service
`;

export const NODE_IMAGE_FINISH_SCRIPT = `#!/bin/sh
exec systemctl isolate multi-user.target
`;

/** When the node programs are missing, the target that mounts them starts first. */
export const NODE_IMAGE_GENERATOR = `#!/bin/sh
if ! rpm --query --quiet openshift-clients; then
  ln --force --symbolic /etc/systemd/system/node-image-overlay.target "$1/default.target"
fi
`;

/** Shell functions about the release, which other scripts source. */
export const releaseFunctions = (releaseImage: string, version: string): string => `# Sourced by other scripts.
RELEASE_IMAGE=${shellQuote(releaseImage)}
RELEASE_VERSION=${shellQuote(version)}

# Prints the image of one component of the release.
image_for() {
  podman run --quiet --rm --network=none --authfile ${PULL_SECRET_PATH} "$RELEASE_IMAGE" image "$1"
}
`;

export const releaseDownloadScript = (releaseImage: string): string => `#!/bin/sh
until podman pull --quiet --authfile ${PULL_SECRET_PATH} ${shellQuote(releaseImage)}; do
  echo "The download of the release image failed. Next try in 10 seconds."
  sleep 10
done
`;

/** OKD: rebases the live system to the image of the release and reboots. */
export const PIVOT_SCRIPT = `#!/usr/bin/env bash
set -euo pipefail
. /usr/local/bin/release-image.sh
if [ -f /opt/openshift/.pivot.done ]; then exit 0; fi
image=$(image_for stream-coreos || image_for machine-os-content)
rpm-ostree rebase --experimental "ostree-unverified-registry:$image"
touch /opt/openshift/.pivot.done
systemctl reboot
`;
