import { Type } from '@sinclair/typebox';
import { latin1, roundUp, uint64Le } from '../binary';
import { BootImageError, malformed } from '../boot-image.error';
import type { ByteSource } from '../byte-source';
import { gzip, type Packing } from '../cpio/gzip';
import { CPIO_REGULAR_FILE, type CpioEntry, readInitramfs, writeCpio } from '../cpio/ramdisk';
import type { IsoImage } from '../iso/iso-image';
import type { Overlay } from '../overlay-source';
import { Count, documentReader, regionInFile, regionInImage } from './embed-region';

/** CoreOS images reserve 256 KiB for a compressed config. */
export const IGNITION_ARCHIVE_BYTES_MAX = 256 * 1024;
/** Limits the allocation for a damaged image. */
export const IGNITION_AREA_BYTES_MAX = 16 * 1024 * 1024;

const INFO_PATH = '/coreos/igninfo.json';
const readInfo = documentReader(
  INFO_PATH,
  Type.Object({ file: Type.String(), offset: Type.Optional(Count), length: Type.Optional(Count) }),
);
const WHOLE_FILE_PATH = '/images/ignition.img';
const HEADER = { offset: 32_768 - 24, length: 24, magic: 'coreiso+' } as const;

/** The region of the image that the boot loader passes to the kernel as an additional ramdisk. */
export interface IgnitionArea {
  readonly layout: 'igninfo' | 'whole-file' | 'header';
  readonly offset: number;
  readonly length: number;
}

/**
 * Finds the area.
 * @throws BootImageError `no_ignition_area`, or the error of its description
 */
export async function locateIgnitionArea(image: IsoImage): Promise<IgnitionArea> {
  const area = (await fromInfo(image)) ?? (await fromWholeFile(image)) ?? (await fromHeader(image));
  if (!area) throw new BootImageError({ code: 'no_ignition_area' });
  if (area.length > IGNITION_AREA_BYTES_MAX) throw malformed('ignition area', `${area.length} bytes long`);
  return area;
}

async function fromInfo(image: IsoImage): Promise<IgnitionArea | undefined> {
  const info = await readInfo(image);
  if (!info) return undefined;
  const { file, offset = 0, length } = info;
  return { layout: 'igninfo', ...(await regionInFile(image, file, offset, length)) };
}

async function fromWholeFile(image: IsoImage): Promise<IgnitionArea | undefined> {
  if (!(await image.find(WHOLE_FILE_PATH))) return undefined;
  return { layout: 'whole-file', ...(await regionInFile(image, WHOLE_FILE_PATH, 0)) };
}

/** Images of 2020 to 2021 describe the area before the file system. */
async function fromHeader(image: IsoImage): Promise<IgnitionArea | undefined> {
  const header = await image.source.read(HEADER.offset, HEADER.length);
  if (latin1(header.subarray(0, 8)) !== HEADER.magic) return undefined;
  const offset = uint64Le(header, 8);
  const length = uint64Le(header, 16);
  if (!offset || !length) throw malformed('ignition header', 'an impossible position');
  return { layout: 'header', ...regionInImage(image, 'the ignition area', offset, length) };
}

const CONFIG_NAME = 'config.ign';
const SYSTEM_CONFIG_FOLDER = 'usr/lib/ignition/base.d';

/** A config of the image's vendor, which is merged below `config.ign`. */
export interface SystemConfig {
  /** File name without folder. */
  readonly name: string;
  readonly config: Uint8Array;
}

/** Returns a ramdisk with the config for Ignition: gzip of newc, padded with zeros to a multiple of 4 bytes. */
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
 * Returns the whole area with the config, padded with zeros. The size of the area is fixed, so the config is compressed
 * only when it would not fit otherwise.
 * @throws BootImageError `config_too_large` with both sizes
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

/**
 * Returns the config in the image, or undefined when the area is empty.
 * @throws BootImageError as `readInitramfs`
 */
export async function readIgnitionConfig(source: ByteSource, area: IgnitionArea): Promise<Uint8Array | undefined> {
  return ignitionConfigOf(await source.read(area.offset, area.length));
}

/** Returns the config in a ramdisk, such as one that was downloaded for network boot. */
export function ignitionConfigOf(ramdisk: Uint8Array): Uint8Array | undefined {
  return readInitramfs(ramdisk).findLast(({ name }) => name.replace(/^\.?\//, '') === CONFIG_NAME)?.data;
}
