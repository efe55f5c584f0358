import fc from 'fast-check';
import { blockCachedSource } from './block-cached-source';
import { bufferByteSource, type ByteSource } from './byte-source';

const bytes = Uint8Array.from({ length: 1_000 }, (_, index) => index % 251);

function counting(base: ByteSource): ByteSource & { readonly asked: number[] } {
  const asked: number[] = [];
  return { size: base.size, asked, read: (offset, length) => (asked.push(offset), base.read(offset, length)) };
}

describe('a source that keeps blocks', () => {
  it('gives the bytes of its base, whatever is asked in whatever order', async () => {
    const source = blockCachedSource(bufferByteSource(bytes), { blockBytes: 64, blocksMax: 3 });
    await fc.assert(
      fc.asyncProperty(fc.nat(1_000), fc.nat(1_000), async (a, b) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        expect(Buffer.compare(await source.read(from, to - from), bytes.subarray(from, to))).toBe(0);
      }),
    );
  });

  it('asks once for what several want at the same time, and again for what it had to forget', async () => {
    const base = counting(bufferByteSource(bytes));
    const source = blockCachedSource(base, { blockBytes: 100, blocksMax: 2 });
    await Promise.all([source.read(0, 50), source.read(20, 50), source.read(99, 1)]);
    expect(base.asked).toEqual([0]);
    await source.read(150, 200);
    expect(base.asked).toEqual([0, 100, 200, 300]);
    await source.read(0, 1);
    expect(base.asked).toEqual([0, 100, 200, 300, 0]);
  });

  it('asks again for what failed', async () => {
    let isBroken = true;
    const good = bufferByteSource(bytes);
    const source = blockCachedSource({
      size: good.size,
      read: (offset, length) => (isBroken ? Promise.reject(new Error('line cut')) : good.read(offset, length)),
    });
    await expect(source.read(0, 10)).rejects.toThrow('line cut');
    isBroken = false;
    expect(await source.read(0, 10)).toHaveLength(10);
  });
});
