import { CPIO_DIRECTORY, CPIO_REGULAR_FILE, gzip, writeCpio } from '@muster/boot-image';
import {
  type Architecture,
  ARCHITECTURE_LAYOUTS,
  type BootMenu,
  grubMenu,
  isolinuxMenu,
  KARGS_ROOM_BYTES,
} from './architectures';

/**
 * The address to which firmware loads a boot image without emulation, and the end of the boot information table in it.
 */
const LOAD_ADDRESS = 0x7c00;
const CODE_OFFSET = 64;
const SECTOR_BYTES = 2048;

/**
 * The BIOS boot image: prints one sentence and halts, so that a real machine that boots the demonstration image shows
 * the reason. Bytes 8 to 63 are reserved for the boot information table of the ISO writer.
 */
export function biosStub(message: string): Uint8Array {
  const code = [
    ...[0xfa, 0x31, 0xc0, 0x8e, 0xd8, 0xfc], // interrupts off; data segment 0; forwards
    ...[0xbe, 0x00, 0x00], // si = message (address filled in below)
    ...[0xac, 0x84, 0xc0, 0x74, 0x09], // next character; stop at zero
    ...[0xb4, 0x0e, 0xbb, 0x07, 0x00, 0xcd, 0x10, 0xeb, 0xf2], // print it; again
    ...[0xf4, 0xeb, 0xfd], // halt
  ];
  const messageAddress = LOAD_ADDRESS + CODE_OFFSET + code.length;
  code[7] = messageAddress & 0xff;
  code[8] = messageAddress >> 8;
  const bytes = new Uint8Array(SECTOR_BYTES);
  bytes.set([0xeb, CODE_OFFSET - 2]);
  bytes.set(code, CODE_OFFSET);
  bytes.set(new TextEncoder().encode(`${message}\r\n\0`), CODE_OFFSET + code.length);
  return bytes;
}

/** Returns deterministic bytes that are recognisable and do not compress well. */
export function filler(label: string, lengthBytes: number): Uint8Array {
  const bytes = new Uint8Array(lengthBytes);
  let state = 0x2545f491;
  for (let index = 0; index < lengthBytes; index += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[index] = state & 0xff;
  }
  bytes.set(new TextEncoder().encode(`${label}\n`).subarray(0, lengthBytes));
  return bytes;
}

const IGNITION_AREA_BYTES = 256 * 1024;
const KERNEL_BYTES = 256 * 1024;
const EFI_PARTITION_BYTES = 2048;
const ROOTFS_BYTES = 2 * 1024 * 1024;
const CD_BOOT = { path: 'images/cdboot.img', kargsOffset: 66_688, kargsBytes: 896, ignitionOffset: 132_096 } as const;
const NOTICE = 'This is the demonstration image of Muster. It contains no operating system.';

interface KargsFile {
  readonly path: string;
  readonly offset: number;
  readonly pad: string;
  readonly end: string;
}

/** Returns every file of the image by path. Equal arguments result in equal bytes. */
export function imageFiles(volumeId: string, architecture: Architecture): ReadonlyMap<string, Uint8Array> {
  const layout = ARCHITECTURE_LAYOUTS[architecture];
  const defaultKargs = `coreos.liveiso=${volumeId} ignition.firstboot ignition.platform.id=metal`;
  const files = new Map<string, Uint8Array>([
    ['images/pxeboot/vmlinuz', filler('kernel stub', KERNEL_BYTES)],
    ['images/pxeboot/initrd.img', initrd()],
    ['images/pxeboot/rootfs.img', filler('root file system stub', ROOTFS_BYTES)],
    ['coreos/features.json', json({ 'installer-config': true, 'live-initrd-network': true })],
  ]);
  const kargsFiles: KargsFile[] = [];
  const addMenu = (path: string, { text, kargsOffset }: BootMenu) => {
    files.set(path, utf8(text));
    kargsFiles.push({ path, offset: kargsOffset, pad: '#', end: '\n' });
  };

  if (layout.grubPath) addMenu(layout.grubPath, grubMenu(defaultKargs));
  if (layout.isolinuxPath) addMenu(layout.isolinuxPath, isolinuxMenu(defaultKargs));
  if (layout.hasCdBoot) {
    files.set(CD_BOOT.path, cdBoot(defaultKargs));
    kargsFiles.push({ path: CD_BOOT.path, offset: CD_BOOT.kargsOffset, pad: '\0', end: '\0' });
    files.set(
      'coreos/igninfo.json',
      json({ file: CD_BOOT.path, offset: CD_BOOT.ignitionOffset, length: IGNITION_AREA_BYTES }),
    );
  } else {
    for (const { path, platform } of layout.elTorito) {
      files.set(
        path,
        platform === 'bios' ? biosStub(NOTICE) : filler('EFI system partition stub', EFI_PARTITION_BYTES),
      );
    }
    files.set('images/ignition.img', new Uint8Array(IGNITION_AREA_BYTES));
    files.set('coreos/igninfo.json', json({ file: 'images/ignition.img' }));
  }
  const size = layout.hasCdBoot ? CD_BOOT.kargsBytes : defaultKargs.length + KARGS_ROOM_BYTES;
  files.set('coreos/kargs.json', json({ default: defaultKargs, files: kargsFiles, size }));
  return files;
}

/** The file by which tools recognise the ramdisk of a live system. */
function initrd(): Uint8Array {
  return gzip(
    writeCpio([
      { name: 'etc', mode: CPIO_DIRECTORY | 0o755, data: new Uint8Array() },
      { name: 'etc/coreos-live-initramfs', mode: CPIO_REGULAR_FILE | 0o644, data: utf8('rhcos\n') },
    ]),
  );
}

function cdBoot(defaultKargs: string): Uint8Array {
  const bytes = new Uint8Array(CD_BOOT.ignitionOffset + IGNITION_AREA_BYTES);
  bytes.set(filler('kernel stub', CD_BOOT.kargsOffset));
  bytes.set(utf8(defaultKargs), CD_BOOT.kargsOffset);
  return bytes;
}

function json(value: unknown): Uint8Array {
  return utf8(`${JSON.stringify(value, undefined, 2)}\n`);
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
