import { CLUSTER_FOLDER, DONE_PATH, RELEASE_FUNCTIONS } from './bootstrap-input';

export interface BootkubeStage {
  /** `<name>.done` is the marker file of a completed stage. */
  readonly name: string;
  readonly why: string;
  /** bash in the folder of the cluster. `render IMAGE ARGS…` runs a component of the release with this folder. */
  readonly lines: readonly string[];
  /** Absent: on every bootstrap host. */
  readonly only?: 'multi-node' | 'single-node';
}

const CONFIG = '/assets/manifests/cluster-config.yaml';
const NETWORK = '/assets/manifests/cluster-network-02-config.yml';
const INFRASTRUCTURE = '/assets/manifests/cluster-infrastructure-02-config.yml';
const SCHEDULER = '/assets/manifests/cluster-scheduler-02-config.yml';
const PULL_SECRET = '/assets/manifests/openshift-config-secret-pull-secret.yaml';

/** In execution order: the temporary control plane is rendered component by component, started, and replaced. */
export const BOOTKUBE_STAGES: readonly BootkubeStage[] = [
  {
    name: 'openshift-manifests',
    why: 'manifests of users and operators are applied with the others',
    lines: ['cp --recursive openshift/. manifests/'],
  },
  {
    name: 'cvo-bootstrap',
    why: 'the cluster-version operator, which rolls out the release',
    lines: [
      'render_release render --output-dir=/assets/cvo-bootstrap --release-image="$RELEASE_IMAGE"',
      'take cvo-bootstrap/bootstrap bootstrap-manifests',
      'take cvo-bootstrap/manifests manifests',
    ],
  },
  {
    name: 'etcd-bootstrap',
    why: 'the first etcd member',
    lines: [
      `render cluster-etcd-operator /usr/bin/cluster-etcd-operator render --asset-output-dir=/assets/etcd-bootstrap --etcd-image="$(image_for etcd)" --network-config-file=${NETWORK} --cluster-configmap-file=${CONFIG} --infra-config-file=${INFRASTRUCTURE}`,
      'take etcd-bootstrap/bootstrap-manifests bootstrap-manifests',
      'take etcd-bootstrap/manifests manifests',
      'take etcd-bootstrap/tls tls',
      'place_static_pod etcd-bootstrap/etc-kubernetes',
    ],
  },
  {
    name: 'config-bootstrap',
    why: 'the configuration objects that all other components read',
    lines: [
      `render cluster-config-operator /usr/bin/cluster-config-operator render --config-output-file=/assets/config-bootstrap/config --asset-output-dir=/assets/config-bootstrap --infrastructure-config-file=${INFRASTRUCTURE} --rendered-manifest-files=/assets/manifests --payload-version="$RELEASE_VERSION"`,
      'take config-bootstrap/manifests manifests',
    ],
  },
  {
    name: 'kube-apiserver-bootstrap',
    why: 'the API of the temporary control plane',
    lines: [
      `render cluster-kube-apiserver-operator /usr/bin/cluster-kube-apiserver-operator render --manifest-etcd-serving-ca=etcd-ca-bundle.crt --manifest-etcd-server-urls=https://localhost:2379 --manifest-image="$(image_for hyperkube)" --operator-image="$(image_for cluster-kube-apiserver-operator)" --asset-input-dir=/assets/tls --asset-output-dir=/assets/kube-apiserver-bootstrap --config-output-file=/assets/kube-apiserver-bootstrap/config --cluster-config-file=${NETWORK} --infra-config-file=${INFRASTRUCTURE} --rendered-manifest-files=/assets/manifests --payload-version="$RELEASE_VERSION"`,
      'place_config kube-apiserver-bootstrap kube-apiserver',
    ],
  },
  {
    name: 'kube-controller-manager-bootstrap',
    why: 'the controllers of the temporary control plane',
    lines: [
      `render cluster-kube-controller-manager-operator /usr/bin/cluster-kube-controller-manager-operator render --manifest-image="$(image_for hyperkube)" --asset-input-dir=/assets/tls --asset-output-dir=/assets/kube-controller-manager-bootstrap --config-output-file=/assets/kube-controller-manager-bootstrap/config --cluster-config-file=${NETWORK} --rendered-manifest-files=/assets/manifests --payload-version="$RELEASE_VERSION"`,
      'place_config kube-controller-manager-bootstrap kube-controller-manager',
    ],
  },
  {
    name: 'kube-scheduler-bootstrap',
    why: 'the scheduler of the temporary control plane',
    lines: [
      `render cluster-kube-scheduler-operator /usr/bin/cluster-kube-scheduler-operator render --manifest-image="$(image_for hyperkube)" --asset-input-dir=/assets/tls --asset-output-dir=/assets/kube-scheduler-bootstrap --config-output-file=/assets/kube-scheduler-bootstrap/config --cluster-config-file=${SCHEDULER} --rendered-manifest-files=/assets/manifests --payload-version="$RELEASE_VERSION"`,
      'place_config kube-scheduler-bootstrap kube-scheduler',
    ],
  },
  {
    name: 'ingress-operator-bootstrap',
    why: 'the ingress operator',
    lines: [
      'render cluster-ingress-operator /usr/bin/ingress-operator render --prefix=cluster-ingress- --output-dir=/assets/ingress-operator-manifests',
      'take ingress-operator-manifests manifests',
    ],
  },
  {
    name: 'mco-bootstrap',
    why: 'the machine-config server, from which the other machines download their configuration',
    lines: [
      `render machine-config-operator /usr/bin/machine-config-operator bootstrap --root-ca=/assets/tls/root-ca.crt --kube-ca=/assets/tls/kube-apiserver-complete-client-ca-bundle.crt --config-file=${CONFIG} --infra-config-file=${INFRASTRUCTURE} --network-config-file=${NETWORK} --dest-dir=/assets/mco-bootstrap --pull-secret=${PULL_SECRET} --release-image="$RELEASE_IMAGE" --image-references=/assets/image-references`,
      'mkdir --parents /etc/mcc/bootstrap /etc/mcs/bootstrap /etc/ssl/mcs /etc/kubernetes/manifests',
      'cp --recursive mco-bootstrap/bootstrap/manifests/. /etc/mcc/bootstrap/',
      `cp openshift/99_openshift-machineconfig_* manifests/cluster-*-config.y*ml manifests/openshift-config-*.yaml /etc/mcc/bootstrap/ 2>/dev/null || true`,
      'take mco-bootstrap/manifests manifests',
      'cp mco-bootstrap/bootstrap/machineconfigoperator-bootstrap-pod.yaml /etc/kubernetes/manifests/',
      'install --mode 0600 tls/machine-config-server.crt /etc/ssl/mcs/tls.crt',
      'install --mode 0600 tls/machine-config-server.key /etc/ssl/mcs/tls.key',
    ],
  },
  {
    name: 'cco-bootstrap',
    why: 'credentials of the components',
    lines: [
      'render cloud-credential-operator /usr/bin/cloud-credential-operator render --dest-dir=/assets/cco-bootstrap --manifests-dir=/assets/manifests --cloud-credential-operator-image="$(image_for cloud-credential-operator)"',
      'take cco-bootstrap/bootstrap bootstrap-manifests',
      'take cco-bootstrap/manifests manifests',
    ],
  },
  {
    name: 'wait-for-etcd',
    why: 'the API server would restart repeatedly without etcd',
    lines: ['until curl --silent --fail --output /dev/null http://localhost:2381/health; do sleep 5; done'],
  },
  {
    name: 'cb-bootstrap',
    why: 'the temporary control plane starts and applies the manifests until the final control plane runs',
    only: 'multi-node',
    lines: [
      "render cluster-bootstrap start --tear-down-early=false --tear-down-delay=60s --asset-dir=/assets --required-pods='openshift-kube-apiserver/kube-apiserver,openshift-kube-scheduler/openshift-kube-scheduler,openshift-kube-controller-manager/kube-controller-manager,openshift-cluster-version/cluster-version-operator'",
    ],
  },
  {
    name: 'cb-bootstrap',
    why: 'the same, without waiting for pods that start only after the restart',
    only: 'single-node',
    lines: ['render cluster-bootstrap start --tear-down-early=false --asset-dir=/assets --required-pods='],
  },
  {
    name: 'mco-bootstrap-removal',
    why: 'from now on, the machine-config server of the cluster serves the configuration of machines',
    only: 'multi-node',
    lines: ['rm --force /etc/kubernetes/manifests/machineconfigoperator-bootstrap-pod.yaml'],
  },
  {
    name: 'wait-for-ceo',
    why: 'etcd has members on the other machines before this member is removed',
    only: 'multi-node',
    lines: [
      `render cluster-etcd-operator /usr/bin/cluster-etcd-operator wait-for-ceo --kubeconfig=/assets/auth/kubeconfig`,
    ],
  },
  {
    name: 'bootstrap-in-place',
    why: 'the control plane in memory is converted to the Ignition config of the disk',
    only: 'single-node',
    lines: ['/usr/local/bin/bootstrap-in-place.sh'],
  },
];

