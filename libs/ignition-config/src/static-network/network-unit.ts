import type { NetworkForm } from './host-networks';
import { NETWORK_SCRIPT_PATH } from './network-files';

/** Where the unit runs: in the booted live system, or in the ramdisk that still has to fetch it. */
export type NetworkStage = 'live-system' | 'ramdisk';

export const NETWORK_UNIT_NAME = 'pre-network-manager-config.service';
const START_TIMEOUT_SECONDS = 60;

/**
 * In a ramdisk of CoreOS, coreos-copy-firstboot-network.service copies the profiles of /etc/coreos-firstboot-network to where
 * NetworkManager reads them, so the profiles must exist before it runs.
 */
const RAMDISK_ORDER = [
  'Wants=systemd-udev-settle.service',
  'After=systemd-udev-settle.service',
  'Before=coreos-copy-firstboot-network.service nm-initrd.service NetworkManager.service coreos-livepxe-rootfs.service',
];
const LIVE_ORDER: { readonly [form in NetworkForm]: readonly string[] } = {
  keyfiles: ['After=systemd-udevd.service', 'Before=NetworkManager.service'],
  nmpolicy: ['After=systemd-udevd.service NetworkManager-wait-online.service', 'Before=nmstate.service'],
};

/** Returns the systemd unit that runs the network script once. `delaySeconds`: time to wait for network ports to appear. */
export function networkUnit(form: NetworkForm, stage: NetworkStage, delaySeconds: number): string {
  const order = stage === 'ramdisk' ? RAMDISK_ORDER : LIVE_ORDER[form];
  const environment = [
    ...(delaySeconds > 0 ? [`Environment=DISCOVERY_DELAY_SECONDS=${delaySeconds}`] : []),
    ...(stage === 'ramdisk' ? ['Environment=KEYFILE_FOLDER=/etc/coreos-firstboot-network'] : []),
  ];
  return `[Unit]
Description=Install the static network configuration of this host
DefaultDependencies=no
${order.join('\n')}

[Service]
Type=oneshot
RemainAfterExit=yes
TimeoutStartSec=${START_TIMEOUT_SECONDS + delaySeconds}
${[...environment, `ExecStart=${NETWORK_SCRIPT_PATH}`].join('\n')}

[Install]
WantedBy=${stage === 'ramdisk' ? 'initrd.target' : 'multi-user.target'}
`;
}
