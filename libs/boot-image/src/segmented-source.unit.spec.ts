import fc from 'fast-check';
import { bufferByteSource, type ByteSource } from './byte-source';
import { overlaySource } from './overlay-source';
import { concatSources, sliceSource, zeroSource } from './segmented-source';

const BYTES = Uint8Array.from({ length: 500 }, (_, index) => 1 + (index % 250));
/** A source that can fill memory of others, as files can. */
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

describe('a source of several parts', () => {
  it('is the parts one after the other, however it is read', async () => {
    const ranges = fc.tuple(fc.nat(expected.length), fc.nat(expected.length));
    await fc.assert(
      fc.asyncProperty(ranges, async ([a, b]) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        for (const source of [made(filling), made(bufferByteSource(BYTES))]) {
          expect(Buffer.compare(await source.read(from, to - from), expected.subarray(from, to))).toBe(0);
          // What was there before must not shine through.
          const target = new Uint8Array(to - from).fill(0xee);
          await source.readInto?.(from, target);
          expect(Buffer.compare(target, expected.subarray(from, to))).toBe(0);
        }
      }),
    );
  });

  it('under overlays gives the same bytes in both ways of reading', async () => {
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
  ])('refuses %p with length %p', async (offset, length) => {
    await expect(made(filling).read(offset, length)).rejects.toMatchObject({ code: 'range_out_of_bounds' });
    await expect(made(filling).readInto?.(offset, new Uint8Array(length))).rejects.toMatchObject({
      code: 'range_out_of_bounds',
    });
    expect(() => sliceSource(filling, 400, 101)).toThrow(expect.objectContaining({ code: 'range_out_of_bounds' }));
  });
});
