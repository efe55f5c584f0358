/**
 * What the live image has instead of a container runtime and of the programs of a release. The machine proves Muster, Ignition and
 * coreos-installer; it cannot prove a control plane. `podman` applies the bootstrap configuration with the real `ignition`; the units
 * of the bootstrap control plane end at once; `bootkube` makes a configuration whose system registers a node and runs the
 * Job of the controller from its manifest, against the API of `cluster-api.mjs`. A single node finds the configuration beside
 * `bootkube`; several hosts download it from the machine-config server of `cluster-api.mjs`.
 */
export const STAND_INS = '/usr/libexec/muster-vm';
/** The address at which the test process answers as the cluster. */
export const CLUSTER_ADDRESS = '10.0.2.100';
/** Names that DNS would answer for the cluster `edge.example.com`. */
export const HOSTS = `127.0.0.1 localhost
${CLUSTER_ADDRESS} api.edge.example.com api-int.edge.example.com
${CLUSTER_ADDRESS} console-openshift-console.apps.edge.example.com oauth-openshift.apps.edge.example.com
`;

const PODMAN = `#!/bin/bash
# No container runs on this machine.
case " $* " in
  *" --once-from "*)
    config=$(sed 's/.* --once-from \\([^ ]*\\).*/\\1/' <<<"$*")
    rm -rf /run/ignition.json /run/ignition
    mkdir -p /run/ignition
    export IGNITION_CONFIG_FILE=$config
    for stage in fetch-offline fetch files; do
      ${STAND_INS}/ignition -platform file -root / -stage "$stage" -log-to-stdout >/run/bootstrap.log 2>&1 ||
        { tail -n 20 /run/bootstrap.log >&2; exit 1; }
    done ;;
  *" image inspect "*) echo 1000000 ;;
  *" images "* | *" image exists "* | *" pull "*) ;;
  *) echo "podman: a stand-in that cannot do: $*" >&2; exit 125 ;;
esac
`;

/**
 * Makes the configuration of the installed system: a file on a single node, otherwise for the machine-config server. The
 * controller gets the environment, the Secret and the command of its Job as from a kubelet, which reads $$ as one dollar sign.
 */
const BOOTKUBE = `#!/bin/bash
set -euo pipefail
cd /opt/openshift
name=assisted-installer-controller
job=manifests/$name-pod.yaml
secret=manifests/$name-secret.yaml
jq -r --slurpfile config manifests/$name-cm.yaml --slurpfile secret "$secret" '.spec.template.spec.containers[0].env[] | .name + "=" +
  (.value // (.valueFrom | if .secretKeyRef then $secret[0].data[.secretKeyRef.key] | @base64d else $config[0].data[.configMapKeyRef.key] end))' "$job" >controller.env
jq -r '.spec.template.spec.containers[0].command[2] | gsub("[$][$]"; "$")' "$job" >controller.sh
jq --slurpfile secret "$secret" '.spec.template.spec as $pod | [$pod.volumes[] | select(.secret) | .name as $volume |
  ($pod.containers[0].volumeMounts[] | select(.name == $volume).mountPath) as $folder |
  (.secret.items // ($secret[0].data | keys | map({ key: ., path: . })))[] |
  { path: ($folder + "/" + .path), text: ($secret[0].data[.key] // error("the Secret lacks " + .key) | @base64d) }]' "$job" >mounted.json
cp tls/kube-apiserver-lb-ca-bundle.crt ca.crt
jq -n --rawfile env controller.env --rawfile script controller.sh --slurpfile mounted mounted.json --rawfile kubeconfig auth/kubeconfig --rawfile ca ca.crt '
  def file($path; $text): { path: $path, mode: 384, overwrite: true, contents: { source: ("data:;base64," + ($text | @base64)) } };
  def unit($name; $script): { name: $name, enabled: true, contents: ("[Unit]\\nWants=network-online.target\\nAfter=network-online.target\\n[Service]\\nEnvironmentFile=/etc/muster-vm.env\\nRestart=on-failure\\nRestartSec=5\\nExecStart=" + $script + "\\n[Install]\\nWantedBy=multi-user.target\\n") };
  { ignition: { version: "3.2.0" },
    storage: { files: [
      file("/etc/muster-vm.env"; $env),
      file("/etc/muster-vm.sh"; $script),
      file("/etc/muster-vm-ca.crt"; $ca),
      ($mounted[0][] | file(.path; .text)),
      file("/etc/kubernetes/bootstrap-secrets/kubeconfig"; $kubeconfig)] },
    systemd: { units: [
      unit("node-stand-in.service"; "${STAND_INS}/node"),
      unit("controller-job.service"; "${STAND_INS}/job")] } }' >master.ign
if [ "$(jq -r '.data["control-plane-count"]' manifests/$name-cm.yaml)" -gt 1 ]; then
  until curl --silent --show-error --fail --cacert tls/root-ca.crt --upload-file master.ign https://api-int.edge.example.com:22623/config/master; do sleep 2; done
fi
touch .bootkube.done
echo 'bootkube: a stand-in made the configuration of the nodes'
`;

