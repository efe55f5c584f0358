import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { StreamableFile } from '@nestjs/common';
import { pack, type Pack } from 'tar-stream';

/** Returns a download with its file name. */
export function attachment(body: Buffer | Readable, fileName: string): StreamableFile {
  const options = { type: 'application/octet-stream', disposition: `attachment; ${fileNameParameters(fileName)}` };
  return Buffer.isBuffer(body)
    ? new StreamableFile(body, { ...options, length: body.length })
    : new StreamableFile(body, options);
}

/** Clients that cannot read the encoded name (RFC 8187) use the plain one, in which other characters are underscores. */
function fileNameParameters(name: string): string {
  const plain = name.replace(/[^\w.-]/g, '_');
  if (plain === name) return `filename="${name}"`;
  const encoded = encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (sign) => PERCENT_ENCODED[sign] ?? sign);
  return `filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Characters that `encodeURIComponent` keeps and that the parameter of a header cannot contain. */
const PERCENT_ENCODED: Readonly<Record<string, string>> = { "'": '%27', '(': '%28', ')': '%29', '*': '%2A' };

/** A JSON text as a response: one buffer, or a stream of its parts. */
export type JsonAnswer = Buffer | StreamableFile;

/**
 * A part of a JSON text. Parts that are kept are strings: each 64 MiB of buffers that are kept cost a collection of the whole heap, while
 * strings are a part of the heap. Long ones that are sent uncopied are buffers.
 */
export type JsonPiece = string | Buffer;

/** Sends one JSON text in several parts, so that a large text is not copied into one buffer. */
export function jsonPieces(pieces: readonly JsonPiece[]): JsonAnswer {
  const [first, ...others] = pieces;
  if (Buffer.isBuffer(first) && others.length === 0) return first;
  const length = bytesOf(pieces);
  if (length <= JOINED_MAX_BYTES) return joinPieces(pieces, length);
  return new StreamableFile(streamOf(pieces).stream, { length });
}

/** Texts up to this size are sent in one write. To copy more would take too much of a turn of the event loop. */
export const JOINED_MAX_BYTES = 32 * 1024 * 1024;
/** Longer texts are sent in parts of about this size, because each write costs more than copying a short piece. */
const PART_BYTES = 1024 * 1024;
/** Pieces of this size are sent as they are. */
export const UNCOPIED_MIN_BYTES = 128 * 1024;

function* inParts(pieces: readonly JsonPiece[]): Generator<Buffer> {
  let part: JsonPiece[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    const isCopied = typeof piece === 'string' || piece.length < UNCOPIED_MIN_BYTES;
    if (bytes >= PART_BYTES || (bytes > 0 && !isCopied)) {
      yield joinPieces(part, bytes);
      part = [];
      bytes = 0;
    }
    if (isCopied) {
      part.push(piece);
      bytes += sizeOf(piece);
    } else yield piece;
  }
  if (bytes > 0) yield joinPieces(part, bytes);
}

/** Returns the number of bytes of a part. */
export const sizeOf = (piece: JsonPiece): number =>
  typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length;

/** Returns the number of bytes of all parts. */
export const bytesOf = (pieces: readonly JsonPiece[]): number => pieces.reduce((sum, piece) => sum + sizeOf(piece), 0);

/** Returns all parts in one buffer. `bytes`: their number of bytes. */
export function joinPieces(pieces: readonly JsonPiece[], bytes: number): Buffer {
  const whole = Buffer.allocUnsafe(bytes);
  let end = 0;
  for (const piece of pieces) end += typeof piece === 'string' ? whole.write(piece, end) : piece.copy(whole, end);
  return whole;
}

/** Returns the JSON object with more members at its end. The object must not be empty. */
export function withMembers(pieces: readonly JsonPiece[], members: object): readonly JsonPiece[] {
  const last = pieces[pieces.length - 1] ?? '';
  const begin = typeof last === 'string' ? last.slice(0, -1) : last.subarray(0, -1);
  return [...pieces.slice(0, -1), begin, `,${JSON.stringify(members).slice(1)}`];
}

/** Returns the parts of a JSON list of texts. */
export function jsonList(texts: readonly (readonly JsonPiece[])[]): readonly JsonPiece[] {
  return ['[', ...texts.flatMap((pieces, index) => (index === 0 ? pieces : [',', ...pieces])), ']'];
}

export interface SizedStream {
  readonly bytes: number;
  readonly stream: Readable;
}

export const streamOf = (pieces: readonly JsonPiece[]): SizedStream => ({
  bytes: bytesOf(pieces),
  stream: Readable.from(inParts(pieces), { objectMode: false }),
});

export interface TarEntry {
  readonly name: string;
  /** Returns the content, or undefined when it no longer exists; then the entry is omitted. */
  open(): Promise<Buffer | SizedStream | undefined>;
}

/** A fixed time, so that equal entries give equal archives. */
const MTIME = new Date(0);
const MODE = 0o644;
const BLOCK_BYTES = 512;

/** Returns a tar archive of the entries as a stream. Contents are not held in memory. */
export function createTar(entries: readonly TarEntry[]): Readable {
  const archive = pack();
  writeAll(archive, entries).catch((error: unknown) =>
    archive.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  return Readable.from(archive, { objectMode: false });
}

/** Returns an archive with this entry as an entry of another archive. */
export const inArchive = (name: string, entry: TarEntry): TarEntry => ({
  name,
  open: async () => {
    const content = await entry.open();
    if (content === undefined) return undefined;
    // Contents fill whole blocks. The rest of an archive does not depend on its content.
    const contentBytes = Math.ceil(lengthOf(content) / BLOCK_BYTES) * BLOCK_BYTES;
    const empty = createTar([{ name: entry.name, open: () => Promise.resolve(Buffer.alloc(0)) }]);
    const emptyBytes = (await buffer(empty)).length;
    const stream = createTar([{ name: entry.name, open: () => Promise.resolve(content) }]);
    return { bytes: emptyBytes + contentBytes, stream };
  },
});

const lengthOf = (content: Buffer | SizedStream): number => (Buffer.isBuffer(content) ? content.length : content.bytes);

async function writeAll(archive: Pack, entries: readonly TarEntry[]): Promise<void> {
  for (const { name, open } of entries) {
    const content = await open();
    if (content === undefined) continue;
    const header = { name, mode: MODE, mtime: MTIME };
    if (Buffer.isBuffer(content)) archive.entry(header, content);
    else await pipeline(content.stream, archive.entry({ ...header, size: content.bytes }));
  }
  archive.finalize();
}
