import { malformed } from '../boot-image.error';

const CODE_BITS_MAX = 15;
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

/** How many codes have each length, and the symbols in code order. */
interface Huffman {
  readonly counts: Uint16Array;
  readonly symbols: Uint16Array;
}

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
  const output = new Output(maxBytes);
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

function inflateBlock(bits: BitReader, output: Output, literals: Huffman, distances: Huffman): void {
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

function decode(bits: BitReader, { counts, symbols }: Huffman): number {
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

function huffman(lengths: readonly number[]): Huffman {
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

function readTables(bits: BitReader): [Huffman, Huffman] {
  const literalCount = bits.take(5) + 257;
  const distanceCount = bits.take(5) + 1;
  const lengthCount = bits.take(4) + 4;
  const codeLengths = new Array<number>(19).fill(0);
  for (const symbol of CODE_LENGTH_ORDER.slice(0, lengthCount)) codeLengths[symbol] = bits.take(3);
  const lengthCodes = huffman(codeLengths);
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
  return [huffman(lengths.slice(0, literalCount)), huffman(lengths.slice(literalCount))];
}

class BitReader {
  private buffer = 0;
  private count = 0;

  constructor(
    private readonly input: Uint8Array,
    public position: number,
  ) {}

  take(bits: number): number {
    while (this.count < bits) {
      const byte = this.input[this.position];
      if (byte === undefined) throw damaged('it ends too early');
      this.buffer |= byte << this.count;
      this.count += 8;
      this.position += 1;
    }
    const value = this.buffer & ((1 << bits) - 1);
    this.buffer >>>= bits;
    this.count -= bits;
    return value;
  }

  /** A stored block: the rest of the current byte is unused, then length, its complement, and the bytes. */
  takeBytes(): Uint8Array {
    this.buffer = 0;
    this.count = 0;
    const length = this.take(16);
    if ((length ^ 0xffff) !== this.take(16)) throw damaged('a stored block with a wrong length');
    const bytes = this.input.subarray(this.position, this.position + length);
    if (bytes.length < length) throw damaged('it ends too early');
    this.position += length;
    return bytes;
  }
}

class Output {
  private bytes = new Uint8Array(64 * 1024);
  private length = 0;

  constructor(private readonly maxBytes: number) {}

  push(byte: number): void {
    this.reserve(1);
    this.bytes[this.length] = byte;
    this.length += 1;
  }

  append(more: Uint8Array): void {
    this.reserve(more.length);
    this.bytes.set(more, this.length);
    this.length += more.length;
  }

  repeat(distance: number, length: number): void {
    if (distance > this.length) throw damaged('a reference to before its start');
    this.reserve(length);
    // Byte by byte: source and destination may overlap, and then the repeated bytes are part of the source.
    for (let i = 0; i < length; i += 1) {
      this.bytes[this.length] = this.bytes[this.length - distance] ?? 0;
      this.length += 1;
    }
  }

  finish(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  private reserve(more: number): void {
    const needed = this.length + more;
    if (needed > this.maxBytes) throw damaged(`it unpacks to more than ${this.maxBytes} bytes`);
    if (needed <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }
}

function damaged(reason: string): Error {
  return malformed('compressed data', reason);
}

const FIXED_LITERALS = huffman(
  Array.from({ length: 288 }, (_, symbol) => (symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8)),
);
const FIXED_DISTANCES = huffman(new Array<number>(30).fill(5));
