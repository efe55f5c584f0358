import { execFileSync, spawnSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gunzipSync } from 'node:zlib';
import { type FileByteSource, openFileByteSource } from '@muster/adapter-filesystem';
import {
  type BootIsoLayout,
  type ByteSource,
  createIgnitionArchive,
  createMinimalIso,
  createRamdisk,
  customiseBootIso,
  NETWORK_AREA_PATH,
  readBootIsoLayout,
  readRange,
} from '@muster/boot-image';
import { ARCHITECTURES } from './architectures';
import { createBaseImage } from './create-base-image';

const isInstalled = (program: string, ...args: string[]): boolean => spawnSync(program, args).error === undefined;
const describeWith = (program: string, ...args: string[]) =>
  isInstalled(program, ...args)
    ? { run: describe, note: '' }
    : { run: describe.skip, note: ` (skipped: ${program} is not installed)` };
const XORRISO = describeWith('xorriso', '-version');
const hasBase = isInstalled('xorriso', '-version');
const CPIO = describeWith(hasBase ? 'cpio' : 'xorriso', '--version');
const COREOS_INSTALLER = describeWith(hasBase ? 'coreos-installer' : 'xorriso', '--version');

const CONFIG = JSON.stringify({ ignition: { version: '3.1.0' }, storage: { files: [] } });
const ROOTFS_URL = 'http://images.example.com:8888/boot-artifacts/rootfs?arch=x86_64&version=418';
const NETWORK = createRamdisk([
  { path: '/etc/assisted/network/host0/eth0.nmconnection', mode: 0o600, content: '[connection]\nid=eth0\n' },
  {
    path: '/etc/systemd/system/initrd.target.wants/x.service',
    mode: 0o120777,
    content: '/etc/systemd/system/x.service',
  },
]);

let folder: string;
let files: FileByteSource[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-outside-'));
  files = [];
});
afterEach(async () => {
  for (const file of files) await file.close();
  await rm(folder, { recursive: true, force: true });
});

const run = (program: string, args: readonly string[], input?: Buffer): string =>
  execFileSync(program, args, {
    encoding: 'utf8',
    input,
    stdio: ['pipe', 'pipe', 'ignore'],
    maxBuffer: 16 * 1024 * 1024,
  });

interface Form {
  readonly path: string;
  readonly source: ByteSource;
  readonly layout: BootIsoLayout;
}

async function baseOf(architecture: (typeof ARCHITECTURES)[number]): Promise<Form> {
  const path = join(folder, 'base.iso');
  await createBaseImage({ outPath: path, architecture });
  const source = await openFileByteSource(path);
  files.push(source);
  return { path, source, layout: await readBootIsoLayout(source) };
}

async function minimalOf({ source, layout }: Form): Promise<Form> {
  const minimal = await createMinimalIso(source, layout, ROOTFS_URL);
  return { ...minimal, path: await write('minimal-base.iso', minimal.source) };
}

async function write(name: string, source: ByteSource): Promise<string> {
  const path = join(folder, name);
  await pipeline(Readable.from(readRange(source)), createWriteStream(path));
  return path;
}

const customise = ({ source, layout }: Form, networkRamdisk?: Uint8Array): Promise<ByteSource> =>
  customiseBootIso(source, layout, {
    config: Buffer.from(CONFIG),
    appendKargs: ['rd.muster=1', 'x="a b"'],
    networkRamdisk,
  });

