import type { SealedStorage } from '@muster/ports';
import { explained } from './database';
import { openDurableDatabase } from './durable-database';
import { type SqliteWriter, writerHere } from './writer';
import { SEALED_SCHEMA } from './written-databases';

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
  const database = openDurableDatabase(file, SEALED_SCHEMA);
  const writes = writer.open('sealed', { file });
  const select = database.prepare('SELECT bytes FROM sealed WHERE scope = ? AND name = ?').raw();
  return {
    read: async (scope, name) => {
      const [bytes] = explained(file, () => select.get(scope, name) as [Uint8Array] | undefined) ?? [];
      return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
    create: (scope, values) =>
      writes.run('create', [scope, [...values].map(([name, bytes]) => [name, new Uint8Array(bytes)])]),
    replace: (scope, name, bytes, given) =>
      writes.run('replace', [scope, name, new Uint8Array(bytes), given.name, new Uint8Array(given.bytes)]),
    remove: async (scope) => {
      await writes.run('remove', [scope]);
      await writes.truncate();
    },
    close: async () => {
      if (!database.open) return;
      database.close();
      await writes.close();
    },
  };
};
