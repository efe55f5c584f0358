import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack, type Pack } from 'tar-stream';

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
