import { malformed } from './boot-image.error';
import { assertRange, type ByteSource } from './byte-source';

/** Bytes that replace those of the base at `offset`. */
export interface Overlay {
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** The number of replaced bytes when it is larger than `bytes`. The remaining ones become zero. */
  readonly length?: number;
}

/**
 * Returns the base with some bytes replaced and the same size. Nothing is copied before it is read, and a range inside
 * one overlay does not read the base.
 * @throws BootImageError `range_out_of_bounds` or `malformed` when overlays exceed the base or overlap
 */
export function overlaySource(base: ByteSource, overlays: readonly Overlay[]): ByteSource {
  const sorted = overlays
    .map(({ offset, bytes, length = bytes.length }) => ({
      offset,
      bytes,
      end: offset + Math.max(length, bytes.length),
    }))
    .filter(({ offset, end }) => end > offset)
    .sort((a, b) => a.offset - b.offset);
  let freeFrom = 0;
  for (const { offset, end } of sorted) {
    assertRange(base.size, offset, end - offset);
    if (offset < freeFrom) throw malformed('overlays', `two of them write byte ${offset}`);
    freeFrom = end;
  }
  const touchedBy = (offset: number, end: number) =>
    sorted.filter((overlay) => overlay.offset < end && overlay.end > offset);
  const lay = (target: Uint8Array, offset: number, touched: typeof sorted): void => {
    for (const overlay of touched) {
      const from = Math.max(overlay.offset, offset);
      const to = Math.min(overlay.end, offset + target.length);
      const bytes = overlay.bytes.subarray(from - overlay.offset, to - overlay.offset);
      target.set(bytes, from - offset);
      target.fill(0, from - offset + bytes.length, to - offset);
    }
  };
  const readBaseInto = base.readInto?.bind(base);
  return {
    size: base.size,
    ...(readBaseInto && {
      async readInto(offset: number, target: Uint8Array) {
        assertRange(base.size, offset, target.length);
        const touched = touchedBy(offset, offset + target.length);
        const [first] = touched;
        const isCovered = first !== undefined && first.offset <= offset && first.end >= offset + target.length;
        if (!isCovered) await readBaseInto(offset, target);
        lay(target, offset, touched);
      },
    }),
    async read(offset, length) {
      assertRange(base.size, offset, length);
      const end = offset + length;
      const touched = touchedBy(offset, end);
      const [first] = touched;
      if (first === undefined) return base.read(offset, length);
      const isCovered = first.offset <= offset && first.end >= end;
      // A copy, because the base may return a view of its own bytes.
      const merged = isCovered ? new Uint8Array(length) : Uint8Array.from(await base.read(offset, length));
      lay(merged, offset, touched);
      return merged;
    },
  };
}
