/**
 * What the live image has instead of a container runtime and of the programs of a release. The machine proves Muster, Ignition and
 * coreos-installer; it cannot prove a control plane. `podman` applies the bootstrap configuration with the real `ignition`; the units
 * of the bootstrap control plane end at once; `bootkube` leaves a configuration whose system registers a node and runs the
 * Job of the controller from its manifest, against the API of `cluster-api.mjs`.
 */
export const STAND_INS = '/usr/libexec/muster-vm';
/** Names that DNS would answer for the cluster `edge.example.com`; the test process answers on the address. */
export const HOSTS = `127.0.0.1 localhost
10.0.2.2 api.edge.example.com api-int.edge.example.com
10.0.2.2 console-openshift-console.apps.edge.example.com oauth-openshift.apps.edge.example.com
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

/** Writes the configuration of the installed system, as \`bootkube\` does on a single node. */
const BOOTKUBE = `#!/bin/bash
set -euo pipefail
cd /opt/openshift
port=$(sed -n 's/.*muster\\.vm_cluster_api=\\([0-9]*\\).*/\\1/p' /proc/cmdline)
sed "s/\\(api\\(-int\\)\\?\\.edge\\.example\\.com\\):6443/api.edge.example.com:$port/; s/localhost:6443/api.edge.example.com:$port/" auth/kubeconfig >kubeconfig
name=assisted-installer-controller
job=manifests/$name-pod.yaml
jq -r --slurpfile config manifests/$name-cm.yaml \\
  '.spec.template.spec.containers[0].env[] | .name + "=" + (.value // $config[0].data[.valueFrom.configMapKeyRef.key])' "$job" >controller.env
jq -r '.spec.template.spec.containers[0].command[2]' "$job" >controller.sh
jq -r '.data["pull-secret-token"]' manifests/$name-secret.yaml | base64 -d >token
cp tls/kube-apiserver-lb-ca-bundle.crt ca.crt
jq -n --arg port "$port" --rawfile env controller.env --rawfile script controller.sh --rawfile token token --rawfile kubeconfig kubeconfig --rawfile ca ca.crt '
  def file($path; $text): { path: $path, mode: 384, overwrite: true, contents: { source: ("data:;base64," + ($text | @base64)) } };
  def unit($name; $script): { name: $name, enabled: true, contents: ("[Unit]\\nWants=network-online.target\\nAfter=network-online.target\\n[Service]\\nEnvironmentFile=/etc/muster-vm.env\\nRestart=on-failure\\nRestartSec=5\\nExecStart=" + $script + "\\n[Install]\\nWantedBy=multi-user.target\\n") };
  { ignition: { version: "3.2.0" },
    storage: { files: [
      file("/etc/muster-vm.env"; $env + "NODE_API=https://api.edge.example.com:" + $port + "\\n"),
      file("/etc/muster-vm.sh"; $script),
      file("/etc/muster-vm-ca.crt"; $ca),
      file("/etc/assisted-installer-controller/token"; $token),
      file("/etc/kubernetes/bootstrap-secrets/kubeconfig"; $kubeconfig)] },
    systemd: { units: [
      unit("node-stand-in.service"; "${STAND_INS}/node"),
      unit("controller-job.service"; "${STAND_INS}/job")] } }' >master.ign
touch .bootkube.done
echo 'bootkube: a stand-in wrote the configuration of this node'
`;

/** Registers the node that a kubelet would register. */
const NODE = `#!/bin/bash
set -euo pipefail
address=$(ip -4 -o addr show scope global | awk '{ sub("/.*", "", $4); print $4; exit }')
jq -n --arg name "$(hostname)" --arg address "$address" '{ apiVersion: "v1", kind: "Node",
  metadata: { name: $name, labels: { "node-role.kubernetes.io/master": "", "node-role.kubernetes.io/control-plane": "" } },
  status: { addresses: [{ type: "InternalIP", address: $address }, { type: "Hostname", address: $name }], conditions: [{ type: "Ready", status: "True" }] } }' |
  curl --silent --show-error --fail --cacert /etc/muster-vm-ca.crt --header 'Content-Type: application/json' --data @- "$NODE_API/api/v1/nodes"
echo 'muster-vm: the node of this machine registered'
`;

/** Runs the command of the Job with the mounts of its pod. */
const JOB = `#!/bin/bash
set -euo pipefail
ln -sfn / /host
mkdir -p /tmp/bootstrap-secrets
cp /etc/kubernetes/bootstrap-secrets/kubeconfig /tmp/bootstrap-secrets/kubeconfig
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
  ['etc/chrony/chrony.conf', 'sourcedir /run\nmakestep 1 3\ndriftfile /var/lib/chrony/drift\n'],
  dropIn('chrony', `[Service]\nExecStartPre=+${STAND_INS}/chrony\n`),
  dropIn('bootkube', standIn('bootkube')),
  ...['release-image', 'crio-configure', 'kubelet', 'approve-csr', 'progress'].map((unit) => dropIn(unit, done)),
  ...['node-image-pull', 'node-image-overlay', 'node-image-finish'].map((unit) => dropIn(unit, done)),
];
