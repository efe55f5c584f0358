import type { IgnitionFile, IgnitionUnit } from '../config/ignition-config';
import { MODE_EXECUTABLE, MODE_READABLE, textFile } from '../config/ignition-file';
import { type DiscoveryInput, proxyEnvironmentLines, shellQuote } from './discovery-input';
import { PULL_SECRET_PATH } from './host-files';

const POLICY_SOURCE = '/root/assisted.te';
const CLOUD_SCRIPT = '/usr/local/bin/oci-eval-user-data.sh';

/** Allows the time daemon to answer the agent, which runs in a container. */
const POLICY = `module assisted 1.0;

require {
  type chronyd_t;
  type container_file_t;
  type spc_t;
  class dir search;
  class sock_file write;
  class unix_dgram_socket sendto;
}

allow chronyd_t container_file_t:dir search;
allow chronyd_t container_file_t:sock_file write;
allow chronyd_t spc_t:unix_dgram_socket sendto;
`;

const POLICY_UNIT = `[Unit]
Description=SELinux policy that allows containers to read the state of the clock
ConditionSecurity=selinux

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/bin/checkmodule -M -m -o /root/assisted.mod ${POLICY_SOURCE}
ExecStart=/usr/bin/semodule_package -o /root/assisted.pp -m /root/assisted.mod
ExecStart=/usr/sbin/semodule -i /root/assisted.pp

[Install]
WantedBy=multi-user.target
`;

/**
 * A machine that boots from a network disk has its address in a table of the firmware. Most machines have none, so
 * failures are ignored.
 */
const ISCSI_UNIT = `[Unit]
Description=Connect the iSCSI disks from which the firmware booted
Before=agent.service
After=network-online.target
Wants=network-online.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=-/usr/sbin/modprobe iscsi_ibft
ExecStart=-/usr/sbin/iscsistart -f
ExecStart=-/usr/sbin/iscsistart -b

[Install]
WantedBy=multi-user.target
`;

/** The variable tells the script that it runs in the discovery system, because the installed system may run it again. */
const CLOUD_UNIT = `[Unit]
Description=User data script of a machine in Oracle Cloud
After=network-online.target NetworkManager.service
Wants=network-online.target

[Service]
Type=oneshot
RemainAfterExit=yes
Restart=on-failure
RestartSec=30
Environment=ASSISTED_INSTALLER_DISCOVERY_ENV=1
ExecStart=${CLOUD_SCRIPT}

[Install]
WantedBy=multi-user.target
`;

const CLOUD_PROGRAM = `#!/bin/bash
# Runs the user data of a machine in Oracle Cloud. Does nothing on other machines.
set -uo pipefail
tag="$(cat /sys/class/dmi/id/chassis_asset_tag 2>/dev/null || true)"
if [ "$tag" != "OracleCloud.com" ]; then exit 0; fi
url=http://169.254.169.254/opc/v2/instance/metadata/user_data
data="$(mktemp)"
trap 'rm -f "$data"' EXIT
status="$(curl --silent --show-error --location --retry 5 --max-time 30 --header 'Authorization: Bearer Oracle' \\
  --output "$data" --write-out '%{http_code}' "$url")" || { echo "The user data cannot be read from $url." >&2; exit 1; }
if [ "$status" = 404 ]; then exit 0; fi
if [ "$status" != 200 ]; then echo "$url answered with status $status." >&2; exit 1; fi
script="$(base64 --decode "$data")" || { echo "The user data at $url is not base64." >&2; exit 1; }
bash <(printf '%s\\n' "$script")
`;

/** Units for machines with a network disk, a container access to the clock, or a cloud. */
export function platformUnits({ okd }: DiscoveryInput): {
  readonly files: readonly IgnitionFile[];
  readonly units: readonly IgnitionUnit[];
} {
  const cloud = okd
    ? { files: [], units: [] }
    : {
        files: [textFile(CLOUD_SCRIPT, MODE_EXECUTABLE, CLOUD_PROGRAM)],
        units: [{ name: 'oci-eval-user-data.service', enabled: true, contents: CLOUD_UNIT }],
      };
  return {
    files: [textFile(POLICY_SOURCE, MODE_READABLE, POLICY), ...cloud.files],
    units: [
      { name: 'selinux.service', enabled: true, contents: POLICY_UNIT },
      ...(okd ? [] : [{ name: 'iscsistart.service', enabled: true, contents: ISCSI_UNIT }]),
      ...cloud.units,
    ],
  };
}

const SCRIPT_PATH = '/usr/local/bin/okd-binaries.sh';
const OVERLAY_UNIT = 'okd-overlay.service';

