import { type AppendResult, type ExpectedRevision, NO_STREAM, type StreamId } from '@muster/ports';
import type Database from 'libsql';
import { openDatabase } from './database';
import { openDurableDatabase } from './durable-database';
import { openStateDatabase } from './state-database';
import { type StatePart, writePart } from './state-part';

export const OBJECTS_SCHEMA = `
  CREATE TABLE IF NOT EXISTS objects (
    digest TEXT PRIMARY KEY, stored_at_ms INTEGER NOT NULL, body BLOB NOT NULL
  ) STRICT`;

export const SEALED_SCHEMA = `
  CREATE TABLE IF NOT EXISTS sealed (
    scope TEXT NOT NULL, name TEXT NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (scope, name)
  ) STRICT, WITHOUT ROWID`;

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
  const insertEvent = database.prepare('INSERT INTO events (stream, revision, body) VALUES (?, ?, ?)');
  return {
    database,
    statements: {
      /** The positions of the events of one append are consecutive. A conflict writes nothing and does not affect other appends. */
      append: (streamId: StreamId, expected: ExpectedRevision, texts: readonly string[]): AppendResult => {
        const found = findStream.get(streamId) as [id: number, revision: number] | undefined;
        const actualRevision = found?.[1] ?? NO_STREAM;
        if (actualRevision !== expected) return { kind: 'conflict', actualRevision };
        const stream = found?.[0] ?? insertStream.run(streamId).lastInsertRowid;
        let revision = actualRevision;
        let position = -1;
        for (const text of texts) {
          revision += 1;
          position = Number(insertEvent.run(stream, revision, text).lastInsertRowid);
        }
        return { kind: 'appended', revision, position };
      },
    },
  };
}

/** Small bodies by digest. */
function openObjects({ file }: WrittenFile) {
  const database = openDurableDatabase(file, OBJECTS_SCHEMA);
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

/** Sealed values by scope and name. */
function openSealed({ file }: WrittenFile) {
  const database = openDurableDatabase(file, SEALED_SCHEMA);
  const selectScope = database.prepare('SELECT 1 FROM sealed WHERE scope = ? LIMIT 1').raw();
  const selectValue = database.prepare('SELECT 1 FROM sealed WHERE scope = ? AND name = ? AND bytes = ?').raw();
  const insert = database.prepare('INSERT OR REPLACE INTO sealed (scope, name, bytes) VALUES (?, ?, ?)');
  const removal = database.prepare('DELETE FROM sealed WHERE scope = ?');
  return {
    database,
    statements: {
      create: (scope: string, values: readonly (readonly [name: string, bytes: Uint8Array])[]): boolean => {
        if (selectScope.get(scope)) return false;
        for (const [name, bytes] of values) insert.run(scope, name, bytes);
        return true;
      },
      /** A scope that was destroyed meanwhile has no key, or another one, and the value must not create it again. */
      replace: (scope: string, name: string, bytes: Uint8Array, givenName: string, given: Uint8Array): boolean => {
        if (!selectValue.get(scope, givenName, given)) return false;
        insert.run(scope, name, bytes);
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
}

/**
 * Opens the connection that writes.
 * @throws DatabaseUnusable
 */
export const openWritten = (kind: WrittenKind, file: WrittenFile): WrittenDatabase => OPEN[kind](file);
