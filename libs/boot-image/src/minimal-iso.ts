import type { KargsArea, KargsPlace } from './areas/kargs-area';
import { latin1, utf8Bytes } from './binary';
import { BootImageError, malformed } from './boot-image.error';
import type { BootIsoLayout } from './boot-iso';
import { bufferByteSource, type ByteSource, readWhole, zeroSource } from './byte-source';
import { editTree, fileIn, type IsoDirectory, type IsoFile, readIsoTree } from './iso-writer/iso-tree';
import { writeIso } from './iso-writer/write-iso';
import { type Extent, openIso } from './iso/iso-image';
import { assertBootUrl } from './network-boot';

/** A replacement of a part of a text. Positions are bytes of the original. */
export interface TextEdit {
  readonly at: number;
  readonly removed: number;
  readonly inserted: string;
}

const LIVE_ISO = /coreos\.liveiso=\S* ?/g;
const GRUB = { kernel: /^[ \t]*linux(?:efi)?[ \t]+\S.*$/gm, initrd: /^[ \t]*initrd(?:efi)?[ \t]+\S.*$/gm } as const;
const ISOLINUX = { append: /^[ \t]*append[ \t]+\S.*$/gim, initrd: /\binitrd=\S+/ } as const;

/** The edits of a boot menu that make it download the root file system, in order and without overlaps. */
export function menuEdits(menu: Uint8Array, rootfsArgument: string, ramdiskPath: string): TextEdit[] {
  // One character per byte, so that positions are bytes.
  const text = latin1(menu);
  const appendLines = [...text.matchAll(ISOLINUX.append)];
  const edits = (appendLines.length > 0 ? appendLines : [...text.matchAll(GRUB.kernel)]).flatMap((line) =>
    kernelLineEdits(line[0], line.index, rootfsArgument),
  );
  for (const line of appendLines) {
    const initrd = ISOLINUX.initrd.exec(line[0]);
    if (initrd)
      edits.push({ at: line.index + initrd.index + initrd[0].length, removed: 0, inserted: `,${ramdiskPath}` });
  }
  if (appendLines.length === 0)
    for (const line of text.matchAll(GRUB.initrd))
      edits.push({ at: line.index + line[0].trimEnd().length, removed: 0, inserted: ` ${ramdiskPath}` });
  return edits.sort((a, b) => a.at - b.at);
}

/** The default arguments after the edits. */
export function minimalKargs(defaultKargs: string, rootfsArgument: string): string {
  return applyEdits(new TextEncoder().encode(defaultKargs), kernelLineEdits(defaultKargs, 0, rootfsArgument)).text;
}

/** Returns the edits. Never throws. */
export function applyEdits(
  original: Uint8Array,
  edits: readonly TextEdit[],
): { readonly text: string; readonly bytes: Uint8Array } {
  const text = latin1(original);
  let at = 0;
  let edited = '';
  for (const { at: position, removed, inserted } of edits) {
    edited += text.slice(at, position) + inserted;
    at = position + removed;
  }
  edited += text.slice(at);
  return { text: edited, bytes: Uint8Array.from(edited, (character) => character.charCodeAt(0)) };
}

/** Returns by how many bytes the part between two positions becomes longer. */
export function growth(edits: readonly TextEdit[], from: number, to: number): number {
  return edits
    .filter(({ at }) => at >= from && at < to)
    .reduce((sum, { removed, inserted }) => sum + inserted.length - removed, 0);
}

function kernelLineEdits(line: string, start: number, rootfsArgument: string): TextEdit[] {
  const removals = [...line.matchAll(LIVE_ISO)].map(({ 0: found, index }) => ({
    at: start + index,
    removed: found.length,
    inserted: '',
  }));
  return [...removals, { at: start + line.trimEnd().length, removed: 0, inserted: ` ${rootfsArgument}` }];
}

/** Size of the area for network files of hosts in every minimal image, in bytes. */
export const NETWORK_AREA_BYTES = 1024 * 1024;
export const NETWORK_AREA_PATH = '/images/assisted_installer_custom.img';
export const ROOTFS_PATH = '/images/pxeboot/rootfs.img';

