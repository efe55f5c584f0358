import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StreamableFile } from '@nestjs/common';
import { pack, type Pack } from 'tar-stream';

/** A download as clients save it. `fileName` must be plain ASCII without quotes. */
export function attachment(body: Buffer | Readable, fileName: string): StreamableFile {
  const options = { type: 'application/octet-stream', disposition: `attachment; filename="${fileName}"` };
  return Buffer.isBuffer(body)
    ? new StreamableFile(body, { ...options, length: body.length })
    : new StreamableFile(body, options);
}

const JSON_TYPE = 'application/json; charset=utf-8';
/** Answers up to this size go out in one write; beyond it copying them together costs more than writing them one by one. */
const WHOLE_MAX_BYTES = 8 * 1024 * 1024;

/** One JSON text in several parts, sent as it is: nothing is built twice, and a large one is never in one place. */
export function jsonPieces(pieces: readonly Buffer[]): StreamableFile {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const body = length <= WHOLE_MAX_BYTES ? [Buffer.concat(pieces)] : pieces;
  return new StreamableFile(Readable.from(body, { objectMode: false }), { type: JSON_TYPE, length });
}

/** The parts of a JSON list of texts. */
export function jsonList(texts: readonly (readonly Buffer[])[]): readonly Buffer[] {
  return [OPEN, ...texts.flatMap((pieces, index) => (index === 0 ? pieces : [COMMA, ...pieces])), CLOSE];
}

const OPEN = Buffer.from('[');
const COMMA = Buffer.from(',');
const CLOSE = Buffer.from(']');

export interface TarEntry {
  readonly name: string;
  /** The content, or undefined when it no longer exists: the entry is left out. A stream is opened twice: its size comes first. */
  open(): Promise<Buffer | Readable | undefined>;
}

/** The same archive for the same entries. */
const MTIME = new Date(0);
const MODE = 0o644;

/** A tar archive of the entries, streamed: the content of a stream is never held in memory. */
export function createTar(entries: readonly TarEntry[]): Readable {
  const archive = pack();
  writeAll(archive, entries).catch((error: unknown) =>
    archive.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  return Readable.from(archive, { objectMode: false });
}

async function writeAll(archive: Pack, entries: readonly TarEntry[]): Promise<void> {
  for (const { name, open } of entries) {
    const content = await open();
    if (content === undefined) continue;
    const header = { name, mode: MODE, mtime: MTIME };
    if (Buffer.isBuffer(content)) {
      archive.entry(header, content);
      continue;
    }
    const size = await lengthOf(content);
    const again = await open();
    if (again !== undefined) await pipeline(again, archive.entry({ ...header, size }));
  }
  archive.finalize();
}

async function lengthOf(stream: Readable): Promise<number> {
  let bytes = 0;
  for await (const chunk of stream) bytes += Buffer.from(chunk as Uint8Array).length;
  return bytes;
}
