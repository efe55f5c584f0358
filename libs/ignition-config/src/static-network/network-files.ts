import type { StaticNetwork } from '../discovery/discovery-input';
import type { HostNetwork, NetworkForm } from './host-networks';
import { NETWORK_SCRIPT, NETWORK_SCRIPT_LIBRARY } from './network-scripts';

/** A file for the live system or its ramdisk. */
export interface NetworkFile {
  /** Absolute. */
  readonly path: string;
  /** Permission bits, such as 0o600. */
  readonly mode: number;
  readonly content: string;
}

export const NETWORK_FOLDER = '/etc/assisted/network';
export const NETWORK_SCRIPT_PATH = '/usr/local/bin/pre-network-manager-config.sh';
const LIBRARY_PATH = '/usr/local/bin/common_network_script.sh';
const PRIVATE = 0o600;
const PROGRAM = 0o755;

/** Returns one folder per host. A machine with the MAC addresses of a folder installs its files. */
export function hostNetworkFiles(hosts: readonly HostNetwork[], form: NetworkForm): readonly NetworkFile[] {
  return hosts.flatMap(({ mapping, files }, index) => {
    const folder = `${NETWORK_FOLDER}/host${index}`;
    const named = files.map(({ fileName, content }) => ({
      path: `${folder}/${form === 'nmpolicy' ? `ymlFile${index}.yml` : fileName}`,
      mode: PRIVATE,
      content,
    }));
    const table = mapping.map(({ mac, name }) => `${mac}=${name}\n`).join('');
    return [...named, { path: `${folder}/mac_interface.ini`, mode: PRIVATE, content: table }];
  });
}

/** The programs that install a host's folder. */
export const networkScripts = (): readonly NetworkFile[] => [
  { path: NETWORK_SCRIPT_PATH, mode: PROGRAM, content: NETWORK_SCRIPT },
  { path: LIBRARY_PATH, mode: PROGRAM, content: NETWORK_SCRIPT_LIBRARY },
];

/** Where the unit runs: in the booted live system, or in the ramdisk before it downloads the live system. */
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

const UNITS = '/etc/systemd/system';
const READABLE = 0o644;
/** Type bits of a symbolic link; the content is its target. */
const SYMBOLIC_LINK = 0o120_777;

/** Returns the files of a ramdisk that configure the network before the root file system is downloaded. */
export function networkRamdiskFiles({ hosts, form, delaySeconds }: StaticNetwork): readonly NetworkFile[] {
  if (hosts.length === 0) return [];
  const unit = `${UNITS}/${NETWORK_UNIT_NAME}`;
  return [
    ...hostNetworkFiles(hosts, form),
    ...networkScripts(),
    { path: unit, mode: READABLE, content: networkUnit(form, 'ramdisk', delaySeconds) },
    { path: `${UNITS}/initrd.target.wants/${NETWORK_UNIT_NAME}`, mode: SYMBOLIC_LINK, content: unit },
  ];
}
