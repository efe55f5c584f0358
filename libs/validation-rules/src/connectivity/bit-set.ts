/** A set of small numbers: a bit for each, 32 to an integer. */
export type BitSet = Uint32Array;

export const emptyBits = (size: number): BitSet => new Uint32Array(Math.ceil(size / 32));

export const hasBit = (row: BitSet, number: number): boolean =>
  (((row[number >>> 5] ?? 0) >>> (number & 31)) & 1) === 1;

export const setBit = (row: BitSet, number: number): void => {
  row[number >>> 5] = (row[number >>> 5] ?? 0) | (1 << (number & 31));
};

export const clearBit = (row: BitSet, number: number): void => {
  row[number >>> 5] = (row[number >>> 5] ?? 0) & ~(1 << (number & 31));
};

/** Both of the same size. */
export const inBoth = (a: BitSet, b: BitSet): BitSet => a.map((word, at) => word & (b[at] ?? 0));

/** Its numbers, ascending. */
export function bitsOf(row: BitSet): number[] {
  const numbers: number[] = [];
  for (const [at, whole] of row.entries())
    for (let word = whole; word !== 0; word &= word - 1) numbers.push(at * 32 + 31 - Math.clz32(word & -word));
  return numbers;
}
