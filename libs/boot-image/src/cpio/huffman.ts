import { damaged, type BitReader } from './bit-reader';

const CODE_BITS_MAX = 15;

/** How many codes have each length, and the symbols in code order. */
export interface Huffman {
  readonly counts: Uint16Array;
  readonly symbols: Uint16Array;
}

/** The next symbol. Throws `malformed` for a code that is not in the table. */
export function decode(bits: BitReader, { counts, symbols }: Huffman): number {
  let code = 0;
  let first = 0;
  let index = 0;
  for (let length = 1; length <= CODE_BITS_MAX; length += 1) {
    code |= bits.take(1);
    const count = counts[length] ?? 0;
    if (code - first < count) return symbols[index + code - first] ?? 0;
    index += count;
    first = (first + count) << 1;
    code <<= 1;
  }
  throw damaged('a code that stands for nothing');
}

/** The table of canonical codes with these lengths; zero means that a symbol does not occur. Throws `malformed`. */
export function createHuffman(lengths: readonly number[]): Huffman {
  const counts = new Uint16Array(CODE_BITS_MAX + 1);
  for (const length of lengths) counts[length] = (counts[length] ?? 0) + 1;
  counts[0] = 0;
  const next = new Uint16Array(CODE_BITS_MAX + 2);
  let room = 1;
  for (let length = 1; length <= CODE_BITS_MAX; length += 1) {
    room = room * 2 - (counts[length] ?? 0);
    if (room < 0) throw damaged('more codes than their lengths allow');
    next[length + 1] = (next[length] ?? 0) + (counts[length] ?? 0);
  }
  const symbols = new Uint16Array(lengths.length);
  lengths.forEach((length, symbol) => {
    if (length === 0) return;
    const slot = next[length] ?? 0;
    symbols[slot] = symbol;
    next[length] = slot + 1;
  });
  return { counts, symbols };
}
