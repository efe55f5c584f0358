export const ARCHITECTURES = ['x86_64', 'aarch64', 'ppc64le', 's390x'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/** Content of a live ISO for one architecture, as in CoreOS images. */
export interface ArchitectureLayout {
  /** Paths of the boot menus. Each contains the kernel arguments. */
  readonly grubPath?: string;
  readonly isolinuxPath?: string;
  /** The image has a single bootable file with kernel, arguments and ramdisk. */
  readonly hasCdBoot: boolean;
  /** In the order of the boot catalogue. */
  readonly elTorito: ReadonlyArray<{ readonly path: string; readonly platform: 'bios' | 'efi' }>;
}

const BIOS = { path: 'isolinux/isolinux.bin', platform: 'bios' } as const;
const EFI = { path: 'images/efiboot.img', platform: 'efi' } as const;
const REDHAT_GRUB = 'EFI/redhat/grub.cfg';

export const ARCHITECTURE_LAYOUTS: Readonly<Record<Architecture, ArchitectureLayout>> = {
  x86_64: { grubPath: REDHAT_GRUB, isolinuxPath: 'isolinux/isolinux.cfg', hasCdBoot: false, elTorito: [BIOS, EFI] },
  aarch64: { grubPath: REDHAT_GRUB, hasCdBoot: false, elTorito: [EFI] },
  ppc64le: { grubPath: 'boot/grub/grub.cfg', hasCdBoot: false, elTorito: [] },
  s390x: { hasCdBoot: true, elTorito: [{ path: 'images/cdboot.img', platform: 'bios' }] },
};

/** A boot menu and the offset of its kernel arguments in bytes. */
export interface BootMenu {
  readonly text: string;
  readonly kargsOffset: number;
}

/** Space for further arguments in bytes, including the end mark. */
export const KARGS_ROOM_BYTES = 1024;

/**
 * The arguments, then a line of `#` to overwrite. The last `#` belongs to the marker that names the area: image
 * services search for a run of `#` before `# COREOS_KARG_EMBED_AREA`.
 */
function kargsArea(defaultKargs: string): string {
  return `${defaultKargs}\n${'#'.repeat(KARGS_ROOM_BYTES - 1)}# COREOS_KARG_EMBED_AREA\n`;
}

function menu(before: string, defaultKargs: string, after: string): BootMenu {
  return { text: `${before}${kargsArea(defaultKargs)}${after}`, kargsOffset: before.length };
}

export function grubMenu(defaultKargs: string): BootMenu {
  const before = [
    'set default="0"',
    'set timeout=5',
    'set gfxpayload=keep',
    '',
    "menuentry 'Muster demonstration image (Live)' --class gnu-linux --class os {",
    '\tlinux /images/pxeboot/vmlinuz ',
  ].join('\n');
  return menu(before, defaultKargs, '\tinitrd /images/pxeboot/initrd.img /images/ignition.img\n}\n');
}

export function isolinuxMenu(defaultKargs: string): BootMenu {
  const before = [
    'serial 0',
    'default vesamenu.c32',
    '# Tenths of a second.',
    'timeout 50',
    'menu title Muster',
    '',
    'label linux',
    '  menu label ^Muster demonstration image (Live)',
    '  menu default',
    '  kernel /images/pxeboot/vmlinuz',
    '  append initrd=/images/pxeboot/initrd.img,/images/ignition.img ',
  ].join('\n');
  return menu(before, defaultKargs, '\nmenu end\n');
}