const KARGS_INFO_PATH = '/coreos/kargs.json';
export const IGNITION_INFO_PATH = '/coreos/igninfo.json';
/** Describes for other tools how to remove the root file system. Not needed after it was removed. */
const MINISO_PATH = '/coreos/miniso.dat';
/** Paths of the boot menu of GRUB. The first existing one is used, because all have the same content. */
const GRUB_PATHS = ['redhat', 'fedora', 'centos']
  .map((vendor) => `/EFI/${vendor}/grub.cfg`)
  .concat('/boot/grub/grub.cfg');
const ISOLINUX_PATH = '/isolinux/isolinux.cfg';
const MENU_BYTES_MAX = 1024 * 1024;

export interface MinimalIso {
  readonly source: ByteSource;
  readonly layout: BootIsoLayout;
}

interface Menu {
  readonly path: string;
  readonly file: IsoFile;
  readonly bytes: Uint8Array;
  readonly edits: ReturnType<typeof menuEdits>;
}

/**
 * Returns the image without its root file system, which the booting machine downloads from `rootfsUrl`, and with an
 * area for network files. Volume, boot entries, partition tables and all other files are read from the base on demand.
 * Only directories and menus are read in advance. Equal input results in equal bytes.
 * @throws BootImageError `no_minimal_image` for an image that cannot be booted this way, `hostile_url`,
 * `file_not_found`, `malformed`
 */
export async function createMinimalIso(
  base: ByteSource,
  baseLayout: BootIsoLayout,
  rootfsUrl: string,
): Promise<MinimalIso> {
  assertBootUrl(rootfsUrl);
  const image = await openIso(base);
  const tree = await readIsoTree(image);
  const argument = `coreos.live.rootfs_url="${rootfsUrl}"`;
  const menus = await readMenus(tree, baseLayout.kargs, argument);
  const kargs = baseLayout.kargs && minimalKargsArea(baseLayout.kargs, menus, argument);
  const edits = new Map<string, ByteSource | undefined>([
    [ROOTFS_PATH, undefined],
    [NETWORK_AREA_PATH, zeroSource(NETWORK_AREA_BYTES)],
    ...menus.map(({ path, bytes, edits: own }) => [path, bufferByteSource(applyEdits(bytes, own).bytes)] as const),
  ]);
  if (fileIn(tree, MINISO_PATH)) edits.set(MINISO_PATH, undefined);
  if (kargs) edits.set(KARGS_INFO_PATH, bufferByteSource(kargsInfo(kargs)));
  const ignition = placeOf(tree, baseLayout.ignition.offset);
  if (baseLayout.ignition.layout === 'header')
    edits.set(IGNITION_INFO_PATH, ignitionInfo(ignition, baseLayout.ignition));
  const edited = editTree(tree, edits);
  const written = await writeIso(image, edited);
  const offsetOf = (path: string): number => {
    const file = fileIn(edited, path);
    if (!file) throw new BootImageError({ code: 'file_not_found', path });
    return written.offsetOf(file);
  };
  return {
    source: written.source,
    layout: {
      volumeId: baseLayout.volumeId,
      ignition: {
        layout: baseLayout.ignition.layout === 'header' ? 'igninfo' : baseLayout.ignition.layout,
        offset: offsetOf(ignition.path) + ignition.position,
        length: baseLayout.ignition.length,
      },
      ...(kargs && {
        kargs: {
          ...kargs,
          layout: 'kargs-json' as const,
          places: kargs.places.map((place) => ({ ...place, offset: offsetOf(place.name) + place.offset })),
        },
      }),
      network: { offset: offsetOf(NETWORK_AREA_PATH), length: NETWORK_AREA_BYTES },
    },
  };
}

const isGrubMenu = (path: string): boolean => path.endsWith('/grub.cfg');

