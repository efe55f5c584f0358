import fc from 'fast-check';
import { bufferByteSource } from '../byte-source';
import { openIso } from '../iso/iso-image';
import { overlaySource } from '../overlay-source';
import { build, DEFAULT_KARGS, GENERATION_NAMES, KARGS_BYTES, sourceOf } from '../synthetic-coreos.fixture.spec';
import { appendKargs, assertKargs, kargRefusal, type KargsArea, locateKargsArea, readKargs } from './kargs-area';

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

  it('are appended in every boot menu, also repeatedly', async () => {
    const { source, area } = await areaOf(generation);
    const once = overlaySource(source, await appendKargs(source, area, ['console=ttyS0,115200n8', 'a="b c"']));
    expect(await readKargs(once, area)).toBe(`${DEFAULT_KARGS} console=ttyS0,115200n8 a="b c"`);
    const twice = overlaySource(once, await appendKargs(once, area, ['quiet']));
    expect(await readKargs(twice, area)).toBe(`${DEFAULT_KARGS} console=ttyS0,115200n8 a="b c" quiet`);
  });

  it('may fill the area up to the end mark, and not exceed it', async () => {
    const { source, area } = await areaOf(generation);
    const room = KARGS_BYTES - DEFAULT_KARGS.length - 2;
    const full = overlaySource(source, await appendKargs(source, area, ['x'.repeat(room)]));
    expect((await readKargs(full, area)).length).toBe(KARGS_BYTES - 1);
    await expect(appendKargs(source, area, ['x'.repeat(room + 3)])).rejects.toMatchObject({
      code: 'kargs_too_long',
      message: expect.stringContaining('3 bytes too long'),
    });
  });

  it('are not changed when there is nothing to append', async () => {
    const { source, area } = await areaOf(generation);
    expect(await appendKargs(source, area, [])).toEqual([]);
  });
});

describe('kernel argument areas', () => {
  it('are refused when they contain different texts', async () => {
    const { source, area } = await areaOf('headers only');
    const [first] = area.places;
    const changed = overlaySource(source, [{ offset: first?.offset ?? 0, bytes: Buffer.from('X') }]);
    await expect(appendKargs(changed, area, ['a'])).rejects.toMatchObject({ code: 'kargs_disagree' });
  });

  it('are absent in an image that reserves none', async () => {
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
  ])('described as %j are refused with %s', async (info, code) => {
    const bytes = build({ menu: 'm'.repeat(100), 'coreos/kargs.json': JSON.stringify(info) });
    const image = await openIso(bufferByteSource(bytes));
    await expect(locateKargsArea(image)).rejects.toMatchObject({ code });
  });

  it('contain the arguments, one end mark, and padding to the last byte', async () => {
    const { source, area } = await areaOf('headers only');
    const text = `${DEFAULT_KARGS} a`;
    for (const { bytes } of await appendKargs(source, area, ['a'])) {
      expect(Buffer.from(bytes).toString()).toBe(`${text}\n`.padEnd(KARGS_BYTES, '#'));
    }
    expect(area.places).toHaveLength(2);
  });

  it('are padded with exactly the bytes that the image names', async () => {
    const { source, area } = await areaOf('areas inside one boot file, filled with NUL');
    const [overlay] = await appendKargs(source, area, ['a']);
    const tail = overlay?.bytes.subarray(DEFAULT_KARGS.length + 2);
    expect(tail?.every((byte) => byte === 0)).toBe(true);
    const expected: KargsArea['places'] = [expect.objectContaining({ pad: 0, end: 0 })];
    expect(area.places).toEqual(expected);
  });
});

describe('kernel argument', () => {
  it.each([
    'quiet',
    'console=ttyS0,115200n8',
    'isolcpus=1,2,10-20,100-2000:2/25',
    'ip=[2001:db8::5]::[2001:db8::1]:64:host:eth0:none',
    'rd.znet=qeth,0.0.0600,0.0.0601,0.0.0602,layer2=1',
    'dyndbg="file drivers/usb/* +p; func x"',
    'a=""',
    'systemd.mask=foo@bar.service',
    'root=/dev/disk/by-id/wwn-0x5000%20~(1)',
  ])('such as %j is accepted', (value) => {
    expect(kargRefusal(value)).toBeUndefined();
  });

  it.each([
    ['', 'empty'],
    ['a\nmenuentry', 'line breaks'],
    ['a\r', 'line breaks'],
    ['a\tb', 'line breaks'],
    ['a\0', 'line breaks'],
    ['é', 'outside ASCII'],
    ['a=$root', 'expand'],
    ['a="$root"', 'expand'],
    ['a\\', 'expand'],
    ['a=`x`', 'expand'],
    ["a='b c'", 'double quotes'],
    ['a="b', 'not closed'],
    ['a="b"c"', 'not closed'],
    ['a b', 'space'],
    ['a;reboot', 'act on'],
    ['a}', 'act on'],
    ['a|b', 'act on'],
    ['#a', 'act on'],
    ['x'.repeat(2000), 'longer than 1024'],
  ])('%j is refused: %s', (value, reason) => {
    expect(kargRefusal(value)).toContain(reason);
    expect(() => assertKargs(['fine', value])).toThrow(expect.objectContaining({ code: 'hostile_karg' }));
  });

  it('that is accepted contains no line end and closes its quotes', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '"', ' ', '$', '\n', '=', ';', '\u2028', '\0') }), (value) => {
        fc.pre(kargRefusal(value) === undefined);
        expect(value).toMatch(/^(?:[^ \t\n\r"]+|"[^"]*")+$/);
      }),
    );
  });
});
