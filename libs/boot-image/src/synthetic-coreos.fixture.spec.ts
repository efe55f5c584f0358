import { bufferByteSource } from './byte-source';
import { syntheticIso, type SyntheticIsoOptions, writeHeader } from './synthetic-iso.fixture.spec';

export const AREA_BYTES = 4096;
export const DEFAULT_KARGS = 'coreos.liveiso=rhcos-test ignition.firstboot';
export const KARGS_BYTES = DEFAULT_KARGS.length + 256;

const MENU_HEAD = 'menu\nlinux ';
const ISOLINUX_HEAD = 'menu\nappend initrd=/images/ignition.img ';
const area = (kargs: string, end: string, pad: string) => `${kargs}${end}`.padEnd(KARGS_BYTES, pad);
const menu = (head: string, tail: string) =>
  `${head}${area(DEFAULT_KARGS, '\n', '#')}# COREOS_KARG_EMBED_AREA\n${tail}end\n`;
const kargsJson = (files: readonly object[]) => JSON.stringify({ default: DEFAULT_KARGS, files, size: KARGS_BYTES });

const MENUS = {
  'EFI/redhat/grub.cfg': menu(MENU_HEAD, 'initrd /images/ignition.img\n'),
  'isolinux/isolinux.cfg': menu(ISOLINUX_HEAD, ''),
};
const HEADS = [
  { path: 'EFI/redhat/grub.cfg', length: MENU_HEAD.length },
  { path: 'isolinux/isolinux.cfg', length: ISOLINUX_HEAD.length },
];
const MENU_PLACES = HEADS.map(({ path, length }) => ({ path, offset: length }));
const EMPTY_AREA = { 'images/ignition.img': new Uint8Array(AREA_BYTES) };
const SURROUNDINGS = { 'images/pxeboot/rootfs.img': 'not touched '.repeat(500) };

/** One image for each way in which CoreOS images have described their areas. */
export const GENERATIONS = {
  'igninfo.json and kargs.json with pad and end': () =>
    build({
      ...SURROUNDINGS,
      ...EMPTY_AREA,
      ...MENUS,
      'coreos/igninfo.json': JSON.stringify({ file: 'images/ignition.img' }),
      'coreos/kargs.json': kargsJson(MENU_PLACES.map((place) => ({ ...place, pad: '#', end: '\n' }))),
    }),
  'areas inside one boot file, filled with NUL': () =>
    build({
      ...SURROUNDINGS,
      'images/cdboot.img': Buffer.concat([
        Buffer.alloc(3000, 'k'),
        Buffer.from(area(DEFAULT_KARGS, '\0', '\0'), 'latin1'),
        Buffer.alloc(777, 'x'),
        Buffer.alloc(AREA_BYTES),
        Buffer.alloc(99, 'y'),
      ]),
      'coreos/igninfo.json': JSON.stringify({
        file: 'images/cdboot.img',
        offset: 3777 + KARGS_BYTES,
        length: AREA_BYTES,
      }),
      'coreos/kargs.json': kargsJson([{ path: 'images/cdboot.img', offset: 3000, pad: '\0', end: '\0' }]),
    }),
  'whole ignition.img and kargs.json without pad and end': () =>
    build({ ...SURROUNDINGS, ...EMPTY_AREA, ...MENUS, 'coreos/kargs.json': kargsJson(MENU_PLACES) }),
  'headers only': () => {
    const iso = syntheticIso({
      ...SURROUNDINGS,
      ...MENUS,
      'images/ign.bin': new Uint8Array(AREA_BYTES),
      'default.txt': area(DEFAULT_KARGS, '\n', '#'),
    });
    const menus = HEADS.map(({ path, length }) => iso.offsetOf(path) + length);
    writeHeader(iso.bytes, 32_672, 'coreKarg', [KARGS_BYTES, iso.offsetOf('default.txt'), ...menus]);
    writeHeader(iso.bytes, 32_744, 'coreiso+', [iso.offsetOf('images/ign.bin'), AREA_BYTES]);
    return iso.bytes;
  },
} as const satisfies Record<string, () => Uint8Array>;

/** An image with a menu of GRUB for UEFI and one of GRUB for BIOS, and without ISOLINUX. */
export function withGrubForBios(): Uint8Array {
  const [path, uefi] = ['boot/grub2/grub.cfg', 'EFI/redhat/grub.cfg'] as const;
  const files = [uefi, path].map((file) => ({ path: file, offset: MENU_HEAD.length }));
  const menus = { [uefi]: MENUS[uefi], [path]: MENUS[uefi] };
  return build({ ...SURROUNDINGS, ...EMPTY_AREA, ...menus, 'coreos/kargs.json': kargsJson(files) });
}

export const GENERATION_NAMES = Object.keys(GENERATIONS) as ReadonlyArray<keyof typeof GENERATIONS>;

export function build(files: Parameters<typeof syntheticIso>[0], options?: SyntheticIsoOptions): Uint8Array {
  return syntheticIso(files, options).bytes;
}

export function sourceOf(generation: keyof typeof GENERATIONS) {
  return bufferByteSource(GENERATIONS[generation]());
}
