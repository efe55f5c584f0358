import { BootImageError, malformed } from '../boot-image.error';
import { latin1, uint64Le } from '../binary';
import { regionInFile, regionInImage } from '../embed-region';
import { isCount, readJson } from '../embedded-json';
import type { IsoImage } from '../iso/iso-image';

/** CoreOS images reserve 256 KiB. The limit bounds the allocation for a damaged image. */
export const IGNITION_AREA_BYTES_MAX = 16 * 1024 * 1024;

const INFO_PATH = '/coreos/igninfo.json';
const WHOLE_FILE_PATH = '/images/ignition.img';
const HEADER = { offset: 32_768 - 24, length: 24, magic: 'coreiso+' } as const;

/** Bytes of the image that the boot loader hands to the kernel as a second ramdisk. */
export interface IgnitionArea {
  readonly layout: 'igninfo' | 'whole-file' | 'header';
  readonly offset: number;
  readonly length: number;
}

/** Throws `no_ignition_area`, or what is wrong with the description that was found. */
export async function locateIgnitionArea(image: IsoImage): Promise<IgnitionArea> {
  const area = (await fromInfo(image)) ?? (await fromWholeFile(image)) ?? (await fromHeader(image));
  if (!area) throw new BootImageError({ code: 'no_ignition_area' });
  if (area.length > IGNITION_AREA_BYTES_MAX) throw malformed('ignition area', `${area.length} bytes long`);
  return area;
}

async function fromInfo(image: IsoImage): Promise<IgnitionArea | undefined> {
  const info = await readJson(image, INFO_PATH);
  if (!info) return undefined;
  const { file, offset = 0, length } = info;
  if (typeof file !== 'string' || !isCount(offset) || !(length === undefined || isCount(length))) {
    throw malformed(INFO_PATH, 'file must be a path, offset and length must be numbers of bytes');
  }
  return { layout: 'igninfo', ...(await regionInFile(image, file, offset, length)) };
}

async function fromWholeFile(image: IsoImage): Promise<IgnitionArea | undefined> {
  if (!(await image.find(WHOLE_FILE_PATH))) return undefined;
  return { layout: 'whole-file', ...(await regionInFile(image, WHOLE_FILE_PATH, 0)) };
}

/** Images of 2020 to 2021 describe the area in front of the file system. */
async function fromHeader(image: IsoImage): Promise<IgnitionArea | undefined> {
  const header = await image.source.read(HEADER.offset, HEADER.length);
  if (latin1(header.subarray(0, 8)) !== HEADER.magic) return undefined;
  const offset = uint64Le(header, 8);
  const length = uint64Le(header, 16);
  if (!offset || !length) throw malformed('ignition header', 'an impossible position');
  return { layout: 'header', ...regionInImage(image, 'the ignition area', offset, length) };
}
