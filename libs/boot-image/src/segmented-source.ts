import { assertRange, type ByteSource } from './byte-source';

const ZEROS_AT_ONCE_BYTES_MAX = 16 * 1024 * 1024;

/** `length` zeros that take no memory until they are read. */
export function zeroSource(length: number): ByteSource {
  return {
    size: length,
    async read(offset, wanted) {
      assertRange(Math.min(length, offset + ZEROS_AT_ONCE_BYTES_MAX), offset, wanted);
      return new Uint8Array(wanted);
    },
  };
}

/** A part of another source. Throws `range_out_of_bounds` when it is not inside. */
export function sliceSource(base: ByteSource, start: number, length: number): ByteSource {
  assertRange(base.size, start, length);
  const readBaseInto = base.readInto?.bind(base);
  return {
    size: length,
    ...(readBaseInto && {
      async readInto(offset: number, target: Uint8Array) {
        assertRange(length, offset, target.length);
        await readBaseInto(start + offset, target);
      },
    }),
    async read(offset, wanted) {
      assertRange(length, offset, wanted);
      return base.read(start + offset, wanted);
    },
  };
}

/** Sources one after the other, as one. Nothing is copied until it is read; a read inside one part is passed on as it is. */
export function concatSources(parts: readonly ByteSource[]): ByteSource {
  const filled = parts.filter(({ size }) => size > 0);
  const starts: number[] = [];
  let size = 0;
  for (const part of filled) {
    starts.push(size);
    size += part.size;
  }
  return {
    size,
    async readInto(offset, target) {
      assertRange(size, offset, target.length);
      for (let at = 0, index = indexOf(starts, offset); at < target.length; index += 1) {
        const part = filled[index];
        if (!part) break;
        const from = offset + at - (starts[index] ?? 0);
        const piece = target.subarray(at, at + Math.min(part.size - from, target.length - at));
        if (part.readInto) await part.readInto(from, piece);
        else piece.set(await part.read(from, piece.length));
        at += piece.length;
      }
    },
    async read(offset, length) {
      assertRange(size, offset, length);
      const whole: Uint8Array[] = [];
      for (let at = offset, index = indexOf(starts, offset); at < offset + length; index += 1) {
        const part = filled[index];
        if (!part) break;
        const from = at - (starts[index] ?? 0);
        const wanted = Math.min(part.size - from, offset + length - at);
        whole.push(await part.read(from, wanted));
        at += wanted;
      }
      const [only, ...others] = whole;
      return only && others.length === 0 ? only : joined(whole, length);
    },
  };
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** The last start that is not behind `offset`. */
function indexOf(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
