import { execFileSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gunzipSync } from 'node:zlib';
import { openFileByteSource } from '@muster/adapter-filesystem';
import {
  type ByteSource,
  customiseBootIso,
  openIso,
  readBootIsoLayout,
  readIgnitionConfig,
  readKargs,
  readRange,
} from '@muster/boot-image';
import { ARCHITECTURES } from './architectures';
import { createBaseImage, DEFAULT_VOLUME_ID } from './create-base-image';
import { runXorriso } from './xorriso';

const missing = hasXorriso() ? undefined : 'xorriso is not installed';
const whenPresent = missing ? describe.skip : describe;
const CONFIG = Buffer.from(JSON.stringify({ ignition: { version: '3.1.0' }, storage: { files: [] } }));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-base-image-spec-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

whenPresent(`base image${missing ? ` (skipped: ${missing})` : ''}`, () => {
  it.each(ARCHITECTURES)('for %s returns the config and kernel arguments that were embedded', async (architecture) => {
    const { path, bytes } = await createBaseImage({ outPath: join(folder, 'new', 'base.iso'), architecture });
    const file = await openFileByteSource(path);
    const layout = await readBootIsoLayout(file);
    expect(layout).toMatchObject({ volumeId: DEFAULT_VOLUME_ID, ignition: { layout: 'igninfo', length: 262_144 } });
    expect(bytes).toBeLessThan(4 * 1024 * 1024);

    const image: ByteSource = await customiseBootIso(file, layout, { config: CONFIG, appendKargs: ['a=1', 'b'] });
    expect(Buffer.from((await readIgnitionConfig(image, layout.ignition)) ?? '')).toEqual(CONFIG);
    if (!layout.kargs) throw new Error('the image has no kernel argument area');
    expect(await readKargs(image, layout.kargs)).toBe(
      `coreos.liveiso=${DEFAULT_VOLUME_ID} ignition.firstboot ignition.platform.id=metal a=1 b`,
    );
    await file.close();
  });

  it('has equal bytes independent of time and place of its creation', async () => {
    const first = await createBaseImage({ outPath: join(folder, 'first.iso') });
    // The dates in the image have a precision of one second.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const second = await createBaseImage({ outPath: join(folder, 'other', 'second.iso') });
    expect(second.sha256).toBe(first.sha256);
    const other = await createBaseImage({ outPath: join(folder, 'third.iso'), volumeId: 'scos-9.0' });
    expect(other.sha256).not.toBe(first.sha256);
  });

  it('has the short file names that other tools use', async () => {
    const { path } = await createBaseImage({ outPath: join(folder, 'base.iso') });
    const file = await openFileByteSource(path);
    const image = await openIso(file);
    const isoNames = (await image.list('/coreos')).map(({ isoName }) => isoName);
    expect(isoNames.sort()).toEqual(['FEATURES.JSO', 'IGNINFO.JSO', 'KARGS.JSO']);
    await file.close();
  });

  it('can still be read by xorriso after it was customised, with the added ramdisk', async () => {
    const { path } = await createBaseImage({ outPath: join(folder, 'base.iso') });
    const file = await openFileByteSource(path);
    const image = await customiseBootIso(file, await readBootIsoLayout(file), { config: CONFIG, appendKargs: ['a=1'] });
    const customised = join(folder, 'customised.iso');
    await pipeline(Readable.from(readRange(image)), createWriteStream(customised));
    await file.close();

    const structure = (iso: string) =>
      runXorriso(['-indev', iso, '-report_el_torito', 'plain', '-pvd_info', '-find', '/', '-exec', 'lsdl']).then(
        (report) => report.replaceAll(iso, 'ISO'),
      );
    const before = await structure(path);
    expect(before).toContain('El Torito boot img :   2  UEFI');
    expect(await structure(customised)).toBe(before);

    const extracted = join(folder, 'ignition.img');
    await runXorriso(['-osirrox', 'on', '-indev', customised, '-extract', '/images/ignition.img', extracted]);
    const archive = gunzipSync(await withoutPadding(extracted));
    expect(archive.subarray(0, 6).toString()).toBe('070701');
    expect(archive.includes(CONFIG)).toBe(true);
    const menu = join(folder, 'grub.cfg');
    await runXorriso(['-osirrox', 'on', '-indev', customised, '-extract', '/EFI/redhat/grub.cfg', menu]);
    expect(await readFile(menu, 'utf8')).toMatch(
      /linux .* ignition\.platform\.id=metal a=1\n#+ COREOS_KARG_EMBED_AREA\n/,
    );
  });

  it('leaves no files when xorriso fails', async () => {
    const wrong = createBaseImage({ outPath: join(folder, 'base.iso'), sourceDateEpoch: Number.NaN });
    await expect(wrong).rejects.toThrow('xorriso failed');
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('invalid options of a base image', () => {
  it.each(['', 'linux', 'rhcos-with spaces', `rhcos-${'x'.repeat(40)}`, 'rhcos-$x'])(
    'are refused: volume id %j',
    async (volumeId) => {
      await expect(createBaseImage({ outPath: join(folder, 'base.iso'), volumeId })).rejects.toThrow(RangeError);
      expect(await readdir(folder)).toEqual([]);
    },
  );
});

/** Returns only the gzip member: everything up to the last byte that is not zero, and the zeros of its length field. */
async function withoutPadding(path: string): Promise<Buffer> {
  const bytes = await readFile(path);
  const last = bytes.findLastIndex((byte) => byte !== 0);
  return bytes.subarray(0, Math.ceil((last + 1) / 4) * 4);
}

function hasXorriso(): boolean {
  try {
    execFileSync('xorriso', ['-version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
