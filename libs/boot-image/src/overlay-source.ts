import { malformed } from './boot-image.error';
import { assertRange, type ByteSource } from './byte-source';

/** Bytes that take the place of the base's at `offset`. */
export interface Overlay {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/**
 * The base with some bytes replaced, same size. Nothing is copied until it is read, and a range that lies inside one
 * overlay does not touch the base. Throws `range_out_of_bounds` or `malformed` when overlays leave the base or overlap.
 */
export function overlaySource(base: ByteSource, overlays: readonly Overlay[]): ByteSource {
  const sorted = overlays.filter(({ bytes }) => bytes.length > 0).sort((a, b) => a.offset - b.offset);
  let freeFrom = 0;
  for (const { offset, bytes } of sorted) {
    assertRange(base.size, offset, bytes.length);
    if (offset < freeFrom) throw malformed('overlays', `two of them write byte ${offset}`);
    freeFrom = offset + bytes.length;
  }
  return {
    size: base.size,
    async read(offset, length) {
      assertRange(base.size, offset, length);
      const end = offset + length;
      const touched = sorted.filter(
        (overlay) => overlay.offset < end && overlay.offset + overlay.bytes.length > offset,
      );
      const [first] = touched;
      if (first === undefined) return base.read(offset, length);
      if (first.offset <= offset && first.offset + first.bytes.length >= end) {
        return first.bytes.subarray(offset - first.offset, end - first.offset);
      }
      // A copy: what the base returned may be a view of the base itself.
      const merged = Uint8Array.from(await base.read(offset, length));
      for (const overlay of touched) {
        const from = Math.max(overlay.offset, offset);
        const to = Math.min(overlay.offset + overlay.bytes.length, end);
        merged.set(overlay.bytes.subarray(from - overlay.offset, to - overlay.offset), from - offset);
      }
      return merged;
    },
  };
}
