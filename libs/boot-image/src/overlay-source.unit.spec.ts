import fc from 'fast-check';
import { BootImageError } from './boot-image.error';
import { bufferByteSource, type ByteSource, readRange } from './byte-source';
import { type Overlay, overlaySource } from './overlay-source';

/** A base and overlays inside it that do not overlap. */
const overlaidBase = fc.uint8Array({ minLength: 1, maxLength: 400 }).chain((base) =>
  fc.record({
    base: fc.constant(base),
    cuts: fc.uniqueArray(fc.nat(base.length), { maxLength: 9 }).map((cuts) => cuts.sort((a, b) => a - b)),
    range: fc
      .tuple(fc.nat(base.length), fc.nat(base.length))
      .map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) })),
    chunkBytes: fc.integer({ min: 1, max: 64 }),
  }),
);

function everySecondGap(cuts: readonly number[]): Overlay[] {
  return cuts.flatMap((from, index) => {
    const to = cuts[index + 1];
    return index % 2 === 0 && to !== undefined
      ? [
          {
            offset: from,
            bytes: new Uint8Array((to - from) >> (index % 4 === 0 ? 0 : 1)).fill(0xee),
            length: to - from,
          },
        ]
      : [];
  });
}

describe('overlays', () => {
  it('return the same bytes as a copy for any range, in one read and in chunks', async () => {
    await fc.assert(
      fc.asyncProperty(overlaidBase, async ({ base, cuts, range, chunkBytes }) => {
        const overlays = everySecondGap(cuts);
        const whole = Uint8Array.from(base);
        for (const { offset, bytes, length = 0 } of overlays) {
          whole.fill(0, offset, offset + length);
          whole.set(bytes, offset);
        }
        const before = Uint8Array.from(base);
        const source = overlaySource(bufferByteSource(base), overlays);
        const expected = whole.subarray(range.start, range.end);

        const length = range.end - range.start;
        expect(Buffer.compare(await source.read(range.start, length), expected)).toBe(0);
        const chunks: Uint8Array[] = [];
        for await (const chunk of readRange(source, range.start, length, chunkBytes)) {
          expect(chunk.length).toBeLessThanOrEqual(chunkBytes);
          chunks.push(chunk);
        }
        expect(Buffer.compare(Buffer.concat(chunks), expected)).toBe(0);
        expect(source.size).toBe(base.length);
        expect(base).toEqual(before);
      }),
    );
  });

  it('do not read the base for a range inside one overlay', async () => {
    const asked: number[] = [];
    const base: ByteSource = {
      size: 100,
      read: async (offset, length) => {
        asked.push(offset);
        return new Uint8Array(length);
      },
    };
    const source = overlaySource(base, [{ offset: 10, bytes: new Uint8Array(20).fill(1) }]);
    await source.read(12, 5);
    expect(asked).toEqual([]);
    await source.read(5, 10);
    expect(asked).toEqual([5]);
  });

  it('work beyond 4 GiB without allocating memory for the size', async () => {
    const size = 60 * 2 ** 30;
    const base: ByteSource = { size, read: async (_, length) => new Uint8Array(length) };
    const source = overlaySource(base, [{ offset: size - 4, bytes: Uint8Array.of(1, 2, 3) }]);
    expect([...(await source.read(size - 6, 6))]).toEqual([0, 0, 1, 2, 3, 0]);
  });

  it.each([
    ['beyond the end', [{ offset: 9, bytes: new Uint8Array(2) }], 'range_out_of_bounds'],
    ['beyond the end with its zeros', [{ offset: 9, bytes: new Uint8Array(1), length: 2 }], 'range_out_of_bounds'],
    ['before the start', [{ offset: -1, bytes: new Uint8Array(2) }], 'range_out_of_bounds'],
    [
      'overlapping',
      [
        { offset: 0, bytes: new Uint8Array(3) },
        { offset: 2, bytes: new Uint8Array(1) },
      ],
      'malformed',
    ],
  ])('are refused %s', (_, overlays, code) => {
    expect(() => overlaySource(bufferByteSource(new Uint8Array(10)), overlays)).toThrow(
      expect.objectContaining({ name: 'BootImageError', code }),
    );
  });
});

describe('range', () => {
  const source = bufferByteSource(new Uint8Array(10));

  it.each([
    [0, 11],
    [11, 0],
    [-1, 2],
    [0, -1],
    [Number.NaN, 1],
    [0, Number.POSITIVE_INFINITY],
    [1.5, 1],
  ])('from %p of %p bytes is refused before anything is read', async (offset, length) => {
    expect(() => readRange(source, offset, length)).toThrow(BootImageError);
    await expect(source.read(offset, length)).rejects.toThrow(BootImageError);
  });

  it('is read only as far as its consumer requests', async () => {
    const asked: number[] = [];
    const counting: ByteSource = {
      size: 1000,
      read: async (offset, length) => {
        asked.push(offset);
        return new Uint8Array(length);
      },
    };
    for await (const chunk of readRange(counting, 0, 1000, 100)) if (chunk.length > 0) break;
    expect(asked).toEqual([0]);
  });
});
