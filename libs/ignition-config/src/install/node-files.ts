import { isAtLeast } from '@muster/feature-support';
import type { IgnitionConfig, IgnitionFile } from '../config/ignition-config';
import { MODE_EXECUTABLE, MODE_READABLE, textFile } from '../config/ignition-file';
import { IPV6_SETTINGS, SERVICE_CA_PATH } from '../discovery/host-files';

/** Files that the config of a role gets in addition to the pointer config. */
export interface NodeFilesInput {
  /** PEM of the authority of the service; empty when machines need none. */
  readonly serviceCaPem: string;
  /** Some host of the cluster has an IPv6 address. */
  readonly hasIpv6: boolean;
  readonly openshiftVersion: string;
}

const VERSION = '3.2.0';
/** Older ones look for profiles in a place of their own. */
const USUAL_PROFILES_SINCE = '4.10';
const MERGED_PROFILES = '[keyfile]\npath=/etc/NetworkManager/system-connections-merged\n';

export function roleNodeConfig({ serviceCaPem, hasIpv6, openshiftVersion }: NodeFilesInput): IgnitionConfig {
  const ipv6 = isAtLeast(openshiftVersion, USUAL_PROFILES_SINCE) ? IPV6_SETTINGS : `${IPV6_SETTINGS}${MERGED_PROFILES}`;
  return withFiles([
    ...(serviceCaPem ? [textFile(SERVICE_CA_PATH, MODE_READABLE, serviceCaPem)] : []),
    ...(hasIpv6 ? [textFile('/etc/NetworkManager/conf.d/01-ipv6.conf', MODE_READABLE, ipv6)] : []),
  ]);
}

/** What is true of one host alone. */
export function hostNodeConfig(host: {
  readonly hostname: string;
  /** An address of the network in which the kubelet has to choose its own; empty when it may choose freely. */
  readonly nodeIpHint: string;
  /** The host discovered itself from a system on its own disk. */
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
# The system that this machine discovered itself from shares its disk with the installed one, whose stateroot is "install".
set -euo pipefail
if [ ! -d /sysroot/ostree/deploy/install ]; then exit 0; fi
mount -o remount,rw /sysroot
mount -o remount,rw /boot
for stateroot in /sysroot/ostree/deploy/*; do
  name=$(basename "$stateroot")
  if [ "$name" = install ]; then continue; fi
  # From the last to the first: numbers of those before stay what they are.
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
Description=Remove the system that this machine discovered itself from
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
