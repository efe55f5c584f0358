import type { HostNetwork, NetworkForm } from './host-networks';
import { NETWORK_SCRIPT, NETWORK_SCRIPT_LIBRARY } from './network-scripts';

/** A file for the live system or its ramdisk. */
export interface NetworkFile {
  /** Absolute. */
  readonly path: string;
  /** Permission bits, as 0o600. */
  readonly mode: number;
  readonly content: string;
}

export const NETWORK_FOLDER = '/etc/assisted/network';
export const NETWORK_SCRIPT_PATH = '/usr/local/bin/pre-network-manager-config.sh';
const LIBRARY_PATH = '/usr/local/bin/common_network_script.sh';
const PRIVATE = 0o600;
const PROGRAM = 0o755;

/** One folder per host; the machine that has a folder's MAC addresses takes what is in it. */
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

/** The programs that bring a host's folder to where the system reads it. */
export const networkScripts = (): readonly NetworkFile[] => [
  { path: NETWORK_SCRIPT_PATH, mode: PROGRAM, content: NETWORK_SCRIPT },
  { path: LIBRARY_PATH, mode: PROGRAM, content: NETWORK_SCRIPT_LIBRARY },
];
