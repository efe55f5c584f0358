import type { IgnitionFile, IgnitionUnit } from '../config/ignition-config';
import { MODE_EXECUTABLE, textFile } from '../config/ignition-file';
import type { DiscoveryInput } from './discovery-input';
import { proxyEnvironmentLines, shellQuote } from './proxy';

const SCRIPT_PATH = '/usr/local/bin/okd-binaries.sh';
const OVERLAY_UNIT = 'okd-overlay.service';

const script = (image: string): string => `#!/bin/bash
# Puts the packages that a node of OKD needs over the live system, which comes without them.
set -euo pipefail
image=${shellQuote(image)}
until podman pull --quiet "$image"; do sleep 10; done
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
container="$(podman create "$image" none)"
podman cp "$container:/rpms" "$work/rpms"
podman rm "$container" >/dev/null
rpm-ostree usroverlay || mount -o remount,rw /usr
rpm --upgrade --force --nodeps "$work"/rpms/*.rpm
systemctl daemon-reload
`;

const overlayUnit = (environment: readonly string[]): string => `[Unit]
Description=Packages of OKD over the live system
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

/** The discovery system of OKD is Fedora's: it brings neither the kubelet nor its friends. */
export function okdOverlay({ okd, proxy }: DiscoveryInput): {
  readonly files: readonly IgnitionFile[];
  readonly units: readonly IgnitionUnit[];
} {
  if (!okd) return { files: [], units: [] };
  return {
    files: [textFile(SCRIPT_PATH, MODE_EXECUTABLE, script(okd.packagesImage))],
    units: [
      { name: OVERLAY_UNIT, enabled: true, contents: overlayUnit(proxyEnvironmentLines(proxy)) },
      { name: 'systemd-journal-gatewayd.socket', enabled: true },
      // The installer changes over to the node's system itself; this unit would restart the machine in the middle of it.
      {
        name: 'release-image-pivot.service',
        dropins: [{ name: '10-never.conf', contents: '[Unit]\nConditionPathExists=/enoent\n' }],
      },
    ],
  };
}
