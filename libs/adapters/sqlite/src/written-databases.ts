import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import type { AppendResult, ExpectedRevision, NO_STREAM, StreamId } from '@muster/ports';
import { crc32 } from 'node:zlib';
import Database from 'libsql';
import { codeOf, DatabaseUnusable, explain, makeNameDurable, openDatabase } from './database';
import { keepHead, openObjectsDatabase, openSealedDatabase } from './durable-database';
import { openStateDatabase } from './state-database';
import { type StatePart, writePart } from './state-part';

/** Its value is not imported, because every writer thread would load 290 modules more. */
const NOTHING_STORED: typeof NO_STREAM = -1;

/** The file of a database, and its maximum size in bytes if it has one. */
export interface WrittenFile {
  readonly file: string;
  readonly maxBytes?: number | undefined;
}

/** The event store. */
function openEvents({ file, maxBytes }: WrittenFile) {
  const database = openDatabase(file, maxBytes);
  const findStream = database
    .prepare(
      `SELECT id, (SELECT revision FROM events WHERE stream = id ORDER BY revision DESC LIMIT 1)
       FROM streams WHERE name = ?`,
    )
    .raw();
  const insertStream = database.prepare('INSERT INTO streams (name) VALUES (?)');
  const insertEvent = database.prepare('INSERT INTO events (stream, revision, body, checksum) VALUES (?, ?, ?, ?)');
  return {
    database,
    ...keepHead(file),
    statements: {
      /** The positions of the events of one append are consecutive. A conflict writes nothing and does not affect other appends. */
      append: (streamId: StreamId, expected: ExpectedRevision, texts: readonly string[]): AppendResult => {
        const found = findStream.get(streamId) as [id: number, revision: number] | undefined;
        const actualRevision = found?.[1] ?? NOTHING_STORED;
        if (actualRevision !== expected) return { kind: 'conflict', actualRevision };
        const stream = found?.[0] ?? insertStream.run(streamId).lastInsertRowid;
        let revision = actualRevision;
        let position = -1;
        for (const text of texts) {
          revision += 1;
          position = Number(insertEvent.run(stream, revision, text, crc32(text)).lastInsertRowid);
        }
        return { kind: 'appended', revision, position };
      },
    },
  };
}

/** Small bodies by digest. */
function openObjects({ file }: WrittenFile) {
  const database = openObjectsDatabase(file);
  // The body of a repetition is equal, unless the stored one is damaged.
  const insert = database.prepare(
    `INSERT INTO objects (digest, stored_at_ms, body) VALUES (?, ?, ?)
     ON CONFLICT (digest) DO UPDATE SET stored_at_ms = excluded.stored_at_ms, body = excluded.body`,
  );
  const removal = database.prepare('DELETE FROM objects WHERE digest = ?');
  return {
    database,
    statements: {
      put: (digest: string, storedAtMs: number, body: Uint8Array): void => void insert.run(digest, storedAtMs, body),
      remove: (digest: string): void => void removal.run(digest),
    },
  };
}

/** The checksum of a sealed value with the names under which it is found. */
export const sealedChecksum = (scope: string | Uint8Array, name: string | Uint8Array, bytes: Uint8Array): number =>
  crc32(bytes, crc32(name, crc32(scope)));

/** Sealed values by scope and name. */
function openSealed({ file }: WrittenFile) {
  const database = openSealedDatabase(file);
  const selectScope = database.prepare('SELECT 1 FROM sealed WHERE scope = ? LIMIT 1').raw();
  const selectName = database.prepare('SELECT 1 FROM sealed WHERE scope = ? AND name = ?').raw();
  const selectValue = database.prepare('SELECT 1 FROM sealed WHERE scope = ? AND name = ? AND bytes = ?').raw();
  const upsert = database.prepare('INSERT OR REPLACE INTO sealed (scope, name, bytes, checksum) VALUES (?, ?, ?, ?)');
  const insert = (scope: string, name: string, bytes: Uint8Array): void =>
    void upsert.run(scope, name, bytes, sealedChecksum(scope, name, bytes));
  const removal = database.prepare('DELETE FROM sealed WHERE scope = ?');
  return {
    database,
    statements: {
      create: (scope: string, values: readonly (readonly [name: string, bytes: Uint8Array])[]): boolean => {
        if (selectScope.get(scope)) return false;
        for (const [name, bytes] of values) insert(scope, name, bytes);
        return true;
      },
      /** A scope that was destroyed meanwhile has no key, or another one, and the value must not create it again. */
      replace: (
        ...[scope, name, bytes, givenName, given, keepsOlder]: [string, string, Uint8Array, string, Uint8Array, boolean]
      ): boolean => {
        if (!selectValue.get(scope, givenName, given)) return false;
        if (!keepsOlder || !selectName.get(scope, name)) insert(scope, name, bytes);
        return true;
      },
      remove: (scope: string): void => void removal.run(scope),
    },
  };
}

