import { Readable } from 'node:stream';

export interface TarEntry {
  /** At most 100 bytes of ASCII. */
  readonly name: string;
  /** Opened twice: once to learn its length, once to copy it. Undefined: gone, left out. */
  open(): Promise<Readable | undefined>;
}

const BLOCK_BYTES = 512;

/** A ustar archive of the entries, streamed: no entry is ever held in memory. */
export function createTar(entries: readonly TarEntry[]): Readable {
  return Readable.from(blocksOf(entries), { objectMode: false });
}

async function* blocksOf(entries: readonly TarEntry[]): AsyncIterable<Buffer> {
  for (const entry of entries) {
    const bytes = await lengthOf(entry);
    const body = bytes === undefined ? undefined : await entry.open();
    if (bytes === undefined || !body) continue;
    yield tarHeader(entry.name, bytes);
    for await (const chunk of body) yield chunk as Buffer;
    yield Buffer.alloc((BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES);
  }
  yield Buffer.alloc(2 * BLOCK_BYTES);
}

async function lengthOf(entry: TarEntry): Promise<number | undefined> {
  const body = await entry.open();
  if (!body) return undefined;
  let bytes = 0;
  for await (const chunk of body) bytes += (chunk as Buffer).length;
  return bytes;
}

/** One ustar header block of a plain file, mode 0644, owned by root, without a time. */
export function tarHeader(name: string, bytes: number): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`;
  header.write(name, 0, 100, 'ascii');
  header.write(octal(0o644, 8), 100, 'ascii');
  header.write(octal(0, 8), 108, 'ascii');
  header.write(octal(0, 8), 116, 'ascii');
  header.write(octal(bytes, 12), 124, 'ascii');
  header.write(octal(0, 12), 136, 'ascii');
  header.write('0', 156, 'ascii');
  header.write('ustar\u000000', 257, 'ascii');
  // The checksum is taken with its own field as spaces.
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'ascii');
  return header;
}