XORRISO.run(`verification with xorriso${XORRISO.note}`, () => {
  const structure = (path: string): string =>
    run('xorriso', [
      '-indev',
      path,
      '-pvd_info',
      '-report_el_torito',
      'plain',
      '-report_system_area',
      'plain',
    ]).replaceAll(path, 'ISO');

  it.each(ARCHITECTURES)('an image of %s is unchanged after its customisation was removed', async (architecture) => {
    const base = await baseOf(architecture);
    const customised = await write('customised.iso', await customise(base));
    expect(structure(customised)).toBe(structure(base.path));
  });

  it.each(['x86_64', 'aarch64', 'ppc64le'] as const)(
    'a minimal image of %s boots like the full image',
    async (architecture) => {
      const base = await baseOf(architecture);
      const minimal = await minimalOf(base);
      const volume = (path: string) =>
        structure(path)
          .split('\n')
          .filter((line) => /^Volume Id|^Creation Time|^System Id/.test(line));
      // The positions of the boot images have changed, their content has not.
      const boot = (path: string) =>
        structure(path)
          .split('\n')
          .filter((line) => /^El Torito (boot img|img path|img opts|cat path)/.test(line))
          .map((line) => (line.startsWith('El Torito boot img') ? line.replace(/\s+\d+$/, '') : line));
      expect(volume(minimal.path)).toEqual(volume(base.path));
      expect(boot(minimal.path)).toEqual(boot(base.path));
      if (architecture === 'x86_64') expect(boot(minimal.path).join('\n')).toMatch(/BIOS[^]*UEFI/);
      const list = (path: string): readonly string[] =>
        run('xorriso', ['-indev', path, '-find', '/', '-exec', 'lsdl'])
          .split('\n')
          .map((line) => line.replace(/^\S+\s+\d+/, ''))
          .sort();
      const [before, after] = [list(base.path), list(minimal.path)];
      const names = (lines: readonly string[]): readonly string[] =>
        lines.map((line) => line.slice(line.lastIndexOf("'/")));
      const expected = [...names(before).filter((name) => !name.includes('rootfs.img')), `'${NETWORK_AREA_PATH}'`];
      expect([...names(after)].sort()).toEqual(expected.sort());
    },
  );

  it('a minimal image has equal bytes in every file that was not edited', async () => {
    const base = await baseOf('x86_64');
    const minimal = await minimalOf(base);
    const extract = async (path: string, file: string): Promise<Buffer> => {
      const target = join(folder, `extracted-${Math.abs(file.length * 31 + path.length)}`);
      run('xorriso', ['-osirrox', 'on', '-indev', path, '-extract', file, target]);
      const bytes = await readFile(target);
      await rm(target, { force: true });
      return bytes;
    };
    for (const file of [
      '/images/pxeboot/vmlinuz',
      '/images/pxeboot/initrd.img',
      '/images/efiboot.img',
      '/images/ignition.img',
    ])
      expect((await extract(minimal.path, file)).equals(await extract(base.path, file))).toBe(true);
    expect((await extract(minimal.path, '/EFI/redhat/grub.cfg')).toString()).toContain(
      `coreos.live.rootfs_url="${ROOTFS_URL}"`,
    );
  });
});

CPIO.run(`cpio lists${CPIO.note}`, () => {
  it('verification of every ramdisk', async () => {
    const base = await baseOf('x86_64');
    const minimal = await minimalOf(base);
    const image = await customise(minimal, NETWORK);
    const area = minimal.layout.network;
    if (!area) throw new Error('a minimal image has an area for network files');
    // The library's own reader checks the data after an archive. cpio reads one archive only.
    const list = (ramdisk: Uint8Array): readonly string[] =>
      run('cpio', ['-t', '--quiet'], gunzipSync(ramdisk)).trim().split('\n');
    expect(list(createIgnitionArchive(Buffer.from(CONFIG)))).toEqual(['config.ign']);
    expect(list(await image.read(minimal.layout.ignition.offset, minimal.layout.ignition.length))).toEqual([
      'config.ign',
    ]);
    expect(list(await image.read(area.offset, area.length))).toEqual([
      'etc',
      'etc/assisted',
      'etc/assisted/network',
      'etc/assisted/network/host0',
      'etc/assisted/network/host0/eth0.nmconnection',
      'etc/systemd',
      'etc/systemd/system',
      'etc/systemd/system/initrd.target.wants',
      'etc/systemd/system/initrd.target.wants/x.service',
    ]);
  });
});

COREOS_INSTALLER.run(`coreos-installer${COREOS_INSTALLER.note}`, () => {
  const installer = (...args: string[]): string => run('coreos-installer', args).trim();

  it.each(ARCHITECTURES)('the config in an image of %s can be read and removed', async (architecture) => {
    const base = await baseOf(architecture);
    const customised = await write('customised.iso', await customise(base));
    expect(installer('iso', 'ignition', 'show', customised)).toBe(CONFIG);
    expect(installer('iso', 'kargs', 'show', customised)).toBe(
      `${base.layout.kargs?.defaultKargs} rd.muster=1 x="a b"`,
    );
    expect(installer('iso', 'kargs', 'show', '--default', customised)).toBe(base.layout.kargs?.defaultKargs);
    const restored = join(folder, 'restored.iso');
    installer('iso', 'reset', '-o', restored, customised);
    expect((await readFile(restored)).equals(await readFile(base.path))).toBe(true);
  });

  it('the config in a minimal image can be read and removed', async () => {
    const minimal = await minimalOf(await baseOf('x86_64'));
    const customised = await write('customised.iso', await customise(minimal));
    expect(installer('iso', 'ignition', 'show', customised)).toBe(CONFIG);
    expect(installer('iso', 'kargs', 'show', customised)).toBe(
      `${minimal.layout.kargs?.defaultKargs} rd.muster=1 x="a b"`,
    );
    const restored = join(folder, 'restored.iso');
    installer('iso', 'reset', '-o', restored, customised);
    expect((await readFile(restored)).equals(await readFile(minimal.path))).toBe(true);
  });
});
