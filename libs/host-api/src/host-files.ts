import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/**
 * Returns whether `name` is the disk `device` or one of its partitions. `device`: path in /dev. `name`: path in /dev, or the
 * name of a device. /dev/nvme0n10 is another disk than /dev/nvme0n1, so a partition of a disk whose name ends with a digit has
 * the letter p.
 */
export function isPartOf(name: string, device: string): boolean {
  const path = name.startsWith('/') ? name : `/dev/${name}`;
  const partition = /\d$/.test(device) ? /^p\d+$/ : /^\d+$/;
  return path === device || (path.startsWith(device) && partition.test(path.slice(device.length)));
}

const BLOCK_BYTES = 512;

/** Maximum size of a log bundle that the service accepts, in bytes: 250 MiB. */
export const LOG_BUNDLE_BYTES_MAX = 262_144_000;

/** The content of each file, by name. */
type Files = { readonly [name: string]: string | Buffer };

/** Returns a `.tar.gz` (ustar) of the files. It is compressed in parts, so that other work continues: logs can have hundreds of MiB. */
export async function createTarGz(files: Files): Promise<Buffer> {
  const parts: Buffer[] = [];
  await pipeline(Readable.from(tarBlocks(files)), createGzip(), async (compressed: AsyncIterable<Buffer>) => {
    for await (const part of compressed) parts.push(part);
  });
  return Buffer.concat(parts);
}

/** Returns a tar (ustar) of the files, part by part. */
export function* tarBlocks(files: Files): Generator<Buffer> {
  for (const [name, text] of Object.entries(files)) {
    const content = typeof text === 'string' ? Buffer.from(text) : text;
    yield tarHeader(name, content.length);
    yield content;
    yield Buffer.alloc((BLOCK_BYTES - (content.length % BLOCK_BYTES)) % BLOCK_BYTES);
  }
  yield Buffer.alloc(2 * BLOCK_BYTES);
}

/** Returns the log archive of a host. Its files are in the folder where programs that analyse bundles look for them. */
export const hostLogArchive = (hostId: string, files: Files): Promise<Buffer> =>
  createTarGz(Object.fromEntries(Object.entries(files).map(([name, text]) => [`logs_host_${hostId}/${name}`, text])));

const CHECKSUM_OFFSET = 148;

function tarHeader(name: string, bytes: number): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');
  header.write(name.slice(0, 99), 0);
  header.write(octal(0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(bytes, 11), 124);
  header.write(octal(0, 11), 136);
  // The checksum is computed with blanks in its own field.
  header.write(' '.repeat(8), CHECKSUM_OFFSET);
  header.write('0', 156);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\u0000 `, CHECKSUM_OFFSET);
  return header;
}