/** Registers the node that a kubelet would register. */
const NODE = `#!/bin/bash
set -euo pipefail
address=$(ip -4 -o addr show scope global | awk '{ sub("/.*", "", $4); print $4; exit }')
jq -n --arg name "$(hostname)" --arg address "$address" '{ apiVersion: "v1", kind: "Node",
  metadata: { name: $name,
    annotations: { "machineconfiguration.openshift.io/currentConfig": "rendered-master-1", "machineconfiguration.openshift.io/desiredConfig": "rendered-master-1" },
    labels: { "node-role.kubernetes.io/master": "", "node-role.kubernetes.io/control-plane": "" } },
  status: { addresses: [{ type: "InternalIP", address: $address }, { type: "Hostname", address: $name }], conditions: [{ type: "Ready", status: "True" }] } }' |
  curl --silent --show-error --fail --cacert /etc/muster-vm-ca.crt --header 'Content-Type: application/json' --data @- https://api.edge.example.com:6443/api/v1/nodes
echo 'muster-vm: the node of this machine registered'
`;

/** Runs the command of the Job with the mounts of its pod, on the first node that asks for it. */
const JOB = `#!/bin/bash
set -euo pipefail
lock=https://api.edge.example.com:6443/api/v1/namespaces/assisted-installer/configmaps
call() { curl --silent --show-error --cacert /etc/muster-vm-ca.crt --header 'Content-Type: application/json' "$@"; }
call --data "{\\"metadata\\":{\\"name\\":\\"job\\"},\\"node\\":\\"$(hostname)\\"}" "$lock" >/dev/null
[ "$(call --fail "$lock/job" | jq -r .node)" = "$(hostname)" ] || { echo 'muster-vm: the controller runs on another node'; exit 0; }
ln -sfn / /host
if [ "$CONTROL_PLANE_COUNT" -gt 1 ]; then
  export KUBERNETES_SERVICE_HOST=api.edge.example.com KUBERNETES_SERVICE_PORT=6443 SERVICE_ACCOUNT_FOLDER=/run/muster-vm
  mkdir -p "$SERVICE_ACCOUNT_FOLDER"
  cp /etc/muster-vm-ca.crt "$SERVICE_ACCOUNT_FOLDER/ca.crt"
  echo token >"$SERVICE_ACCOUNT_FOLDER/token"
else
  mkdir -p /tmp/bootstrap-secrets
  cp /etc/kubernetes/bootstrap-secrets/kubeconfig /tmp/bootstrap-secrets/kubeconfig
fi
exec /bin/bash /etc/muster-vm.sh
`;

/** The time source and the DNS names of the test. */
const CHRONY = `#!/bin/bash
port=$(sed -n 's/.*muster\\.vm_time=\\([0-9]*\\).*/\\1/p' /proc/cmdline)
[ -z "$port" ] || echo "server 10.0.2.2 port $port iburst minpoll 2" >/run/muster-vm.sources
`;

const standIn = (script) => `[Service]\nExecStart=\nExecStart=${STAND_INS}/${script}\n`;
const done = '[Service]\nExecStart=\nExecStart=/bin/true\nRestart=no\n';
const dropIn = (unit, text) => [`etc/systemd/system/${unit}.service.d/90-stand-in.conf`, text];

/** Path in the root file system, text and mode. */
export const STAND_IN_FILES = [
  ['usr/bin/podman', PODMAN, 0o755],
  // Ignition relabels the files that it writes. This system has no SELinux policy.
  ['usr/sbin/setfiles', '#!/bin/bash\nexec cat >/dev/null\n', 0o755],
  ['usr/bin/oc', '#!/bin/bash\nexit 1\n', 0o755],
  [`${STAND_INS.slice(1)}/bootkube`, BOOTKUBE, 0o755],
  [`${STAND_INS.slice(1)}/node`, NODE, 0o755],
  [`${STAND_INS.slice(1)}/job`, JOB, 0o755],
  [`${STAND_INS.slice(1)}/chrony`, CHRONY, 0o755],
  ['etc/hosts', HOSTS],
  // The installer restarts it on the bootstrap host. Here systemd-networkd configures the network.
  ['etc/systemd/system/NetworkManager.service', '[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n'],
  ['etc/chrony/chrony.conf', 'sourcedir /run\nmakestep 1 3\ndriftfile /var/lib/chrony/drift\n'],
  dropIn('chrony', `[Service]\nExecStartPre=+${STAND_INS}/chrony\n`),
  dropIn('bootkube', standIn('bootkube')),
  ...['release-image', 'crio-configure', 'kubelet', 'approve-csr', 'progress'].map((unit) => dropIn(unit, done)),
  ...['node-image-pull', 'node-image-overlay', 'node-image-finish'].map((unit) => dropIn(unit, done)),
];
