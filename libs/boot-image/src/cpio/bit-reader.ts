import { malformed } from '../boot-image.error';

/** Deflate's order: bits of a byte from the lowest up. Every method throws `malformed` at the end of the input. */
export class BitReader {
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

export function damaged(reason: string): Error {
  return malformed('compressed data', reason);
}
