import fc from 'fast-check';
import { bufferByteSource, readRange } from '../byte-source';
import { openIso } from '../iso/iso-image';
import { syntheticIso } from '../synthetic-iso.fixture.spec';
import { editTree, readIsoTree } from './iso-tree';
import { writeIso } from './write-iso';

const FILES = {
  'coreos/kargs.json': '{"default":""}',
  'images/pxeboot/vmlinuz': 'kernel '.repeat(900),
  'images/pxeboot/rootfs.img': 'root '.repeat(5_000),
  'EFI/redhat/grub.cfg': 'menu',
  empty: '',
};

const open = async (files: Record<string, string> = FILES, longNames: 'record' | 'continuation' | 'none' = 'record') =>
  openIso(bufferByteSource(syntheticIso(files, { longNames }).bytes));

async function contentsOf(image: Awaited<ReturnType<typeof open>>): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { path, entry } of image.files())
    found[path.slice(1)] = Buffer.from(await image.readFile(path, entry.size)).toString();
  return found;
}

describe('rewritten image', () => {
  it.each(['record', 'continuation'] as const)('has the same files (long names in: %s)', async (longNames) => {
    const image = await open(FILES, longNames);
    const written = await openIso((await writeIso(image, await readIsoTree(image))).source);
    expect(written.volumeId).toBe(image.volumeId);
    expect(await contentsOf(written)).toEqual(FILES);
    expect((await written.find('COREOS/KARGS.JSO'))?.name).toBe('kargs.json');
  });

  it('has the edited files, and is smaller after files were removed', async () => {
    const image = await open();
    const tree = editTree(
      await readIsoTree(image),
      new Map([
        ['/images/pxeboot/rootfs.img', undefined],
        ['/EFI/redhat/grub.cfg', bufferByteSource(Buffer.from('another menu'))],
        ['/images/pxeboot/network-of-hosts.img', bufferByteSource(Buffer.alloc(3_000, 'n'))],
      ]),
    );
    const { source } = await writeIso(image, tree);
    expect(source.size).toBeLessThan(image.source.size);
    const { 'images/pxeboot/rootfs.img': _, ...rest } = FILES;
    expect(await contentsOf(await openIso(source))).toEqual({
      ...rest,
      'EFI/redhat/grub.cfg': 'another menu',
      'images/pxeboot/network-of-hosts.img': 'n'.repeat(3_000),
    });
  });

  it('has more files than fit into one sector of a directory', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 120 }, (_, n) => [`dir/file-${n}-with-a-long-name.txt`, `${n}`]),
    );
    const many = Object.fromEntries(Object.entries(files).slice(0, 15));
    const image = await open(many);
    const edits = new Map(
      Object.entries(files)
        .slice(15)
        .map(([path, text]) => [path, bufferByteSource(Buffer.from(text))] as const),
    );
    expect(
      await contentsOf(await openIso((await writeIso(image, editTree(await readIsoTree(image), edits))).source)),
    ).toEqual(files);
  });

  it('has equal bytes for reads of any size', async () => {
    const image = await open();
    const make = async () => (await writeIso(image, await readIsoTree(image))).source;
    const source = await make();
    const whole = Buffer.from(await source.read(0, source.size));
    await fc.assert(
      fc.asyncProperty(fc.nat(source.size), fc.nat(source.size), async (a, b) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const chunks: Uint8Array[] = [];
        for await (const chunk of readRange(await make(), from, to - from, 5_000)) chunks.push(chunk);
        expect(Buffer.concat(chunks).equals(whole.subarray(from, to))).toBe(true);
      }),
    );
  });

  it.each(['/absent', '/images', '/images/absent/file', '/empty/file'])(
    'cannot be written without %s',
    async (path) => {
      const tree = await readIsoTree(await open());
      expect(() => editTree(tree, new Map([[path, undefined]]))).toThrow(
        expect.objectContaining({ code: 'file_not_found' }),
      );
    },
  );
});
