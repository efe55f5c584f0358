import { BitReader, damaged } from './bit-reader';
import { createHuffman, decode, type Huffman } from './huffman';
import { InflateOutput } from './inflate-output';

const LENGTH_BASE = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
];
const LENGTH_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCE_BASE = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
  8193, 12289, 16385, 24577,
];
const DISTANCE_EXTRA = [
  0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
];
const CODE_LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const END_OF_BLOCK = 256;

/**
 * Decompresses one deflate stream that is followed by anything, and tells where it ended.
 *
 * Why not the compression library: an embed area is a compressed archive followed by padding, by further archives or by
 * garbage that must be noticed, so the exact end matters, and libraries for JavaScript do not report it.
 * Throws `malformed` for damage and when the result would pass `maxBytes`.
 */
export function inflate(
  input: Uint8Array,
  start: number,
  maxBytes: number,
): { readonly bytes: Uint8Array; readonly end: number } {
  const bits = new BitReader(input, start);
  const output = new InflateOutput(maxBytes);
  for (let isLast = false; !isLast;) {
    isLast = bits.take(1) === 1;
    const type = bits.take(2);
    if (type === 0) output.append(bits.takeBytes());
    else if (type === 1) inflateBlock(bits, output, FIXED_LITERALS, FIXED_DISTANCES);
    else if (type === 2) inflateBlock(bits, output, ...readTables(bits));
    else throw damaged('unknown block type');
  }
  return { bytes: output.finish(), end: bits.position };
}

function inflateBlock(bits: BitReader, output: InflateOutput, literals: Huffman, distances: Huffman): void {
  for (;;) {
    const symbol = decode(bits, literals);
    if (symbol === END_OF_BLOCK) return;
    if (symbol < END_OF_BLOCK) {
      output.push(symbol);
      continue;
    }
    const length = extended(bits, symbol - 257, LENGTH_BASE, LENGTH_EXTRA);
    const distance = extended(bits, decode(bits, distances), DISTANCE_BASE, DISTANCE_EXTRA);
    output.repeat(distance, length);
  }
}

function extended(bits: BitReader, index: number, bases: readonly number[], extras: readonly number[]): number {
  const base = bases[index];
  const extra = extras[index];
  if (base === undefined || extra === undefined) throw damaged('a code outside its table');
  return base + bits.take(extra);
}

function readTables(bits: BitReader): [Huffman, Huffman] {
  const literalCount = bits.take(5) + 257;
  const distanceCount = bits.take(5) + 1;
  const lengthCount = bits.take(4) + 4;
  const codeLengths = new Array<number>(19).fill(0);
  for (const symbol of CODE_LENGTH_ORDER.slice(0, lengthCount)) codeLengths[symbol] = bits.take(3);
  const lengthCodes = createHuffman(codeLengths);
  const lengths: number[] = [];
  while (lengths.length < literalCount + distanceCount) {
    const symbol = decode(bits, lengthCodes);
    if (symbol < 16) {
      lengths.push(symbol);
      continue;
    }
    const previous = lengths.at(-1);
    if (symbol === 16 && previous === undefined) throw damaged('nothing to repeat');
    const times = symbol === 16 ? bits.take(2) + 3 : symbol === 17 ? bits.take(3) + 3 : bits.take(7) + 11;
    for (let i = 0; i < times; i += 1) lengths.push(symbol === 16 ? (previous ?? 0) : 0);
  }
  if (lengths.length > literalCount + distanceCount) throw damaged('too many code lengths');
  return [createHuffman(lengths.slice(0, literalCount)), createHuffman(lengths.slice(literalCount))];
}

const FIXED_LITERALS = createHuffman(
  Array.from({ length: 288 }, (_, symbol) => (symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8)),
);
const FIXED_DISTANCES = createHuffman(new Array<number>(30).fill(5));
