export const ARCHITECTURES = ['x86_64', 'aarch64', 'ppc64le', 's390x'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/** Content of a live ISO of one architecture, as in CoreOS images. */
export interface ArchitectureLayout {
  /** Where the boot menus are; each holds the kernel arguments. */
  readonly grubPath?: string;
  readonly isolinuxPath?: string;
  /** A single bootable file with kernel, arguments and ramdisk inside. */
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