const EPHEMERAL_BYTES = 6 * 1024 ** 3;
const KUBELET_PULL_SECRET_PATH = '/var/lib/kubelet/config.json';

const script = (image: string): string => `#!/bin/bash
# Installs the packages of an OKD node in the live system, which does not contain them.
set -euo pipefail
image=${shellQuote(image)}
until podman pull --quiet "$image"; do sleep 10; done
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
container="$(podman create "$image" none)"
podman cp "$container:/rpms" "$work/rpms"
# Only some images of packages contain manifests for the bootstrap.
mkdir -p /opt/openshift/openshift
podman cp "$container:/manifests/." /opt/openshift/openshift || true
podman rm "$container" >/dev/null
# The live system cannot write to /usr. The layer lasts until the machine reboots.
layer="$(mktemp -d /var/tmp/okd-usr.XXXXXX)"
chmod 755 "$layer"
mkdir "$layer/upper" "$layer/work"
mount -t overlay -o "lowerdir=/usr,upperdir=$layer/upper,workdir=$layer/work" overlay /usr
rpm --upgrade --force --nodeps "$work"/rpms/*.rpm
podman rmi --force "$image" >/dev/null
systemctl daemon-reload
# The kubelet of the bootstrap host pulls images with the pull secret of the host.
mkdir -p ${KUBELET_PULL_SECRET_PATH.replace(/\/[^/]*$/, '')}
ln -sf ${PULL_SECRET_PATH} ${KUBELET_PULL_SECRET_PATH}
# The images of the bootstrap do not fit into the /var of the live system.
ephemeral=/run/ephemeral.xfsloop
if [ -f "$ephemeral" ] && [ "$(stat -c %s "$ephemeral")" -lt ${EPHEMERAL_BYTES} ]; then
  mount -o remount,size=${EPHEMERAL_BYTES} /run
  truncate -s ${EPHEMERAL_BYTES} "$ephemeral"
  losetup -c "$(losetup --associated "$ephemeral" --noheadings --output NAME)"
  xfs_growfs /var
fi
`;

/** Stands in for a unit of the bootstrap that Fedora CoreOS lacks. Applying the bootstrap enables and starts it. */
const JOURNAL_GATEWAY_SOCKET = `[Unit]
Description=Stand-in for the socket of the journal gateway

[Socket]
ListenStream=19531
Accept=yes

[Install]
WantedBy=sockets.target
`;

/** Ends each connection. Without a service, systemd refuses to start the socket. */
const JOURNAL_GATEWAY_SERVICE = `[Unit]
Description=Stand-in for the journal gateway

[Service]
ExecStart=/usr/bin/true
StandardInput=socket
`;

const overlayUnit = (environment: readonly string[]): string => `[Unit]
Description=Install the packages of OKD in the live system
Wants=network-online.target
After=network-online.target
Before=agent.service

[Service]
Type=oneshot
RemainAfterExit=yes
${[...environment, `ExecStart=${SCRIPT_PATH}`].join('\n')}

[Install]
WantedBy=multi-user.target
`;

/** The agent waits for the packages. */
export const withOkd = (agent: IgnitionUnit, { okd }: DiscoveryInput): IgnitionUnit =>
  okd
    ? {
        ...agent,
        dropins: [{ name: '10-okd.conf', contents: `[Unit]\nWants=${OVERLAY_UNIT}\nAfter=${OVERLAY_UNIT}\n` }],
      }
    : agent;

/** The discovery system of OKD is Fedora CoreOS, which contains neither the kubelet nor its dependencies. */
export function okdOverlay({ okd, proxy }: DiscoveryInput): {
  readonly files: readonly IgnitionFile[];
  readonly units: readonly IgnitionUnit[];
} {
  if (!okd) return { files: [], units: [] };
  return {
    files: [textFile(SCRIPT_PATH, MODE_EXECUTABLE, script(okd.packagesImage))],
    units: [
      { name: OVERLAY_UNIT, enabled: true, contents: overlayUnit(proxyEnvironmentLines(proxy)) },
      { name: 'systemd-journal-gatewayd.socket', enabled: true, contents: JOURNAL_GATEWAY_SOCKET },
      { name: 'systemd-journal-gatewayd@.service', contents: JOURNAL_GATEWAY_SERVICE },
      // The installer changes to the system of the node itself. This unit would reboot the machine during the
      // installation.
      {
        name: 'release-image-pivot.service',
        dropins: [{ name: '10-never.conf', contents: '[Unit]\nConditionPathExists=/enoent\n' }],
      },
    ],
  };
}
