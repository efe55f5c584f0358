import { isAtLeast } from '@muster/feature-support';
import type { IgnitionConfig, IgnitionFile } from '../config/ignition-config';
import { MODE_EXECUTABLE, MODE_READABLE, textFile } from '../config/ignition-file';
import { IPV6_SETTINGS, SERVICE_CA_PATH } from '../discovery/host-files';

/** The reasons for which a role's config gets files in addition to the pointer config. */
export interface NodeFilesInput {
  /** PEM of the certificate authority of the service. Empty when machines need none. */
  readonly serviceCaPem: string;
  /** A host of the cluster has an IPv6 address. */
  readonly hasIpv6: boolean;
  readonly openshiftVersion: string;
}

const VERSION = '3.2.0';
/** Older versions read profiles from another folder. */
const USUAL_PROFILES_SINCE = '4.10';
const MERGED_PROFILES = '[keyfile]\npath=/etc/NetworkManager/system-connections-merged\n';

export function roleNodeConfig({ serviceCaPem, hasIpv6, openshiftVersion }: NodeFilesInput): IgnitionConfig {
  const ipv6 = isAtLeast(openshiftVersion, USUAL_PROFILES_SINCE) ? IPV6_SETTINGS : `${IPV6_SETTINGS}${MERGED_PROFILES}`;
  return withFiles([
    ...(serviceCaPem ? [textFile(SERVICE_CA_PATH, MODE_READABLE, serviceCaPem)] : []),
    ...(hasIpv6 ? [textFile('/etc/NetworkManager/conf.d/01-ipv6.conf', MODE_READABLE, ipv6)] : []),
  ]);
}

/** A VIP that DHCP allocated. */
export interface LeasedVip {
  readonly address: string;
  readonly macAddress: string;
  /** One lease block, or empty. */
  readonly lease: string;
}

export interface LeasedVips {
  readonly api: LeasedVip;
  readonly ingress: LeasedVip;
}

const KEEPALIVED = '/etc/keepalived';

/** Returns the files with which the monitor of keepalived renews the leases of VIPs on control plane nodes. */
export function vipLeaseConfig(vips: LeasedVips | undefined): IgnitionConfig {
  if (!vips) return withFiles([]);
  const named = [
    ['api', vips.api],
    ['ingress', vips.ingress],
  ] as const;
  const monitored = named.map(
    ([name, { address, macAddress }]) =>
      `${name}-vip:\n  name: ${name}\n  mac-address: ${macAddress}\n  ip-address: ${address}\n`,
  );
  return withFiles([
    textFile(`${KEEPALIVED}/unsupported-monitor.conf`, MODE_READABLE, monitored.join('')),
    ...named.flatMap(([name, { lease }]) =>
      lease ? [textFile(`${KEEPALIVED}/lease-${name}`, MODE_READABLE, lease)] : [],
    ),
  ]);
}

/** Properties of one host. */
export function hostNodeConfig(host: {
  readonly hostname: string;
  /** An address of the network in which the kubelet must choose its own. Empty when it may choose any. */
  readonly nodeIpHint: string;
  /** The discovery system is installed on the disk of the host. */
  readonly isPersistentBoot: boolean;
}): IgnitionConfig {
  const { hostname, nodeIpHint, isPersistentBoot } = host;
  const files = [
    textFile('/etc/hostname', MODE_READABLE, hostname),
    ...(nodeIpHint
      ? [textFile('/etc/default/nodeip-configuration', MODE_READABLE, `KUBELET_NODEIP_HINT=${nodeIpHint}\n`)]
      : []),
    ...(isPersistentBoot ? [textFile(CLEANUP_PATH, MODE_EXECUTABLE, CLEANUP_SCRIPT)] : []),
  ];
  const config = withFiles(files);
  return isPersistentBoot ? { ...config, systemd: { units: [CLEANUP_UNIT] } } : config;
}

const withFiles = (files: readonly IgnitionFile[]): IgnitionConfig => ({
  ignition: { version: VERSION },
  ...(files.length > 0 && { storage: { files } }),
});

const CLEANUP_PATH = '/usr/local/bin/cleanup-assisted-discovery-stateroot.sh';

const CLEANUP_SCRIPT = `#!/usr/bin/env bash
# The discovery system is on the same disk as the installed system, whose stateroot is "install".
set -euo pipefail
if [ ! -d /sysroot/ostree/deploy/install ]; then exit 0; fi
mount -o remount,rw /sysroot
mount -o remount,rw /boot
for stateroot in /sysroot/ostree/deploy/*; do
  name=$(basename "$stateroot")
  if [ "$name" = install ]; then continue; fi
  # From the last to the first, so that the numbers of the remaining ones do not change.
  ostree admin status | awk -v name="$name" '/^(\\*| ) [^ ]/ { if ($1 == name || $2 == name) print count + 0; count++ }' |
    sort --numeric-sort --reverse | while read -r index; do ostree admin undeploy "$index"; done
  find "$stateroot" -xdev -maxdepth 3 -exec chattr -i {} + 2>/dev/null || true
  rm --recursive --force "$stateroot"
done
ostree admin cleanup
`;

const CLEANUP_UNIT = {
  name: 'cleanup-assisted-discovery-stateroot.service',
  enabled: true,
  contents: `[Unit]
Description=Remove the discovery system from the disk
ConditionFirstBoot=yes
After=local-fs.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=${CLEANUP_PATH}

[Install]
WantedBy=multi-user.target
`,
};
