/** 256 KiB. About 1 in 100 absent texts is taken for a present one at 200,000 texts, 1 in 1,000 at 110,000. */
const BITS = 2 ** 21;
const BITS_PER_TEXT = 4;

/** A set of texts of constant size (a Bloom filter): `has` is true for every text that was added, and for few others. */
export class BloomFilter {
  private readonly words = new Uint32Array(BITS / 32);
  /** The two hashes of the last text. Bit n of a text is at the first one plus n times the second one. */
  private first = 0;
  private second = 0;

  add(text: string): void {
    this.hash(text);
    for (let n = 0; n < BITS_PER_TEXT; n += 1) {
      const at = this.bitAt(n);
      this.words[at >>> 5] = (this.words[at >>> 5] ?? 0) | (1 << (at & 31));
    }
  }

  has(text: string): boolean {
    this.hash(text);
    for (let n = 0; n < BITS_PER_TEXT; n += 1) {
      const at = this.bitAt(n);
      if (((this.words[at >>> 5] ?? 0) & (1 << (at & 31))) === 0) return false;
    }
    return true;
  }

  private bitAt(n: number): number {
    return ((this.first + n * this.second) >>> 0) % BITS;
  }

  /** FNV-1a with two primes. The second hash is odd, so that the bits of a text differ. */
  private hash(text: string): void {
    let first = 0x811c9dc5;
    let second = 0x9747b28c;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      first = Math.imul(first ^ code, 0x01000193);
      second = Math.imul(second ^ code, 0x85ebca6b);
    }
    this.first = (first ^ (first >>> 15)) >>> 0;
    this.second = ((second ^ (second >>> 13)) | 1) >>> 0;
  }
}
