import { constants, createReadStream, type ReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { ByteStream } from '@muster/ports';
import { Decompress } from 'fzstd';
import { type BlobCache, failCache } from './blob-cache';

const BLOCK_BYTES = 512;
/** By the type flag of a header. */
const TYPES: ReadonlyMap<string, TarEntry['type']> = new Map([
  ['\0', 'file'],
  ['0', 'file'],
  ['1', 'hard-link'],
  ['2', 'link'],
  ['5', 'directory'],
  ['7', 'file'],
]);
/** Headers with long names and attributes are read into memory. Those of real images have less than a kilobyte. */
const HEADER_BYTES_MAX = 1024 * 1024;

export interface TarEntry {
  /** Without a leading `./` or `/`. */
  readonly path: string;
  readonly type: 'file' | 'directory' | 'link' | 'hard-link' | 'other';
  readonly size: number;
  /** Target of a link. */
  readonly target: string;
}

/**
 * Reads a tar archive (ustar, GNU long names and targets, pax paths) as a stream. `select` decides for each entry. The bytes of a
 * wanted entry are passed to `onBytes`. Stops when `want` returns `stop`.
 */
export async function readTar(
  stream: ByteStream,
  select: (entry: TarEntry) => 'skip' | 'take' | 'stop',
  onBytes: (entry: TarEntry, bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const source = createReader(stream);
  let longName = '';
  let longTarget = '';
  let pax: ReadonlyMap<string, string> = new Map();
  for (;;) {
    const header = await source.read(BLOCK_BYTES);
    if (!header || header.every((byte) => byte === 0)) return;
    const kind = String.fromCharCode(header[156] ?? 0);
    const size = sizeOf(header);
    const padding = (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;
    if (['L', 'K', 'x', 'g'].includes(kind)) {
      if (size > HEADER_BYTES_MAX) throw new Error(`the archive has a header of ${size} bytes`);
      const text = ((await source.read(size)) ?? Buffer.alloc(0)).toString('utf8');
      await source.read(padding);
      if (kind === 'L') longName = text.replace(/\0.*$/s, '');
      else if (kind === 'K') longTarget = text.replace(/\0.*$/s, '');
      else if (kind === 'x') pax = readPax(text);
      continue;
    }
    const prefix = textOf(header, 345, 155);
    const name = pax.get('path') ?? (longName || (prefix ? `${prefix}/` : '') + textOf(header, 0, 100));
    const entry: TarEntry = {
      path: name.replace(/^(\.?\/)+/, '').replace(/\/$/, ''),
      type: TYPES.get(name.endsWith('/') ? '5' : kind) ?? 'other',
      size: Number(pax.get('size') ?? size),
      target: pax.get('linkpath') ?? (longTarget || textOf(header, 157, 100)),
    };
    longName = longTarget = '';
    pax = new Map();
    const selection = select(entry);
    if (selection === 'stop') return;
    for (let left = entry.size; left > 0;) {
      const chunk = await source.readUpTo(left);
      if (!chunk) throw new Error('the archive ends in the middle of a file');
      left -= chunk.length;
      if (selection === 'take') await onBytes(entry, chunk);
    }
    await source.read((BLOCK_BYTES - (entry.size % BLOCK_BYTES)) % BLOCK_BYTES);
  }
}

const textOf = (block: Buffer, offset: number, length: number): string =>
  block
    .subarray(offset, offset + length)
    .toString('utf8')
    .replace(/\0.*$/s, '');

/** Parses octal text, or a number in base 256. */
function sizeOf(header: Buffer): number {
  if (((header[124] ?? 0) & 0x80) === 0) return parseInt(textOf(header, 124, 12).trim() || '0', 8);
  return Number(header.readBigUInt64BE(128));
}

function readPax(text: string): ReadonlyMap<string, string> {
  return new Map([...text.matchAll(/\d+ ([^=\n]+)=([^\n]*)\n/g)].map(([, name = '', value = '']) => [name, value]));
}

function createReader(stream: ByteStream) {
  const source = stream[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  const readUpTo = async (most: number): Promise<Buffer | undefined> => {
    while (rest.length === 0) {
      const { done, value } = await source.next();
      if (done) return undefined;
      rest = Buffer.from(value.buffer, value.byteOffset, value.length);
    }
    const chunk = rest.subarray(0, most);
    rest = rest.subarray(chunk.length);
    return chunk;
  };
  return {
    readUpTo,
    /** Returns undefined when the stream ended before. */
    read: async (length: number): Promise<Buffer | undefined> => {
      const chunks: Buffer[] = [];
      for (let left = length; left > 0;) {
        const chunk = await readUpTo(left);
        if (!chunk) return undefined;
        chunks.push(chunk);
        left -= chunk.length;
      }
      return Buffer.concat(chunks);
    },
  };
}

/** Layers are gzip, zstd or plain tar, independent of their media type. */
function decompressed(magic: Buffer, raw: ReadStream): ByteStream {
  if (GZIP.equals(magic.subarray(0, GZIP.length))) return pipeline(raw, createGunzip(), () => undefined);
  return ZSTD.equals(magic) || isSkippable(magic) ? unzstd(raw) : raw;
}

const GZIP = Buffer.from([0x1f, 0x8b]);
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const SKIPPABLE = Buffer.from([0x2a, 0x4d, 0x18]);

/** A zstd stream may begin with a frame of metadata, as that of pzstd does. Its magic number is 0x184D2A50 to 0x184D2A5F. */
const isSkippable = (magic: Buffer): boolean => (magic[0] ?? 0) >> 4 === 0x5 && SKIPPABLE.equals(magic.subarray(1));

async function firstBytes(path: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(path, { end: ZSTD.length - 1 })) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function* unzstd(compressed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = [];
  const decompress = new Decompress((chunk) => ready.push(chunk));
  for await (const chunk of compressed) {
    decompress.push(chunk);
    yield* ready;
    ready = [];
  }
  decompress.push(new Uint8Array(), true);
  yield* ready;
}

/** Prefix of the name of an entry that removes a file or directory of the lower layers. */
const WHITEOUT = '.wh.';
/** Name of an entry that removes the content that its directory has in the lower layers. */
const OPAQUE = '.wh..wh..opq';

/** Each write appends, also after a part of another write was removed. */
const FROM_EMPTY = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND;

/** Returns the paths of all entries that remove a file of the lower layers. */
function whiteoutsOf(path: string): ReadonlySet<string> {
  const parts = path.split('/');
  return new Set(
    parts.flatMap((part, index) => [WHITEOUT + part, OPAQUE].map((name) => [...parts.slice(0, index), name].join('/'))),
  );
}

/** A link in place of the wanted file. */
export interface FoundLink {
  /** Path from the link or, with a leading slash, from the root. */
  readonly target: string;
  /** Its target is in the same layer. A file of an upper layer with that name is another one. */
  readonly isHard: boolean;
}

/**
 * Writes a file of a layer to the scratch file of the cache. True: the file was written. A link: it is there. False: the
 * layer removes the file of the lower layers. Undefined: not in this layer.
 */
export async function extractFromLayer(
  blob: string,
  path: string,
  cache: BlobCache,
  name: string,
  signal: AbortSignal,
): Promise<boolean | FoundLink | undefined> {
  const magic = await firstBytes(blob);
  // Read immediately: an error without a reader would end the process.
  const raw = createReadStream(blob, { signal });
  const whiteouts = whiteoutsOf(path);
  let result: boolean | FoundLink | undefined;
  let file: FileHandle | undefined;
  let size = 0;
  let isEmpty = false;
  const create = async (): Promise<FileHandle> => open(await cache.scratch(name), FROM_EMPTY, 0o755).catch(failCache);
  try {
    await readTar(
      decompressed(magic, raw),
      (entry) => {
        if (typeof result === 'object' || file) return 'stop';
        // Anything but a directory hides what the lower layers have below it, and everything hides a file of its own path.
        const isAbove = path.startsWith(`${entry.path}/`) && entry.type !== 'directory';
        if (isAbove && entry.type === 'link') {
          const target = `/${resolveLink(entry.path, entry.target)}${path.slice(entry.path.length)}`;
          result = { target, isHard: false };
          return 'stop';
        }
        if (whiteouts.has(entry.path) || isAbove || entry.path === path) result = false;
        if (entry.path !== path || entry.type === 'directory' || entry.type === 'other') return 'skip';
        if (entry.size > cache.bytesMax)
          throw new Error(`/${path} has ${entry.size} bytes, and at most ${cache.bytesMax} are allowed`);
        if (entry.type === 'link' || entry.type === 'hard-link') {
          const isHard = entry.type === 'hard-link';
          result = { target: isHard ? `/${entry.target}` : entry.target, isHard };
          return 'stop';
        }
        isEmpty = entry.size === 0;
        return isEmpty ? 'stop' : 'take';
      },
      async (_entry, bytes) => {
        file ??= await create();
        await cache.write(file, bytes, size);
        size += bytes.length;
      },
    );
    if (isEmpty) file = await create();
  } finally {
    raw.destroy();
    await file?.close();
  }
  return file ? true : result;
}

/** Returns the path to which a link at `from` refers. */
export function resolveLink(from: string, target: string): string {
  const base = target.startsWith('/') ? [] : from.split('/').slice(0, -1);
  const parts: string[] = [];
  for (const part of [...base, ...target.split('/')]) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}
