export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** More ranges are answered with the whole file. No known client requests that many. */
const RANGES_MAX = 16;

/**
 * The ranges that a Range header asks for, cut to the size; 'unsatisfiable' when none is inside. Undefined when the header
 * is to be ignored: another unit, not understood, or too many.
 */
export function parseByteRanges(header: string, size: number): readonly ByteRange[] | 'unsatisfiable' | undefined {
  const list = /^bytes=(.+)$/i.exec(header.trim())?.[1];
  const parts = list?.split(',').map((part) => part.trim()) ?? [];
  if (parts.length === 0 || parts.length > RANGES_MAX) return undefined;
  const ranges: ByteRange[] = [];
  for (const part of parts) {
    const match = /^(\d*)-(\d*)$/.exec(part);
    const [, first = '', last = ''] = match ?? [];
    if (!match || (first === '' && last === '')) return undefined;
    if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
    const offset = first === '' ? Math.max(0, size - Number(last)) : Number(first);
    const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
    if (offset < end) ranges.push({ offset, length: end - offset });
  }
  return ranges.length === 0 ? 'unsatisfiable' : ranges;
}
