import { bufferByteSource } from '../byte-source';
import { openIso } from '../iso/iso-image';
import { overlaySource } from '../overlay-source';
import { build, DEFAULT_KARGS, GENERATION_NAMES, KARGS_BYTES, sourceOf } from '../synthetic-coreos.fixture.spec';
import { locateKargsArea, type KargsArea } from './kargs-area';
import { appendKargs, readKargs } from './kargs-overlays';

async function areaOf(generation: (typeof GENERATION_NAMES)[number]) {
  const source = sourceOf(generation);
  const area = await locateKargsArea(await openIso(source));
  if (!area) throw new Error('the image has a kernel argument area');
  return { source, area };
}

describe.each(GENERATION_NAMES)('kernel arguments of an image with %s', (generation) => {
  it('are found with their default', async () => {
    const { source, area } = await areaOf(generation);
    expect(area.defaultKargs).toBe(DEFAULT_KARGS);
    expect(area.length).toBe(KARGS_BYTES);
    expect(await readKargs(source, area)).toBe(DEFAULT_KARGS);
  });

  it('are appended in every boot menu, and again to that', async () => {
    const { source, area } = await areaOf(generation);
    const once = overlaySource(source, await appendKargs(source, area, ['console=ttyS0,115200n8', 'a="b c"']));
    expect(await readKargs(once, area)).toBe(`${DEFAULT_KARGS} console=ttyS0,115200n8 a="b c"`);
    const twice = overlaySource(once, await appendKargs(once, area, ['quiet']));
    expect(await readKargs(twice, area)).toBe(`${DEFAULT_KARGS} console=ttyS0,115200n8 a="b c" quiet`);
  });

  it('may fill the area up to the end mark, and not one byte more', async () => {
    const { source, area } = await areaOf(generation);
    const room = KARGS_BYTES - DEFAULT_KARGS.length - 2;
    const full = overlaySource(source, await appendKargs(source, area, ['x'.repeat(room)]));
    expect((await readKargs(full, area)).length).toBe(KARGS_BYTES - 1);
    await expect(appendKargs(source, area, ['x'.repeat(room + 3)])).rejects.toMatchObject({
      code: 'kargs_too_long',
      message: expect.stringContaining('3 bytes too long'),
    });
  });

  it('are left alone when there is nothing to append', async () => {
    const { source, area } = await areaOf(generation);
    expect(await appendKargs(source, area, [])).toEqual([]);
  });
});

describe('kernel argument areas', () => {
  it('that hold different texts are refused', async () => {
    const { source, area } = await areaOf('headers only');
    const [first] = area.places;
    const changed = overlaySource(source, [{ offset: first?.offset ?? 0, bytes: Buffer.from('X') }]);
    await expect(appendKargs(changed, area, ['a'])).rejects.toMatchObject({ code: 'kargs_disagree' });
  });

  it('are absent from an image that reserves none', async () => {
    const image = await openIso(bufferByteSource(build({ 'images/ignition.img': 'x' })));
    expect(await locateKargsArea(image)).toBeUndefined();
  });

  it.each([
    [{ files: [{ path: 'menu', offset: 0 }], size: 10 }, 'malformed'],
    [{ default: 'a', files: [], size: 10 }, 'malformed'],
    [{ default: 'a', files: [{ path: 'menu' }], size: 10 }, 'malformed'],
    [{ default: 'a', files: [{ path: 'menu', offset: 95 }], size: 10 }, 'malformed'],
    [{ default: 'a', files: [{ path: 'menu', offset: 0, pad: '##' }], size: 10 }, 'malformed'],
    [{ default: 'a', files: [{ path: 'menu', offset: 0 }], size: 1e9 }, 'malformed'],
    [{ default: 'a', files: [{ path: 'absent', offset: 0 }], size: 10 }, 'file_not_found'],
    ['text', 'malformed'],
  ])('described as %j are refused as %s', async (info, code) => {
    const bytes = build({ menu: 'm'.repeat(100), 'coreos/kargs.json': JSON.stringify(info) });
    const image = await openIso(bufferByteSource(bytes));
    await expect(locateKargsArea(image)).rejects.toMatchObject({ code });
  });

  it('hold the arguments, one end mark and padding to the last byte', async () => {
    const { source, area } = await areaOf('headers only');
    const text = `${DEFAULT_KARGS} a`;
    for (const { bytes } of await appendKargs(source, area, ['a'])) {
      expect(Buffer.from(bytes).toString()).toBe(`${text}\n`.padEnd(KARGS_BYTES, '#'));
    }
    expect(area.places).toHaveLength(2);
  });

  it('pad with exactly the bytes that the image names', async () => {
    const { source, area } = await areaOf('areas inside one boot file, filled with NUL');
    const [overlay] = await appendKargs(source, area, ['a']);
    const tail = overlay?.bytes.subarray(DEFAULT_KARGS.length + 2);
    expect(tail?.every((byte) => byte === 0)).toBe(true);
    const expected: KargsArea['places'] = [expect.objectContaining({ pad: 0, end: 0 })];
    expect(area.places).toEqual(expected);
  });
});
