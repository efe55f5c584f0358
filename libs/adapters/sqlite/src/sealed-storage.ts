import type { SealedStorage } from '@muster/ports';
import { closeDurableDatabase, openDurableDatabase, truncateLog } from './durable-database';
import { GroupCommit } from './group-commit';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS sealed (
    scope TEXT NOT NULL, name TEXT NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (scope, name)
  ) STRICT, WITHOUT ROWID`;

/**
 * Stores sealed values in one SQLite file with group commit, instead of a file with several fsyncs for each value. Its directory must
 * exist. Several processes of one machine may have it open. Deleted values are overwritten.
 */
export const sqliteSealedStorage = (file: string): SealedStorage & { close(): void } => {
  const database = openDurableDatabase(file, SCHEMA);
  const commits = new GroupCommit(database, file);
  const select = database.prepare('SELECT bytes FROM sealed WHERE scope = ? AND name = ?').raw();
  const selectScope = database.prepare('SELECT 1 FROM sealed WHERE scope = ? LIMIT 1').raw();
  const insert = database.prepare('INSERT OR REPLACE INTO sealed (scope, name, bytes) VALUES (?, ?, ?)');
  const removal = database.prepare('DELETE FROM sealed WHERE scope = ?');
  return {
    read: async (scope, name) => {
      const [bytes] = (select.get(scope, name) as [Uint8Array] | undefined) ?? [];
      return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
    create: (scope, values) =>
      commits.run(() => {
        if (selectScope.get(scope)) return false;
        for (const [name, bytes] of values) insert.run(scope, name, bytes);
        return true;
      }),
    replace: async (scope, name, bytes) => {
      // A scope that was destroyed meanwhile has no key, and the value must not create it again.
      const exists = await commits.run(() => selectScope.get(scope) !== undefined && insert.run(scope, name, bytes));
      if (!exists) throw new Error('The secrets of this scope were destroyed.');
    },
    remove: async (scope) => {
      await commits.run(() => removal.run(scope));
      truncateLog(database);
    },
    close: () => {
      commits.flush();
      closeDurableDatabase(database);
    },
  };
};
