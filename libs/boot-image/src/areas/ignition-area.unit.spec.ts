import { bufferByteSource } from '../byte-source';
import { openIso } from '../iso/iso-image';
import { AREA_BYTES, build, sourceOf } from '../synthetic-coreos.fixture.spec';
import { syntheticIso, writeHeader } from '../synthetic-iso.fixture.spec';
import { locateIgnitionArea } from './ignition-area';

const located = async (bytes: Uint8Array) => locateIgnitionArea(await openIso(bufferByteSource(bytes)));
const withInfo = (info: unknown) =>
  located(build({ 'images/ignition.img': new Uint8Array(100), 'coreos/igninfo.json': JSON.stringify(info) }));

describe('ignition area', () => {
  it.each([
    ['igninfo.json and kargs.json with pad and end', 'igninfo'],
    ['areas inside one boot file, filled with NUL', 'igninfo'],
    ['whole ignition.img and kargs.json without pad and end', 'whole-file'],
    ['headers only', 'header'],
  ] as const)('is found in an image with %s by %s', async (generation, layout) => {
    const source = sourceOf(generation);
    const area = await locateIgnitionArea(await openIso(source));
    expect(area).toMatchObject({ layout, length: AREA_BYTES });
    expect((await source.read(area.offset, area.length)).every((byte) => byte === 0)).toBe(true);
  });

  it('extends to the end of the file when its description has a file and an offset without a length', async () => {
    expect(await withInfo({ file: 'images/ignition.img', offset: 40 })).toMatchObject({ length: 60 });
  });

  it('is found by the upper-case spelling that some images use', async () => {
    expect(await withInfo({ file: 'IMAGES/IGNITION.IMG' })).toMatchObject({ length: 100 });
  });

  it('is missing in an image that is not CoreOS', async () => {
    await expect(located(build({ 'readme.txt': 'hello' }))).rejects.toMatchObject({ code: 'no_ignition_area' });
  });

  it.each([
    [{ file: 'images/absent.img' }, 'file_not_found'],
    [{ file: 'images' }, 'file_not_found'],
    [{ file: 7 }, 'malformed'],
    [{ file: 'images/ignition.img', offset: -1 }, 'malformed'],
    [{ file: 'images/ignition.img', offset: 1.5 }, 'malformed'],
    [{ file: 'images/ignition.img', offset: 100 }, 'malformed'],
    [{ file: 'images/ignition.img', length: 101 }, 'malformed'],
    [{ file: 'images/ignition.img', length: '5' }, 'malformed'],
    [['images/ignition.img'], 'malformed'],
    [null, 'malformed'],
  ])('described as %j is refused with %s', async (info, code) => {
    await expect(withInfo(info)).rejects.toMatchObject({ code });
  });

  it.each([
    ['beyond the end', [1_000_000_000, 100], 'truncated'],
    ['without a length', [40_000, 0], 'malformed'],
    ['outside of every file', [2 ** 60, 100], 'malformed'],
  ])('in a header with a position %s is refused', async (_, values, code) => {
    const { bytes } = syntheticIso({ 'readme.txt': 'hello' });
    writeHeader(bytes, 32_744, 'coreiso+', values);
    await expect(located(bytes)).rejects.toMatchObject({ code });
  });
});