async function readMenus(tree: IsoDirectory, kargs: KargsArea | undefined, argument: string): Promise<readonly Menu[]> {
  const grub = GRUB_PATHS.find((path) => fileIn(tree, path));
  // GRUB for BIOS may have its own menu.
  const others = (kargs?.places ?? []).map(({ name }) => `/${name.replace(/^\//, '')}`).filter(isGrubMenu);
  const known = new Set([grub, ISOLINUX_PATH, ...others].filter((path) => path !== undefined));
  const menus: Menu[] = [];
  for (const path of known) {
    const file = fileIn(tree, path);
    const [part] = file?.parts ?? [];
    if (!file || !part) continue;
    const bytes = await readWhole(part.content, MENU_BYTES_MAX);
    menus.push({ path, file, bytes, edits: menuEdits(bytes, argument, NETWORK_AREA_PATH) });
  }
  const unknown = kargs?.places.find(
    (place) => !menus.some((menu) => positionIn(menu.file, place.offset) !== undefined),
  );
  if (menus.length === 0 || unknown) {
    const reason = unknown
      ? `its kernel arguments are in ${unknown.name}, which is not a boot menu`
      : 'it has no boot menu of GRUB or ISOLINUX';
    throw new BootImageError({ code: 'no_minimal_image', reason });
  }
  const without = menus.find(({ edits }) => edits.length < 2);
  if (without) throw malformed(without.path, 'no line that starts a kernel with a ramdisk');
  return menus;
}

/** Returns the area in the edited menus. Positions are relative to the menu of the place. */
function minimalKargsArea(area: KargsArea, menus: readonly Menu[], argument: string): KargsArea {
  const lengths = new Set<number>();
  const places = area.places.map((place): KargsPlace => {
    const menu = menus.find(({ file }) => positionIn(file, place.offset) !== undefined);
    const position = (menu && positionIn(menu.file, place.offset)) ?? 0;
    const edits = menu?.edits ?? [];
    lengths.add(area.length + growth(edits, position, position + area.length));
    const name = (menu?.path ?? place.name).replace(/^\//, '');
    return { name, offset: position + growth(edits, 0, position), pad: place.pad, end: place.end };
  });
  const [length, ...others] = lengths;
  if (length === undefined || others.length > 0) throw malformed('the boot menus', 'their kernel arguments differ');
  return { layout: 'kargs-json', length, defaultKargs: minimalKargs(area.defaultKargs, argument), places };
}

function kargsInfo({ defaultKargs, length, places }: KargsArea): Uint8Array {
  const files = places.map(({ name, offset, pad, end }) => ({
    path: name,
    offset,
    pad: String.fromCharCode(pad),
    end: String.fromCharCode(end),
  }));
  return utf8Bytes(`${JSON.stringify({ default: defaultKargs, files, size: length }, undefined, 2)}\n`);
}

/** Returns the position in a file of a byte of the base. Undefined when it is outside of the file. */
function positionIn({ parts }: IsoFile, offset: number): number | undefined {
  const [part] = parts;
  const start = part?.originalOffset;
  if (!part || start === undefined || offset < start || offset >= start + part.content.size) return undefined;
  return offset - start;
}

/** Returns the file that contains a byte of the base, and the position in it. @throws BootImageError `no_minimal_image` when no file does */
export function placeOf(tree: IsoDirectory, offset: number): { readonly path: string; readonly position: number } {
  const waiting = [{ directory: tree, path: '' }];
  for (let next = waiting.pop(); next; next = waiting.pop())
    for (const child of next.directory.children) {
      const path = `${next.path}/${child.name}`;
      if (child.kind === 'directory') waiting.push({ directory: child, path });
      else {
        const position = positionIn(child, offset);
        if (position !== undefined) return { path, position };
      }
    }
  throw new BootImageError({ code: 'no_minimal_image', reason: `its byte ${offset} is in no file` });
}

/** Images that described the area before their file system describe it in a file after this change. */
export function ignitionInfo(
  place: { readonly path: string; readonly position: number },
  { length }: Extent,
): ByteSource {
  const info = { file: place.path.slice(1), offset: place.position, length };
  return bufferByteSource(utf8Bytes(`${JSON.stringify(info, undefined, 2)}\n`));
}
