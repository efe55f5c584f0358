import { setTimeout as sleep } from 'node:timers/promises';
import type { SealedStorage } from '@muster/ports';
import { explained } from './database';
import { openSealedDatabase } from './durable-database';
import { type SqliteWriter, writerHere } from './writer';
import { sealedChecksum, useStoredFile } from './written-databases';

/** How long a removal waits until no reader, such as a backup, needs the write-ahead log. */
const LOG_WAIT_MS = 5_000;
const LOG_RETRY_MS = 50;

/**
 * Stores sealed values in one SQLite file with group commit, instead of a file with several fsyncs for each value. Its directory must
 * exist. Several processes of one machine may have it open. Deleted values are overwritten.
 * The caller closes the writer. Its default is the thread of the caller.
 */
export const sqliteSealedStorage = (
  file: string,
  writer: SqliteWriter = writerHere(),
): SealedStorage & { close(): Promise<void> } => {
  // It only reads. The writer has a connection of its own.
  const database = openSealedDatabase(file);
  const writes = writer.open('sealed', { file });
  const select = database.prepare('SELECT bytes FROM sealed WHERE scope = ? AND name = ?').raw();
  return {
    read: async (scope, name) => {
      const [bytes] = explained(file, () => select.get(scope, name) as [Uint8Array] | undefined) ?? [];
      return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
    create: (scope, values) =>
      writes.run('create', [scope, [...values].map(([name, bytes]) => [name, new Uint8Array(bytes)])]),
    replace: (scope, name, bytes, given, { keepsOlder = false } = {}) =>
      writes.run('replace', [scope, name, new Uint8Array(bytes), given.name, new Uint8Array(given.bytes), keepsOlder]),
    remove: async (scope) => {
      await writes.run('remove', [scope]);
      const endsAtMs = performance.now() + LOG_WAIT_MS;
      // The next removal, or the close, truncates the log of a reader that takes longer.
      while (database.open && !(await writes.truncate()) && performance.now() < endsAtMs) await sleep(LOG_RETRY_MS);
    },
    close: async () => {
      if (!database.open) return;
      database.close();
      await writes.close();
    },
  };
};

/**
 * Returns a sentence for each scope with sealed values that differ from what was stored. Values of earlier releases cannot be compared.
 * @throws DatabaseUnusable
 */
export const sealedFaults = (file: string): readonly string[] =>
  useStoredFile('sealed', file, (database) => {
    const select = database
      .prepare('SELECT CAST(scope AS BLOB), CAST(name AS BLOB), bytes, checksum FROM sealed WHERE checksum IS NOT NULL')
      .raw();
    const damaged = new Map<string, number>();
    for (const row of select.iterate()) {
      const [scope, name, bytes, checksum] = row as [Uint8Array, Uint8Array, Uint8Array, number];
      if (sealedChecksum(scope, name, bytes) === checksum) continue;
      const hash = Buffer.from(scope).toString();
      damaged.set(hash, (damaged.get(hash) ?? 0) + 1);
    }
    return [...damaged].map(
      ([hash, count]) => `${count} secrets of the scope with the hash ${hash} differ from what was stored.`,
    );
  });
