import fc from 'fast-check';
import { createIgnitionArchive, ignitionConfigOf, readIgnitionConfig } from './areas/ignition-area';
import { readKargs } from './areas/kargs-area';
import { customiseBootIso, isCoreOsVolumeId, readBootIsoLayout } from './boot-iso';
import { bufferByteSource } from './byte-source';
import { AREA_BYTES, build, DEFAULT_KARGS, GENERATION_NAMES, sourceOf } from './synthetic-coreos.fixture.spec';

const config = fc.uint8Array({ maxLength: AREA_BYTES - 400 });
const kargs = fc.array(fc.stringMatching(/^[a-z0-9_.]{1,10}(=[a-z0-9,:/]{0,10})?$/), { maxLength: 5 });

describe.each(GENERATION_NAMES)('image with %s', (generation) => {
  it('returns the embedded config and arguments, and changes no other bytes', async () => {
    const base = sourceOf(generation);
    const original = await base.read(0, base.size);
    const layout = await readBootIsoLayout(base);
    const areas = [
      layout.ignition,
      ...(layout.kargs?.places ?? []).map(({ offset }) => ({ offset, length: layout.kargs?.length ?? 0 })),
    ];
    const withoutAreas = (bytes: Uint8Array) => {
      const copy = Uint8Array.from(bytes);
      for (const { offset, length } of areas) copy.fill(0, offset, offset + length);
      return copy;
    };
    await fc.assert(
      fc.asyncProperty(config, kargs, async (bytes, appendKargs) => {
        const image = await customiseBootIso(base, layout, { config: bytes, appendKargs });
        const found = await readIgnitionConfig(image, layout.ignition);
        expect(Buffer.compare(found ?? Buffer.from('absent'), bytes)).toBe(0);
        if (layout.kargs) expect(await readKargs(image, layout.kargs)).toBe([DEFAULT_KARGS, ...appendKargs].join(' '));

        const whole = await image.read(0, image.size);
        expect(image.size).toBe(base.size);
        expect(Buffer.compare(withoutAreas(whole), withoutAreas(original))).toBe(0);
        const again = await customiseBootIso(base, layout, { config: bytes, appendKargs });
        expect(Buffer.compare(await again.read(0, again.size), whole)).toBe(0);
      }),
      { numRuns: 40 },
    );
    expect(Buffer.compare(await base.read(0, base.size), original)).toBe(0);
  });

  it('has no config before one is embedded', async () => {
    const base = sourceOf(generation);
    expect(await readIgnitionConfig(base, (await readBootIsoLayout(base)).ignition)).toBeUndefined();
  });
});

describe('customisation of an image', () => {
  const noise = Uint8Array.from(
    { length: 20_000 },
    (_, index) => Math.imul(index + 1, 0x9e37_79b1) >>> ((index % 3) * 8),
  );

  it('compresses a config that would not fit otherwise', async () => {
    const base = sourceOf('headers only');
    const layout = await readBootIsoLayout(base);
    const large = Buffer.from('{"a":1} '.repeat(2000));
    const image = await customiseBootIso(base, layout, { config: large });
    expect(Buffer.compare((await readIgnitionConfig(image, layout.ignition)) ?? Buffer.alloc(0), large)).toBe(0);
  });

  it('refuses a config that is too large, with the excess in bytes', async () => {
    const base = sourceOf('headers only');
    const layout = await readBootIsoLayout(base);
    const over = createIgnitionArchive(noise).length - AREA_BYTES;
    expect(over).toBeGreaterThan(0);
    await expect(customiseBootIso(base, layout, { config: noise })).rejects.toMatchObject({
      code: 'config_too_large',
      message: expect.stringContaining(`${over} bytes too large`),
    });
  });

  it('refuses arguments for an image without an area, and hostile arguments for any image', async () => {
    const bare = bufferByteSource(build({ 'images/ignition.img': new Uint8Array(1024) }));
    const config = Buffer.from('{}');
    await expect(
      customiseBootIso(bare, await readBootIsoLayout(bare), { config, appendKargs: ['a'] }),
    ).rejects.toMatchObject({ code: 'no_kargs_area' });
    const base = sourceOf('headers only');
    await expect(
      customiseBootIso(base, await readBootIsoLayout(base), { config, appendKargs: ['a\nb'] }),
    ).rejects.toMatchObject({ code: 'hostile_karg' });
  });

  it('creates archives with a multiple of 4 bytes, including system configs', () => {
    const archive = createIgnitionArchive(Buffer.from('{"x":1}'), [{ name: '00-base.ign', config: Buffer.from('{}') }]);
    expect(archive.length % 4).toBe(0);
    const later = createIgnitionArchive(Buffer.from('{"x":2}'));
    const found = ignitionConfigOf(Buffer.concat([archive, later]));
    expect(Buffer.from(found ?? '').toString()).toBe('{"x":2}');
  });

  it('recognises CoreOS images by their volume id', () => {
    expect(['rhcos-1', 'fedora-coreos-37', 'scos-9'].every(isCoreOsVolumeId)).toBe(true);
    expect(['', 'Fedora-Live', 'my-rhcos-1'].some(isCoreOsVolumeId)).toBe(false);
  });
});