/** Saved states. A save is sent in parts and written in one transaction. */
function openState({ file }: WrittenFile) {
  const database = openStateDatabase(file);
  const prepared = new Map<string, Database.Statement>();
  let parts: StatePart[] = [];
  const takeParts = (): readonly StatePart[] => {
    const taken = parts;
    parts = [];
    return taken;
  };
  const prepare = (sql: string): Database.Statement => {
    const statement = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };
  return {
    database,
    statements: {
      addPart: (...part: StatePart): void => void parts.push(part),
      save: (): void => {
        for (const part of takeParts()) writePart(part, prepare);
      },
      discard: (): void => void takeParts(),
    },
  };
}

const OPEN = { events: openEvents, objects: openObjects, sealed: openSealed, state: openState };

/** The databases that a writer writes. */
export type WrittenKind = keyof typeof OPEN;
/** The writes to a database. Each runs inside a transaction, and its arguments and result support structured cloning. */
export type WritesTo<Kind extends WrittenKind> = ReturnType<(typeof OPEN)[Kind]>['statements'];

export interface WrittenDatabase {
  readonly database: Database.Database;
  readonly statements: { readonly [name: string]: (...args: never[]) => unknown };
  /** Called with the results of the statements of each transaction. */
  readonly onCommitted?: (results: readonly never[]) => void;
  readonly onClosed?: () => void;
}

/**
 * Opens the connection that writes.
 * @throws DatabaseUnusable
 */
export const openWritten = (kind: WrittenKind, file: WrittenFile): WrittenDatabase => OPEN[kind](file);

/** Rows between two reports of progress. Bodies and sealed values may have 64 KiB. */
const EVENTS_PER_PAGE = 10_000;
const VALUES_PER_PAGE = 1_000;

interface Table {
  readonly name: string;
  /** The columns of its key, in the order of its pages. */
  readonly key: readonly string[];
  /** Before the first key. */
  readonly start: number | Uint8Array;
  readonly pageRows: number;
}

/** A text key is read and compared as bytes, because the driver ends the process for a text that is not UTF-8. */
const NO_TEXT = new Uint8Array();

interface CopiedFile {
  open(file: string): Database.Database;
  readonly tables: readonly Table[];
  /** Statements that copy the rest from `main` to `copy`. */
  readonly rest: string;
}

/** The files of a data directory with the tables that a copy contains. */
const FILES = {
  events: {
    open: (file) => openDatabase(file),
    tables: [
      { name: 'streams', key: ['id'], start: -1, pageRows: EVENTS_PER_PAGE },
      { name: 'events', key: ['position'], start: -1, pageRows: EVENTS_PER_PAGE },
    ],
    // The last position that was assigned. Without it, the loss of the last events does not show in the copy.
    rest: 'DELETE FROM copy.sqlite_sequence; INSERT INTO copy.sqlite_sequence SELECT * FROM main.sqlite_sequence',
  },
  objects: {
    open: openObjectsDatabase,
    tables: [{ name: 'objects', key: ['rowid'], start: -1, pageRows: VALUES_PER_PAGE }],
    rest: '',
  },
  sealed: {
    open: openSealedDatabase,
    tables: [{ name: 'sealed', key: ['scope', 'name'], start: NO_TEXT, pageRows: VALUES_PER_PAGE }],
    rest: '',
  },
} satisfies { readonly [kind: string]: CopiedFile };
export type StoredFile = keyof typeof FILES;

