import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readIgnitionConfig } from './areas/ignition-area';
import { readKargs } from './areas/kargs-area';
import { customiseBootIso, isCoreOsVolumeId, readBootIsoLayout } from './boot-iso';
import { bufferByteSource, type ByteSource, readRange } from './byte-source';
import { readBootCatalogue } from './iso/el-torito';
import { openIso } from './iso/iso-image';
import { createMinimalIso } from './minimal-iso';

const FOLDER = join(__dirname, '../../../../shared/fixtures/iso');
const IGNITION_AREA_BYTES = 262_144;
const ROOTFS_URL = 'http://images.example.com/boot-artifacts/rootfs?arch=x86_64&version=4.18';
const ISO_BYTES_MAX = 64 * 1024 * 1024;

const names = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => name.endsWith('.iso.xz')) : [];
const missing = names.length === 0 ? `no images in ${FOLDER}` : hasXz() ? undefined : 'xz is not installed';
const whenPresent = missing ? describe.skip : describe;

whenPresent(`images of CoreOS builds${missing ? ` (skipped: ${missing})` : ''}`, () => {
  it.each(names)('%s is read and customised without other changes', async (name) => {
    const original = unpack(name);
    const base = bufferByteSource(original);
    const layout = await readBootIsoLayout(base);
    expect(isCoreOsVolumeId(layout.volumeId)).toBe(true);
    expect(layout.ignition.length).toBe(IGNITION_AREA_BYTES);
    expect(await readIgnitionConfig(base, layout.ignition)).toBeUndefined();

    const config = Buffer.from(JSON.stringify({ ignition: { version: '3.1.0' } }));
    const appendKargs = layout.kargs ? ['muster.test=1', 'x="a b"'] : [];
    const image = await customiseBootIso(base, layout, { config, appendKargs });
    const chunks: Uint8Array[] = [];
    for await (const chunk of readRange(image)) chunks.push(chunk);
    const whole = Buffer.concat(chunks);
    expect(whole.length).toBe(original.length);

    const written = bufferByteSource(whole);
    const layoutAfter = await readBootIsoLayout(written);
    expect(layoutAfter).toEqual(layout);
    expect(Buffer.from((await readIgnitionConfig(written, layoutAfter.ignition)) ?? '')).toEqual(config);
    const areas = [layout.ignition];
    if (layout.kargs) {
      const { defaultKargs, length, places } = layout.kargs;
      expect(await readKargs(written, layout.kargs)).toBe(`${defaultKargs} muster.test=1 x="a b"`);
      areas.push(...places.map(({ offset }) => ({ layout: layout.ignition.layout, offset, length })));
    }
    for (const { offset, length } of areas) original.copy(whole, offset, offset, offset + length);
    expect(Buffer.compare(whole, original)).toBe(0);
  });

  it.each(names)('%s contains the files that a live image boots', async (name) => {
    const image = await openIso(bufferByteSource(unpack(name)));
    const paths: string[] = [];
    for await (const { path } of image.files()) paths.push(path);
    const kernels = ['/images/pxeboot/vmlinuz', '/images/pxeboot/kernel.img'];
    expect(paths).toEqual(expect.arrayContaining(['/images/pxeboot/initrd.img', '/images/pxeboot/rootfs.img']));
    expect(paths.some((path) => kernels.includes(path))).toBe(true);
    // The short names that other tools use lead to the same files.
    expect(await image.find('IMAGES/PXEBOOT/INITRD.IMG')).toEqual(await image.find('/images/pxeboot/initrd.img'));
  });
});

whenPresent(`minimal images of CoreOS builds${missing ? ` (skipped: ${missing})` : ''}`, () => {
  it.each(names)('%s boots without its root file system, from a disc or a USB stick', async (name) => {
    const base = bufferByteSource(unpack(name));
    const layout = await readBootIsoLayout(base);
    if (name.includes('s390x')) {
      await expect(createMinimalIso(base, layout, ROOTFS_URL)).rejects.toMatchObject({ code: 'no_minimal_image' });
      return;
    }
    const minimal = await createMinimalIso(base, layout, ROOTFS_URL);
    const found = await readBootIsoLayout(minimal.source);
    expect(found.kargs).toEqual(minimal.layout.kargs);
    expect(found.ignition).toMatchObject({ offset: minimal.layout.ignition.offset, length: IGNITION_AREA_BYTES });
    const [before, after] = [await readBootCatalogue(base), await readBootCatalogue(minimal.source)];
    const kinds = (catalogue: typeof before) =>
      catalogue?.entries.map(({ platform, isBootable, loadBlocks }) => ({ platform, isBootable, loadBlocks }));
    expect(kinds(after)).toEqual(kinds(before));
    // Firmware boots the same images, except for the table with their positions.
    for (const [index, { offset, loadBlocks }] of (before?.entries ?? []).entries()) {
      const [old, moved] = [offset, after?.entries[index]?.offset ?? 0];
      const head = Math.min(64, loadBlocks * 512);
      const bytes = async (source: ByteSource, at: number) =>
        Buffer.from(await source.read(at + head, loadBlocks * 512 - head));
      expect((await bytes(minimal.source, moved)).equals(await bytes(base, old))).toBe(true);
    }
    const isDisk = async ({ source }: { source: ByteSource }) =>
      Buffer.from(await source.read(512, 8)).toString('latin1') === 'EFI PART';
    expect(await isDisk(minimal)).toBe(await isDisk({ source: base }));
    if (await isDisk(minimal)) {
      const last = Buffer.from(await minimal.source.read(minimal.source.size - 512, 8)).toString('latin1');
      expect([last, minimal.source.size % (1024 * 1024)]).toEqual(['EFI PART', 0]);
    }
  });
});

function unpack(name: string): Buffer {
  return execFileSync('xz', ['-dc', join(FOLDER, name)], { maxBuffer: ISO_BYTES_MAX });
}

function hasXz(): boolean {
  try {
    execFileSync('xz', ['--version']);
    return true;
  } catch {
    return false;
  }
}
