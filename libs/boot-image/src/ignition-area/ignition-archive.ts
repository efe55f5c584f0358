import { BootImageError } from '../boot-image.error';
import type { ByteSource } from '../byte-source';
import { roundUp } from '../binary';
import { gzip, type Packing } from '../cpio/gzip';
import { readInitramfs } from '../cpio/initramfs';
import { CPIO_REGULAR_FILE, writeCpio, type CpioEntry } from '../cpio/newc';
import type { Overlay } from '../overlay-source';
import type { IgnitionArea } from './ignition-area';

const CONFIG_NAME = 'config.ign';
const SYSTEM_CONFIG_FOLDER = 'usr/lib/ignition/base.d';

/** A config that the image's vendor would ship: merged below `config.ign`. */
export interface SystemConfig {
  /** File name without folder. */
  readonly name: string;
  readonly config: Uint8Array;
}

/** A ramdisk that Ignition finds its config in: gzip of newc, padded with zeros to a multiple of 4 bytes. */
export function createIgnitionArchive(
  config: Uint8Array,
  systemConfigs: readonly SystemConfig[] = [],
  packing: Packing = 'compressed',
): Uint8Array {
  const mode = CPIO_REGULAR_FILE | 0o644;
  const entries: CpioEntry[] = [
    { name: CONFIG_NAME, mode, data: config },
    ...systemConfigs.map(({ name, config: data }) => ({ name: `${SYSTEM_CONFIG_FOLDER}/${name}`, mode, data })),
  ];
  const archive = gzip(writeCpio(entries), packing);
  const padded = new Uint8Array(roundUp(archive.length, 4));
  padded.set(archive);
  return padded;
}

/**
 * The whole area with the config in it, zeros after. Throws `config_too_large`, which says by how much.
 * The area's size is fixed, so compressing only pays when the config would not fit otherwise.
 */
export function fillIgnitionArea(
  area: IgnitionArea,
  config: Uint8Array,
  systemConfigs: readonly SystemConfig[] = [],
): Overlay {
  const stored = createIgnitionArchive(config, systemConfigs, 'stored');
  const archive = stored.length <= area.length ? stored : createIgnitionArchive(config, systemConfigs);
  if (archive.length > area.length) {
    throw new BootImageError({ code: 'config_too_large', archiveBytes: archive.length, areaBytes: area.length });
  }
  return { offset: area.offset, bytes: archive, length: area.length };
}

/** The config that boots from this image, or undefined when the area is empty. Throws as `readInitramfs`. */
export async function readIgnitionConfig(source: ByteSource, area: IgnitionArea): Promise<Uint8Array | undefined> {
  return ignitionConfigOf(await source.read(area.offset, area.length));
}

/** The same for a ramdisk at hand, such as one fetched for network boot. */
export function ignitionConfigOf(ramdisk: Uint8Array): Uint8Array | undefined {
  return readInitramfs(ramdisk).findLast(({ name }) => name.replace(/^\.?\//, '') === CONFIG_NAME)?.data;
}
