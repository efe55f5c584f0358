import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type Clock, type ObjectStore, ObjectTooLarge, type StoredObject } from '@muster/ports';
import Database from 'libsql';
import { explain, explained } from './database';
import { openObjectsDatabase } from './durable-database';
import { type SqliteWriter, writerHere } from './writer';

/** Bodies up to this size are stored in the database file. */
export const SMALL_OBJECT_BYTES_MAX = 64 * 1024;
/** Bodies per read of a list. */
const PAGE_OBJECTS = 1_000;

export interface SqliteSmallObjectsOptions {
  /** Path of the database file; its directory must exist. Several processes may have it open. */
  readonly file: string;
  /** Stores streams and larger bodies. */
  readonly others: ObjectStore;
  /** @default the clock of the machine */
  readonly clock?: Clock;
  /** Writes the small bodies. The caller closes it. @default in the thread of the caller */
  readonly writer?: SqliteWriter;
}

/**
 * Stores small bodies in one SQLite file with group commit, instead of a file with two fsyncs for each body. After a crash the file has
 * every body whose `put` resolved, each of them whole.
 */
export const sqliteSmallObjects = ({
  file,
  others,
  clock = { nowMs: () => Date.now() },
  writer = writerHere(),
}: SqliteSmallObjectsOptions): ObjectStore & { close(): Promise<void> } => {
  // It only reads. The writer has a connection of its own.
  const database = openObjectsDatabase(file);
  const writes = writer.open('objects', { file });
  const select = database.prepare('SELECT body FROM objects WHERE digest = ?').raw();
  const selectPage = database
    .prepare(
      `SELECT CAST(digest AS BLOB), length(body), stored_at_ms FROM objects WHERE digest > ? ORDER BY digest LIMIT ${PAGE_OBJECTS}`,
    )
    .raw();

  const find = (digest: string): Buffer | undefined => {
    const [body] = explained(file, () => select.get(digest) as [Uint8Array] | undefined) ?? [];
    if (!body) return undefined;
    if (digestOf(body) === digest) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    throw new Error(`The stored body ${digest} is damaged; restore ${file} from a backup, or upload it again.`);
  };

  return {
    put: async (body, maxBytes): Promise<StoredObject> => {
      if (!Buffer.isBuffer(body) || body.length > SMALL_OBJECT_BYTES_MAX) return others.put(body, maxBytes);
      if (body.length > maxBytes) throw new ObjectTooLarge(maxBytes);
      const digest = digestOf(body);
      // A copy, because the caller keeps its body and a body may be a part of a larger buffer.
      await writes.run('put', [digest, clock.nowMs(), new Uint8Array(body)]);
      return { digest, bytes: body.length };
    },
    get: async (digest) => find(digest) ?? others.get(digest),
    open: async (digest, range) => {
      const body = find(digest);
      if (!body) return others.open(digest, range);
      return Readable.from(range ? [body.subarray(range.start, range.end + 1)] : [body], { objectMode: false });
    },
    remove: async (digest) => {
      await writes.run('remove', [digest]);
      await others.remove(digest);
    },
    list: async function* () {
      for (let after = ''; ;) {
        const rows = explained(file, () => selectPage.all(after) as [Uint8Array, number, number][]);
        for (const [name, bytes, storedAtMs] of rows) {
          // The driver ends the process for a text that is not UTF-8.
          if (!isUtf8(name)) throw explain(file, new Database.SqliteError('a digest is not UTF-8', 'SQLITE_CORRUPT'));
          after = Buffer.from(name).toString();
          yield { digest: after, bytes, storedAtMs };
        }
        if (rows.length < PAGE_OBJECTS) break;
      }
      yield* others.list();
    },
    close: async () => {
      if (!database.open) return;
      database.close();
      await writes.close();
    },
  };
};

const digestOf = (body: Uint8Array): string => `sha256:${createHash('sha256').update(body).digest('hex')}`;
