import { damaged } from './bit-reader';

/** Grows up to `maxBytes` and throws `malformed` beyond. */
export class InflateOutput {
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
