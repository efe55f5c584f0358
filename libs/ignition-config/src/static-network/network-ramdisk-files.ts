import type { StaticNetwork } from '../discovery/discovery-input';
import { hostNetworkFiles, type NetworkFile, networkScripts } from './network-files';
import { NETWORK_UNIT_NAME, networkUnit } from './network-unit';

const UNITS = '/etc/systemd/system';
const READABLE = 0o644;
/** Type bits of a symbolic link; the content is its target. */
const SYMBOLIC_LINK = 0o120_777;

/** What a ramdisk needs so that the network of its machine is there before the root file system is fetched. */
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
