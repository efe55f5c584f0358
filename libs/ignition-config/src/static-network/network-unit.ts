import type { NetworkForm } from './host-networks';
import { NETWORK_SCRIPT_PATH } from './network-files';

/** Where the unit runs: in the booted live system, or in the ramdisk that still has to fetch it. */
export type NetworkStage = 'live-system' | 'ramdisk';

export const NETWORK_UNIT_NAME = 'pre-network-manager-config.service';
const START_TIMEOUT_SECONDS = 60;

/** The systemd unit that runs the network script once. `delaySeconds`: how long ports may take to turn up. */
export function networkUnit(form: NetworkForm, stage: NetworkStage, delaySeconds: number): string {
  const order =
    form === 'keyfiles' || stage === 'ramdisk'
      ? ['Before=NetworkManager.service nm-initrd.service coreos-livepxe-rootfs.service']
      : ['Before=nmstate.service', 'After=NetworkManager-wait-online.service'];
  const environment = [
    ...(delaySeconds > 0 ? [`Environment=DISCOVERY_DELAY_SECONDS=${delaySeconds}`] : []),
    ...(stage === 'ramdisk' ? ['Environment=KEYFILE_FOLDER=/etc/coreos-firstboot-network'] : []),
  ];
  return `[Unit]
Description=Static network of this machine
DefaultDependencies=no
After=systemd-udevd.service
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
