import { BootImageError, malformed } from '../boot-image.error';
import { latin1, uint64Le } from '../binary';
import { regionInFile, regionInImage } from '../embed-region';
import { isCount, isObject, readJson } from '../embedded-json';
import type { IsoImage } from '../iso/iso-image';

/** CoreOS images reserve about 1 KiB. The limit bounds the read for a damaged image. */
export const KARGS_AREA_BYTES_MAX = 64 * 1024;

const INFO_PATH = '/coreos/kargs.json';
const PLACES_MAX = 16;
const PAD_DEFAULT = '#';
const END_DEFAULT = '\n';
const HEADER = { offset: 32_768 - 24 - 72, length: 72, magic: 'coreKarg', lengthBytesMax: 2048 } as const;

/** One boot menu that holds the kernel arguments. `pad` and `end` are single bytes. */
export interface KargsPlace {
  /** The file, or how the place is described. */
  readonly name: string;
  /** From the start of the image. */
  readonly offset: number;
  readonly pad: number;
  readonly end: number;
}

/** Kernel arguments as the boot menus hold them: the same text in every place. */
export interface KargsArea {
  readonly layout: 'kargs-json' | 'header';
  /** Bytes of each place. One of them is needed for the end mark. */
  readonly length: number;
  readonly defaultKargs: string;
  readonly places: readonly KargsPlace[];
}

/** Undefined when the image has none, as some architectures. Throws for a description that is wrong. */
export async function locateKargsArea(image: IsoImage): Promise<KargsArea | undefined> {
  return (await fromInfo(image)) ?? fromHeader(image);
}

async function fromInfo(image: IsoImage): Promise<KargsArea | undefined> {
  const info = await readJson(image, INFO_PATH);
  if (!info) return undefined;
  const { default: defaultKargs, files, size } = info;
  if (typeof defaultKargs !== 'string' || !Array.isArray(files) || files.length === 0 || files.length > PLACES_MAX) {
    throw malformed(INFO_PATH, 'default must be text and files a list');
  }
  if (!isCount(size) || size === 0 || size > KARGS_AREA_BYTES_MAX) throw malformed(INFO_PATH, 'size is not usable');
  const places: KargsPlace[] = [];
  for (const file of files as readonly unknown[]) {
    if (!isObject(file) || typeof file.path !== 'string' || !isCount(file.offset)) {
      throw malformed(INFO_PATH, 'every file needs a path and an offset');
    }
    const { offset } = await regionInFile(image, file.path, file.offset, size);
    places.push({
      name: file.path,
      offset,
      pad: singleByte(file.pad ?? PAD_DEFAULT),
      end: singleByte(file.end ?? END_DEFAULT),
    });
  }
  return { layout: 'kargs-json', length: size, defaultKargs: defaultKargs.trim(), places };
}

/** Images of 2021 describe the areas in front of the file system; the first zero position ends the list. */
async function fromHeader(image: IsoImage): Promise<KargsArea | undefined> {
  const header = await image.source.read(HEADER.offset, HEADER.length);
  if (latin1(header.subarray(0, 8)) !== HEADER.magic) return undefined;
  const [length, defaultOffset, ...offsets] = Array.from({ length: 8 }, (_, index) => uint64Le(header, 8 + index * 8));
  if (!length || !defaultOffset || length > HEADER.lengthBytesMax) {
    throw malformed('kernel argument header', 'an impossible position');
  }
  const [pad, end] = [singleByte(PAD_DEFAULT), singleByte(END_DEFAULT)];
  const places: KargsPlace[] = [];
  for (const offset of offsets) {
    if (offset === 0) break;
    if (offset === undefined) throw malformed('kernel argument header', 'an impossible position');
    const name = `the boot menu at byte ${offset}`;
    places.push({ name, ...regionInImage(image, name, offset, length), pad, end });
  }
  if (places.length === 0) throw new BootImageError({ code: 'no_kargs_area' });
  const defaults = regionInImage(image, 'the default kernel arguments', defaultOffset, length);
  const defaultKargs = trimKargs(await image.source.read(defaults.offset, length), pad, end);
  return { layout: 'header', length, defaultKargs, places };
}

/** The text of a place without its padding. */
export function trimKargs(bytes: Uint8Array, pad: number, end: number): string {
  let length = bytes.length;
  while (length > 0 && bytes[length - 1] === pad) length -= 1;
  while (length > 0 && bytes[length - 1] === end) length -= 1;
  return latin1(bytes.subarray(0, length)).trim();
}

function singleByte(value: unknown): number {
  const code = typeof value === 'string' && value.length === 1 ? value.charCodeAt(0) : 256;
  if (code > 255) throw malformed(INFO_PATH, 'pad and end must be one byte each');
  return code;
}
