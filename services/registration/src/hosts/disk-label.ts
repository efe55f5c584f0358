import type { HostEntry } from '../view/registration-view';

/** The installation disk as people find it in a machine: `<model> <serial> (<name>, <id>)`; undefined while there is none. */
export function diskLabel(host: HostEntry | undefined): string | undefined {
  const disk = host?.hardware?.disks.find(({ id }) => id === host.state.installationDisk.id);
  return disk && `${[disk.model, disk.serial].filter(Boolean).join(' ')} (${disk.name}, ${disk.id})`.trim();
}
