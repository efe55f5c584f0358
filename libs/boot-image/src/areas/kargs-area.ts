import { Type } from '@sinclair/typebox';
import { latin1, uint64Le } from '../binary';
import { BootImageError, malformed } from '../boot-image.error';
import type { ByteSource } from '../byte-source';
import type { IsoImage } from '../iso/iso-image';
import type { Overlay } from '../overlay-source';
import { Count, documentReader, regionInFile, regionInImage } from './embed-region';

const VALUE_LENGTH_MAX = 1024;
/** Free characters after the arguments of the image, in the smallest area of images that boot on a server. */
export const ADDED_KARGS_LENGTH_MAX = 1022;

/**
 * Characters that a kernel argument must not contain, with the reason. The text is written to the menus of two boot
 * loaders: one is a shell-like language, the other one uses lines literally. Both must pass the same arguments to the
 * kernel.
 */
const REFUSALS: ReadonlyArray<{ readonly pattern: RegExp; readonly reason: string }> = [
  { pattern: /^$/, reason: 'it is empty' },
  {
    pattern: /[^\x20-\x7e]/,
    reason: 'line breaks, tabs and characters outside ASCII would end or corrupt the boot menu entry',
  },
  { pattern: /[$\\`]/, reason: 'the boot loader would expand $, backslash and backtick' },
  { pattern: /'/, reason: "boot loaders treat ' differently; use double quotes" },
];

/** The same for the parts of a value outside of quotes. */
const UNQUOTED_REFUSALS: typeof REFUSALS = [
  { pattern: /"/, reason: 'a double quote is not closed' },
  { pattern: / /, reason: 'it contains a space outside double quotes; use one value per argument' },
  { pattern: /[;&|<>{}#]/, reason: 'the boot loader would act on ; & | < > { } # outside double quotes' },
];

/** Returns the reason why a value cannot be a kernel argument, or undefined. */
export function kargRefusal(value: string): string | undefined {
  if (value.length > VALUE_LENGTH_MAX) return `it is longer than ${VALUE_LENGTH_MAX} characters`;
  const unquoted = value.replace(/"[^"]*"/g, '');
  const refusal =
    REFUSALS.find(({ pattern }) => pattern.test(value)) ??
    UNQUOTED_REFUSALS.find(({ pattern }) => pattern.test(unquoted));
  return refusal?.reason;
}

/** @throws BootImageError `hostile_karg` for the first value that is refused */
export function assertKargs(values: readonly string[]): void {
  for (const value of values) {
    const reason = kargRefusal(value);
    if (reason !== undefined) throw new BootImageError({ code: 'hostile_karg', value: value.slice(0, 200), reason });
  }
}

/** CoreOS images reserve about 1 KiB. Limits the read for a damaged image. */
export const KARGS_AREA_BYTES_MAX = 64 * 1024;

const INFO_PATH = '/coreos/kargs.json';
const PLACES_MAX = 16;
const PAD_DEFAULT = '#';
const END_DEFAULT = '\n';
const OneByte = Type.String({ pattern: '^[\\x00-\\xff]$', expected: 'one byte' });
const readInfo = documentReader(
  INFO_PATH,
  Type.Object({
    default: Type.String(),
    files: Type.Array(
      Type.Object({ path: Type.String(), offset: Count, pad: Type.Optional(OneByte), end: Type.Optional(OneByte) }),
      { minItems: 1, maxItems: PLACES_MAX },
    ),
    size: Type.Integer({ minimum: 1, maximum: KARGS_AREA_BYTES_MAX }),
  }),
);
const HEADER = { offset: 32_768 - 24 - 72, length: 72, magic: 'coreKarg', lengthBytesMax: 2048 } as const;

/** One boot menu with kernel arguments. `pad` and `end` are single bytes. */
export interface KargsPlace {
  /** The file, or the description of the position. */
  readonly name: string;
  /** From the start of the image. */
  readonly offset: number;
  readonly pad: number;
  readonly end: number;
}

/** Kernel arguments in the boot menus: the same text in every menu. */
export interface KargsArea {
  readonly layout: 'kargs-json' | 'header';
  /** Size of each area in bytes, including one byte for the end mark. */
  readonly length: number;
  readonly defaultKargs: string;
  readonly places: readonly KargsPlace[];
}

/**
 * Returns undefined when the image has none, as on some architectures.
 * @throws BootImageError for an invalid description
 */
export async function locateKargsArea(image: IsoImage): Promise<KargsArea | undefined> {
  return (await fromInfo(image)) ?? fromHeader(image);
}

async function fromInfo(image: IsoImage): Promise<KargsArea | undefined> {
  const info = await readInfo(image);
  if (!info) return undefined;
  const { default: defaultKargs, files, size } = info;
  const places: KargsPlace[] = [];
  for (const file of files) {
    const { offset } = await regionInFile(image, file.path, file.offset, size);
    places.push({
      name: file.path,
      offset,
      pad: (file.pad ?? PAD_DEFAULT).charCodeAt(0),
      end: (file.end ?? END_DEFAULT).charCodeAt(0),
    });
  }
  return { layout: 'kargs-json', length: size, defaultKargs: defaultKargs.trim(), places };
}

/** Images of 2021 describe the areas before the file system. The first position that is zero ends the list. */
async function fromHeader(image: IsoImage): Promise<KargsArea | undefined> {
  const header = await image.source.read(HEADER.offset, HEADER.length);
  if (latin1(header.subarray(0, 8)) !== HEADER.magic) return undefined;
  const [length, defaultOffset, ...offsets] = Array.from({ length: 8 }, (_, index) => uint64Le(header, 8 + index * 8));
  if (!length || !defaultOffset || length > HEADER.lengthBytesMax) {
    throw malformed('kernel argument header', 'an impossible position');
  }
  const [pad, end] = [PAD_DEFAULT.charCodeAt(0), END_DEFAULT.charCodeAt(0)];
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

/** Returns the text of an area without its padding. */
export function trimKargs(bytes: Uint8Array, pad: number, end: number): string {
  let length = bytes.length;
  while (length > 0 && bytes[length - 1] === pad) length -= 1;
  while (length > 0 && bytes[length - 1] === end) length -= 1;
  return latin1(bytes.subarray(0, length)).trim();
}

/**
 * Returns the kernel arguments of the image.
 * @throws BootImageError `kargs_disagree` when its boot menus differ
 */
export async function readKargs(source: ByteSource, area: KargsArea): Promise<string> {
  const texts = new Set<string>();
  for (const { offset, pad, end } of area.places) {
    texts.add(trimKargs(await source.read(offset, area.length), pad, end));
  }
  const [text, ...others] = texts;
  if (text === undefined || others.length > 0) {
    throw new BootImageError({ code: 'kargs_disagree', places: area.places.map(({ name }) => name) });
  }
  return text;
}

/**
 * Appends arguments to those of the image in every boot menu. Without arguments: no overlays.
 * @throws BootImageError `hostile_karg`, `kargs_too_long` with both sizes, `kargs_disagree`
 */
export async function appendKargs(source: ByteSource, area: KargsArea, values: readonly string[]): Promise<Overlay[]> {
  assertKargs(values);
  if (values.length === 0) return [];
  return kargsOverlays(area, [await readKargs(source, area), ...values].filter((part) => part !== '').join(' '));
}

function kargsOverlays(area: KargsArea, text: string): Overlay[] {
  const kargsBytes = text.length + 1;
  if (kargsBytes > area.length) {
    throw new BootImageError({ code: 'kargs_too_long', kargsBytes, areaBytes: area.length });
  }
  return area.places.map(({ offset, pad, end }) => {
    const bytes = new Uint8Array(area.length).fill(pad);
    for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index);
    bytes[text.length] = end;
    return { offset, bytes };
  });
}
