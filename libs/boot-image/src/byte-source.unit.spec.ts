import fc from 'fast-check';
import {
  blockCachedSource,
  bufferByteSource,
  type ByteSource,
  concatSources,
  sliceSource,
  zeroSource,
} from './byte-source';
import { overlaySource } from './overlay-source';

const BYTES = Uint8Array.from({ length: 500 }, (_, index) => 1 + (index % 250));
/** A source with `readInto`, like a file. */
const filling: ByteSource = {
  ...bufferByteSource(BYTES),
  async readInto(offset, target) {
    target.set(BYTES.subarray(offset, offset + target.length));
  },
};
const expected = Buffer.concat([BYTES.subarray(100, 200), Buffer.alloc(50), BYTES.subarray(0, 30), Buffer.from('end')]);
const made = (base: ByteSource): ByteSource =>
  concatSources([
    sliceSource(base, 100, 100),
    zeroSource(50),
    sliceSource(base, 0, 30),
    zeroSource(0),
    bufferByteSource(Buffer.from('end')),
  ]);

describe('concatenated sources', () => {
  it('return the bytes of the parts in order for any read', async () => {
    const ranges = fc.tuple(fc.nat(expected.length), fc.nat(expected.length));
    await fc.assert(
      fc.asyncProperty(ranges, async ([a, b]) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        for (const source of [made(filling), made(bufferByteSource(BYTES))]) {
          expect(Buffer.compare(await source.read(from, to - from), expected.subarray(from, to))).toBe(0);
          // The previous content of the buffer must be overwritten.
          const target = new Uint8Array(to - from).fill(0xee);
          await source.readInto?.(from, target);
          expect(Buffer.compare(target, expected.subarray(from, to))).toBe(0);
        }
      }),
    );
  });

  it('with overlays return the same bytes from read and readInto', async () => {
    const source = overlaySource(filling, [
      { offset: 10, bytes: Buffer.from('abc'), length: 20 },
      { offset: 400, bytes: Buffer.from('xyz') },
    ]);
    await fc.assert(
      fc.asyncProperty(fc.nat(500), fc.nat(500), async (a, b) => {
        const target = new Uint8Array(Math.abs(a - b)).fill(0xee);
        await source.readInto?.(Math.min(a, b), target);
        expect(Buffer.compare(target, await source.read(Math.min(a, b), target.length))).toBe(0);
      }),
    );
    expect(overlaySource(bufferByteSource(BYTES), []).readInto).toBeUndefined();
  });

  it.each([
    [0, 184],
    [184, 1],
    [-1, 1],
  ])('refuse %p with length %p', async (offset, length) => {
    await expect(made(filling).read(offset, length)).rejects.toMatchObject({ code: 'range_out_of_bounds' });
    await expect(made(filling).readInto?.(offset, new Uint8Array(length))).rejects.toMatchObject({
      code: 'range_out_of_bounds',
    });
    expect(() => sliceSource(filling, 400, 101)).toThrow(expect.objectContaining({ code: 'range_out_of_bounds' }));
  });
});

const bytes = Uint8Array.from({ length: 1_000 }, (_, index) => index % 251);

function counting(base: ByteSource): ByteSource & { readonly asked: number[] } {
  const asked: number[] = [];
  return { size: base.size, asked, read: (offset, length) => (asked.push(offset), base.read(offset, length)) };
}

describe('cached blocks', () => {
  it('return the bytes of the base for any reads', async () => {
    const source = blockCachedSource(bufferByteSource(bytes), { blockBytes: 64, blocksMax: 3 });
    await fc.assert(
      fc.asyncProperty(fc.nat(1_000), fc.nat(1_000), async (a, b) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        expect(Buffer.compare(await source.read(from, to - from), bytes.subarray(from, to))).toBe(0);
      }),
    );
  });

  it('are read once for concurrent requests, and again after they were removed', async () => {
    const base = counting(bufferByteSource(bytes));
    const source = blockCachedSource(base, { blockBytes: 100, blocksMax: 2 });
    await Promise.all([source.read(0, 50), source.read(20, 50), source.read(99, 1)]);
    expect(base.asked).toEqual([0]);
    await source.read(150, 200);
    expect(base.asked).toEqual([0, 100, 200, 300]);
    await source.read(0, 1);
    expect(base.asked).toEqual([0, 100, 200, 300, 0]);
  });

  it('are read again after a failure', async () => {
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
