import { bufferByteSource } from '../byte-source';
import { syntheticIso, type SyntheticIsoOptions } from '../synthetic-iso.fixture.spec';
import { openIso } from './iso-image';

const FILES = {
  'coreos/kargs.json': '{"default":""}',
  'images/pxeboot/vmlinuz': 'kernel',
  'EFI/redhat/grub.cfg': 'menu',
  empty: '',
};
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

function opened(options?: SyntheticIsoOptions, files: Record<string, string> = FILES) {
  return openIso(bufferByteSource(syntheticIso(files, options).bytes));
}

describe('ISO 9660 image', () => {
  it.each(['record', 'continuation', 'none'] as const)('finds files with long names in: %s', async (longNames) => {
    const image = await opened({ longNames });
    expect(text(await image.readFile('/coreos/kargs.json', 100))).toBe('{"default":""}');
    expect(text(await image.readFile('COREOS/KARGS.JSO', 100))).toBe('{"default":""}');
    expect(text(await image.readFile('images/pxeboot/vmlinuz', 100))).toBe('kernel');
    expect(text(await image.readFile('EFI/redhat/grub.cfg', 100))).toBe('menu');
    expect(await image.readFile('empty', 0)).toHaveLength(0);
    expect(await image.find('/coreos/absent.json')).toBeUndefined();
    expect(await image.find('/coreos/kargs.json/more')).toBeUndefined();
  });

  it.each([
    ['record', ['/EFI/redhat/grub.cfg', '/coreos/kargs.json', '/empty', '/images/pxeboot/vmlinuz']],
    ['continuation', ['/EFI/redhat/grub.cfg', '/coreos/kargs.json', '/empty', '/images/pxeboot/vmlinuz']],
    ['none', ['/COREOS/KARGS.JSO', '/EFI/REDHAT/GRUB.CFG', '/EMPTY', '/IMAGES/PXEBOOT/VMLINUZ']],
  ] as const)('lists every file (long names in: %s)', async (longNames, expected) => {
    const image = await opened({ longNames });
    const paths: string[] = [];
    for await (const { path } of image.files()) paths.push(path);
    expect(paths.sort()).toEqual(expected);
    expect((await image.list('/images')).map(({ isDirectory }) => isDirectory)).toEqual([true]);
  });

  it('prefers the exact long name to another name with the same 8.3 name', async () => {
    const image = await opened({}, { 'ignition-config-a.json': 'a', 'ignition-config-b.json': 'b' });
    expect(text(await image.readFile('ignition-config-b.json', 10))).toBe('b');
  });

  it('returns the volume id and the position of a file', async () => {
    const iso = syntheticIso(FILES, { volumeId: 'scos-1' });
    const image = await openIso(bufferByteSource(iso.bytes));
    expect(image.volumeId).toBe('scos-1');
    expect(image.volumeBytes).toBe(iso.bytes.length);
    expect((await image.find('coreos/kargs.json'))?.extents).toEqual([
      { offset: iso.offsetOf('coreos/kargs.json'), length: 14 },
    ]);
  });

  it('joins the parts of a file that is stored in several parts', async () => {
    const iso = syntheticIso({ 'big.bin': 'first', 'big2.bin': 'second' }, { longNames: 'none' });
    const flagOfFirst = Buffer.from(iso.bytes.buffer).indexOf('BIG.BIN') - 8;
    iso.bytes[flagOfFirst] = 0x80;
    const image = await openIso(bufferByteSource(iso.bytes));
    expect((await image.list('/')).map(({ size }) => size)).toEqual([11]);
    const [entry] = await image.list('/');
    expect(text(await image.readFile(entry?.name ?? '', 100))).toBe('firstsecond');
  });
});

describe('invalid ISO images', () => {
  it.each([
    ['nothing', new Uint8Array()],
    ['a small file', new Uint8Array(1000)],
    ['a file of zeros', new Uint8Array(100_000)],
  ])('are refused as not an ISO: %s', async (_, bytes) => {
    await expect(openIso(bufferByteSource(bytes))).rejects.toMatchObject({ code: 'not_an_iso' });
  });

  it('are refused with both sizes when they are truncated', async () => {
    const { bytes } = syntheticIso(FILES);
    await expect(openIso(bufferByteSource(bytes.subarray(0, bytes.length - 1)))).rejects.toMatchObject({
      code: 'truncated',
      problem: { neededBytes: bytes.length, sizeBytes: bytes.length - 1 },
    });
  });

  it('are refused when a directory contains itself', async () => {
    const iso = syntheticIso({ 'loop/file': 'x' });
    const root = Buffer.from(iso.bytes.buffer, iso.offsetOf(''), 2048);
    root.writeUInt32LE(iso.offsetOf('') / 2048, root.indexOf('LOOP') - 31);
    const image = await openIso(bufferByteSource(iso.bytes));
    const walk = async () => {
      for await (const { path } of image.files()) expect(path).toContain('loop');
    };
    await expect(walk()).rejects.toMatchObject({ code: 'malformed' });
  });

  it('are refused when a file extends beyond the end of the image', async () => {
    const iso = syntheticIso({ file: 'x' });
    const root = Buffer.from(iso.bytes.buffer, iso.offsetOf(''), 2048);
    root.writeUInt32LE(0xffff_ffff, root.indexOf('FILE') - 31);
    const image = await openIso(bufferByteSource(iso.bytes));
    await expect(image.readFile('file', 100)).rejects.toMatchObject({ code: 'truncated' });
    await expect(image.readFile('absent', 100)).rejects.toMatchObject({ code: 'file_not_found' });
  });

  it('are refused when a file is larger than its limit', async () => {
    const image = await opened();
    await expect(image.readFile('coreos/kargs.json', 5)).rejects.toThrow('14 bytes, and at most 5');
  });
});