/**
 * Copies a file to a new one at one point in time, while other processes may write. The copy is durable, only the owner can read it, and it
 * has its name when it is complete. The list of documents that an interrupted compaction has yet to remove is not copied. `onProgress` is
 * called with the number of rows of the last table.
 * @throws DatabaseUnusable with the file that cannot be used: the original, or the target, also when it exists
 */
export function copySqliteFile(
  kind: StoredFile,
  file: string,
  target: string,
  onProgress: (rows: number) => void,
): void {
  if (existsSync(target)) throw new DatabaseUnusable(target, 'the file exists. Name a new file.');
  const partial = `${target}.partial`;
  const removePartial = (): void => {
    for (const suffix of ['', '-journal', '-wal', '-shm'])
      rmSync(`${partial}${suffix}`, { recursive: true, force: true });
  };
  try {
    removePartial();
    // Without a write-ahead log, the copy is one file.
    use(kind, partial, (copy) => copy.pragma('journal_mode = DELETE'));
    useStoredFile(kind, file, (database) => {
      try {
        copyTables(database, partial, FILES[kind], onProgress);
      } catch (error) {
        throw explainCopy(file, partial, error);
      }
    });
    renameSync(partial, target);
    makeNameDurable(target);
  } catch (error) {
    removePartial();
    throw error instanceof DatabaseUnusable && error.file === partial
      ? new DatabaseUnusable(target, error.explanation, error.code, { cause: error })
      : error;
  }
}

/** Codes of SQLite about the file that a copy reads, or about its rows. A copy writes only its target, so the other codes are about that. */
const READ_CODES = /^SQLITE_(?:CORRUPT|CONSTRAINT|NOTADB|BUSY|IOERR_(?:READ|SHORT_READ|CORRUPTFS|SHM\w*|LOCK|RDLOCK)$)/;

/** Returns the error with the file that it is about. The error of SQLite does not name it. */
const explainCopy = (file: string, target: string, error: unknown): Error =>
  explain(error instanceof Database.SqliteError && !READ_CODES.test(codeOf(error)) ? target : file, error);

function copyTables(
  database: Database.Database,
  target: string,
  { tables, rest }: CopiedFile,
  onProgress: (rows: number) => void,
): void {
  database.prepare('ATTACH ? AS copy').run(target);
  // A damaged store is copied as it is.
  database.pragma('foreign_keys = OFF');
  // The first read of the transaction is its point in time.
  database.exec('BEGIN');
  for (const table of tables) {
    const { name, key, start, pageRows } = table;
    const isText = typeof start !== 'number';
    const columns = key.join(', ');
    const places = key.map(() => (isText ? 'CAST(? AS TEXT)' : '?')).join(', ');
    const keyRead = key.map((column) => (isText ? `CAST(${column} AS BLOB)` : column)).join(', ');
    const after = `FROM main.${name} WHERE (${columns}) > (${places}) ORDER BY ${columns}`;
    const page = database.prepare(`INSERT INTO copy.${name} SELECT * ${after} LIMIT ${pageRows}`);
    const end = database.prepare(`SELECT ${keyRead} ${after} LIMIT 1 OFFSET ${pageRows - 1}`).raw();
    for (let [last, copied]: [unknown, number] = [key.map(() => start), 0]; Array.isArray(last);) {
      copied += page.run(...last).changes;
      if (table === tables.at(-1)) onProgress(copied);
      last = end.get(...last);
    }
  }
  database.exec(rest);
  database.exec('COMMIT');
}

/**
 * Opens a file that has content, and closes it again. An empty one would become a new store.
 * @throws DatabaseUnusable instead of an error of SQLite
 */
export function useStoredFile<Result>(
  kind: StoredFile,
  file: string,
  work: (database: Database.Database) => Result,
): Result {
  if (statSync(file).size > 0) return use(kind, file, work);
  const explanation = 'the file is empty: it was truncated, or nothing was ever stored. Restore it from a backup.';
  throw new DatabaseUnusable(file, explanation);
}

/** @throws DatabaseUnusable instead of an error of SQLite */
function use<Result>(kind: StoredFile, file: string, work: (database: Database.Database) => Result): Result {
  const database = FILES[kind].open(file);
  try {
    return work(database);
  } catch (error) {
    throw explain(file, error);
  } finally {
    database.close();
  }
}
