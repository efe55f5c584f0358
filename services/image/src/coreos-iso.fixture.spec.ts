import { gzip, writeCpio } from '@muster/boot-image';

const SECTOR_BYTES = 2_048;
const AREA_BYTES = 4_096;

/**
 * A live image with menus, kernel, ramdisk and root file system in the layout of CoreOS. `build` distinguishes two
 * builds.
 */
export function coreOsIso(architecture: 'x86_64' | 's390x', build = 0): Buffer {
  const kargs = 'coreos.liveiso=rhcos-test ignition.firstboot';
  const area = `${kargs}\n${'#'.repeat(1_023)}# COREOS_KARG_EMBED_AREA\n`;
  const [grubHead, isolinuxHead] = [
    'linux /images/pxeboot/vmlinuz ',
    'append initrd=/images/pxeboot/initrd.img,/images/ignition.img ',
  ];
  const initrd = gzip(writeCpio([{ name: 'etc/coreos-live-initramfs', mode: 0o100644, data: Buffer.from('rhcos') }]));
  const kernelName = architecture === 's390x' ? 'images/pxeboot/kernel.img' : 'images/pxeboot/vmlinuz';
  const files: Record<string, string | Uint8Array> = {
    'images/ignition.img': new Uint8Array(AREA_BYTES),
    'images/pxeboot/initrd.img': initrd,
    'images/pxeboot/rootfs.img': `root file system of ${architecture} `.repeat(100_000),
    [kernelName]: `kernel of ${architecture}, build ${build}`,
  };
  if (architecture === 's390x') files['generic.ins'] = 'images/initrd.addrsize 0x00010408\n';
  else {
    files['EFI/redhat/grub.cfg'] = `${grubHead}${area}initrd /images/pxeboot/initrd.img /images/ignition.img\n`;
    files['isolinux/isolinux.cfg'] = `${isolinuxHead}${area}`;
    const places = [
      { path: 'EFI/redhat/grub.cfg', offset: grubHead.length },
      { path: 'isolinux/isolinux.cfg', offset: isolinuxHead.length },
    ];
    files['coreos/kargs.json'] = JSON.stringify({ default: kargs, files: places, size: kargs.length + 1_024 });
  }
  return writeVolume(files);
}

function writeVolume(files: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const paths = Object.keys(files);
  const folders = [
    ...new Set([
      '',
      ...paths.flatMap((path) =>
        path
          .split('/')
          .slice(0, -1)
          .map((_, depth, parts) => parts.slice(0, depth + 1).join('/')),
      ),
    ]),
  ];
  let sector = 18;
  const places = new Map<string, { readonly sector: number; readonly length: number }>();
  for (const folder of folders) places.set(folder, { sector: sector++, length: SECTOR_BYTES });
  for (const path of paths) {
    const length = Buffer.byteLength(files[path] ?? '');
    places.set(path, { sector, length });
    sector += Math.ceil(length / SECTOR_BYTES);
  }
  const image = Buffer.alloc(sector * SECTOR_BYTES);
  const placeOf = (path: string) => places.get(path) ?? { sector: 0, length: 0 };
  for (const path of paths) Buffer.from(files[path] ?? '').copy(image, placeOf(path).sector * SECTOR_BYTES);
  for (const folder of folders) {
    let at = placeOf(folder).sector * SECTOR_BYTES;
    const put = (record: Buffer) => (at += record.copy(image, at));
    put(directoryRecord('\0', placeOf(folder), true));
    put(directoryRecord('\x01', placeOf(folder), true));
    for (const path of places.keys()) {
      const cut = path.lastIndexOf('/');
      if (path !== '' && path.slice(0, Math.max(cut, 0)) === folder)
        put(directoryRecord(path.slice(cut + 1), placeOf(path), folders.includes(path)));
    }
  }
  const descriptor = image.subarray(16 * SECTOR_BYTES);
  descriptor.write('\x01CD001\x01', 'latin1');
  descriptor.write('rhcos-test'.padEnd(32), 40, 'latin1');
  descriptor.writeUInt32LE(sector, 80);
  descriptor.writeUInt16LE(SECTOR_BYTES, 128);
  directoryRecord('\0', placeOf(''), true).copy(descriptor, 156);
  return image;
}

/** The long name in addition to a short name that the tests do not use. */
function directoryRecord(
  name: string,
  { sector, length }: { readonly sector: number; readonly length: number },
  isDirectory: boolean,
): Buffer {
  const isOwn = name.length === 1 && name < ' ';
  const isoName = isOwn
    ? name
    : `${name
        .replace(/[^a-z0-9]/gi, '_')
        .toUpperCase()
        .slice(0, 8)}${isDirectory ? '' : '.;1'}`;
  const longName = isOwn
    ? Buffer.alloc(0)
    : Buffer.concat([Buffer.from('NM'), Buffer.from([5 + name.length, 1, 0]), Buffer.from(name)]);
  const nameEnd = 33 + isoName.length + ((isoName.length + 1) % 2);
  const record = Buffer.alloc(nameEnd + longName.length + (longName.length % 2));
  record.writeUInt8(record.length, 0);
  record.writeUInt32LE(sector, 2);
  record.writeUInt32LE(length, 10);
  record.writeUInt8(isDirectory ? 2 : 0, 25);
  record.writeUInt8(isoName.length, 32);
  record.write(isoName, 33, 'latin1');
  longName.copy(record, nameEnd);
  return record;
}
