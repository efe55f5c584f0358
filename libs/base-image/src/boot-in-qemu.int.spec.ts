import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createWriteStream, existsSync } from 'node:fs';
import { chmod, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openFileByteSource } from '@muster/adapter-filesystem';
import { createMinimalIso, customiseBootIso, readBootIsoLayout, readRange } from '@muster/boot-image';
import { createBaseImage, DEFAULT_VOLUME_ID } from './create-base-image';

const QEMU = 'qemu-system-x86_64';
const ISOLINUX = '/usr/lib/ISOLINUX/isolinux.bin';
const MODULES = '/usr/lib/syslinux/modules/bios';
/** A kernel that prints its command line, and boots a floppy instead of a root file system. */
const MEMDISK = '/usr/lib/syslinux/memdisk';
const FLOPPY_BYTES = 1_474_560;
const BOOT_MS_MAX = 120_000;

const isMissing = (program: string): boolean => spawnSync(program, ['-version']).error !== undefined;
const missing = [
  ...[QEMU, 'xorriso'].filter(isMissing),
  ...[ISOLINUX, MODULES, MEMDISK].filter((path) => !existsSync(path)),
];
const withMachine = missing.length === 0 ? it : it.skip;
const note = missing.length === 0 ? '' : ` (skipped: without ${missing.join(', ')})`;

/** Creates the base image with a boot loader and a kernel instead of the stubs. */
async function bootableBase(folder: string): Promise<string> {
  const [stubs, tree, base] = ['stubs.iso', 'tree', 'base.iso'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const xorriso = (...args: string[]) => execFileSync('xorriso', args, { stdio: 'ignore' });
  await createBaseImage({ outPath: stubs, architecture: 'x86_64' });
  xorriso('-osirrox', 'on', '-indev', stubs, '-extract', '/', tree);
  execFileSync('chmod', ['-R', 'u+w', tree]);
  await copyFile(ISOLINUX, join(tree, 'isolinux/isolinux.bin'));
  for (const name of ['ldlinux.c32', 'libcom32.c32', 'libutil.c32'])
    await copyFile(join(MODULES, name), join(tree, 'isolinux', name));
  // Uses the text menu under the name of the graphical menu, which the image loads.
  await copyFile(join(MODULES, 'menu.c32'), join(tree, 'isolinux/vesamenu.c32'));
  await copyFile(MEMDISK, join(tree, 'images/pxeboot/vmlinuz'));
  await chmod(join(tree, 'isolinux/isolinux.bin'), 0o644);
  await writeFile(join(tree, 'images/pxeboot/initrd.img'), Buffer.alloc(FLOPPY_BYTES));
  const loader = ['-b', 'isolinux/isolinux.bin', '-c', 'isolinux/boot.cat', '-no-emul-boot', '-boot-load-size', '4'];
  const firmware = ['-boot-info-table', '-eltorito-alt-boot', '-e', 'images/efiboot.img', '-no-emul-boot'];
  xorriso('-as', 'mkisofs', '-o', base, '-V', DEFAULT_VOLUME_ID, '-R', ...loader, ...firmware, tree);
  return base;
}

async function minimalOf(base: string, path: string): Promise<void> {
  const source = await openFileByteSource(base);
  const rootfsUrl = 'http://images.example.com/rootfs?arch=x86_64';
  const minimal = await createMinimalIso(source, await readBootIsoLayout(source), rootfsUrl);
  const config = Buffer.from('{"ignition":{"version":"3.1.0"}}');
  const image = await customiseBootIso(minimal.source, minimal.layout, { config, appendKargs: ['rd.muster=1'] });
  await pipeline(Readable.from(readRange(image)), createWriteStream(path));
  await source.close();
}

/**
 * Returns the serial output of the machine until it contains `end`, without line ends. Returns all output when `end`
 * never appears.
 */
function serialOf(image: string, end: string): Promise<string> {
  const machine = ['-M', 'pc', '-accel', 'tcg', '-m', '256', '-nographic', '-no-reboot', '-nic', 'none'];
  const drives = ['-cdrom', image, '-boot', 'd', '-monitor', 'none', '-serial', 'stdio'];
  const qemu = spawn(QEMU, [...machine, ...drives], { stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  return new Promise((resolve) => {
    const timer = setTimeout(() => qemu.kill(), BOOT_MS_MAX - 10_000);
    qemu.stdout.on('data', (bytes: Buffer) => {
      // Removes terminal control sequences and line breaks, because the screen has 80 columns.
      text = (text + bytes.toString('latin1')).replace(/\x1b\[[0-9;?]*[A-Za-z]|[\r\n\0]/g, '');
      if (text.includes(end)) qemu.kill();
    });
    qemu.once('close', () => {
      clearTimeout(timer);
      resolve(text);
    });
  });
}

describe('minimal image in a virtual machine', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'muster-qemu-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  withMachine(
    `shows its menu, loads the added ramdisks, and passes its arguments to the kernel${note}`,
    async () => {
      const image = join(folder, 'minimal.iso');
      await minimalOf(await bootableBase(folder), image);
      const serial = await serialOf(image, 'Loading boot sector');
      expect(serial).toContain('Muster');
      expect(serial).toContain('/images/ignition.img');
      expect(serial).toContain('/images/assisted_installer_custom.img');
      expect(serial).toMatch(
        /command line: .*coreos\.live\.rootfs_url="http:\/\/images\.example\.com\/rootfs\?arch=x86_64"/,
      );
      expect(serial).toMatch(/command line: .* rd\.muster=1/);
    },
    BOOT_MS_MAX,
  );
});