export type BootstrapKind = 'multi-node' | 'single-node';

export const stagesOf = (kind: BootstrapKind) =>
  BOOTKUBE_STAGES.filter(({ only }) => only === undefined || only === kind);

/**
 * Returns the script. After a restart it continues after the last completed stage, because every completed stage
 * creates a marker file.
 */
export function bootkubeScript(kind: BootstrapKind): string {
  const stages = stagesOf(kind).map(({ name, why, lines }) =>
    [`# ${name}: ${why}.`, `if begins ${name}; then`, ...lines.map((line) => `  ${line}`), `  ends ${name}`, 'fi'].join(
      '\n',
    ),
  );
  return `#!/usr/bin/env bash
set -euo pipefail
if [ -f ${DONE_PATH} ]; then exit 0; fi
cd ${CLUSTER_FOLDER}
mkdir --parents bootstrap-manifests manifests openshift tls auth /etc/kubernetes/manifests
${FUNCTIONS}
${stages.join('\n\n')}

touch ${DONE_PATH}
echo "Bootstrap is complete."
`;
}

const FUNCTIONS = `. ${RELEASE_FUNCTIONS}

# Prints the name of the stage. Returns false when an earlier run completed it.
begins() {
  if [ -f "$1.done" ]; then return 1; fi
  echo "Stage $1"
}
ends() { touch "$1.done"; }

# Runs an image with this folder as a volume.
over_assets() { podman run --quiet --rm --network=host --volume ${CLUSTER_FOLDER}:/assets:z --authfile /root/.docker/config.json "$@"; }
render() { local image; image=$(image_for "$1"); shift; over_assets "$image" "$@"; }
render_release() { over_assets "$RELEASE_IMAGE" "$@"; }

# Copies the output of a component, if it exists.
take() { if [ -d "$1" ]; then mkdir --parents "$2" && cp --recursive "$1/." "$2/"; fi; }
place_static_pod() { if [ -d "$1" ]; then cp --recursive "$1/." /etc/kubernetes/; fi; }
place_config() {
  mkdir --parents "/etc/kubernetes/bootstrap-configs"
  cp "$1/config" "/etc/kubernetes/bootstrap-configs/$2-config.yaml"
  take "$1/bootstrap-manifests" bootstrap-manifests
  take "$1/manifests" manifests
}
`;
