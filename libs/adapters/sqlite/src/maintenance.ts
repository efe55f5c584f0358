import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { COMPACTED_EVENT, type StreamId } from '@muster/ports';
import Database from 'libsql';
import { createFile, DatabaseUnusable, explain, openDatabase } from './database';
import { decodeEvent, decodeText, type StoredText } from './event-pages';

/** Events between two reports of progress. */
const PAGE_EVENTS = 10_000;
/** Maximum number of faults that a verification lists. */
const FAULTS_MAX = 100;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

export interface StoreStats {
  readonly events: number;
  readonly streams: number;
  /** Bytes of the stored events without indexes and free pages. */
  readonly bytes: number;
  /** Ordered by bytes, the largest first. */
  readonly types: readonly { readonly type: string; readonly events: number; readonly bytes: number }[];
}

/** Called with the number of events so far. */
type OnProgress = (events: number) => void;

/**
 * Returns the counts and sizes of an event store. Other processes may have the file open.
 * @throws DatabaseUnusable
 */
export const sqliteStoreStats = (file: string, onProgress: OnProgress): StoreStats =>
  withDatabase(file, (database) => {
    const select = database
      .prepare(
        `SELECT json_extract(body, '$[1]'), count(*), sum(length(CAST(body AS BLOB)))
         FROM events WHERE position > ? AND position <= ? GROUP BY 1`,
      )
      .raw();
    const last = lastPosition(database);
    const types = new Map<string, { type: string; events: number; bytes: number }>();
    const total = { events: 0, bytes: 0 };
    for (let position = 0; position < last; position += PAGE_EVENTS) {
      for (const [type, events, bytes] of select.all(position, position + PAGE_EVENTS) as [string, number, number][]) {
        const known = types.get(type) ?? { type, events: 0, bytes: 0 };
        types.set(type, { type, events: known.events + events, bytes: known.bytes + bytes });
        total.events += events;
        total.bytes += bytes;
      }
      onProgress(total.events);
    }
    const [streams] = database.prepare('SELECT count(*) FROM streams').raw().get() as [number];
    return { ...total, streams, types: [...types.values()].sort((left, right) => right.bytes - left.bytes) };
  });

/**
 * Reads every event of the store and returns the faults as sentences, at most FAULTS_MAX. Empty when the store is
 * valid. Checks the pages of the file, that no position is missing, the revisions of every stream and the text of every event.
 * @throws DatabaseUnusable when the file cannot be read
 */
export const verifySqliteStore = (file: string, onProgress: OnProgress): readonly string[] =>
  withDatabase(file, (database) => {
    const faults: string[] = [];
    for (const [answer] of database.prepare('PRAGMA integrity_check').raw().all() as [string][])
      if (answer !== 'ok') faults.push(`The file is damaged: ${answer}`);
    const select = database
      .prepare(
        `SELECT position, CAST(name AS BLOB), revision, CAST(body AS BLOB) FROM events LEFT JOIN streams ON streams.id = stream
         WHERE position > ? ORDER BY position LIMIT ${PAGE_EVENTS}`,
      )
      .raw();
    const last = lastPosition(database);
    const revisions = new Map<StreamId, number>();
    let [position, verified] = [0, 0];
    while (faults.length < FAULTS_MAX) {
      const rows = select.all(position) as [number, StoredText | null, number, StoredText][];
      for (const [at, name, revision, body] of rows) {
        if (at > position + 1) faults.push(missingText(position + 1, at - 1));
        const streamId = nameOf(name, at, faults);
        const expected = (revisions.get(streamId) ?? -1) + 1;
        if (revision !== expected)
          faults.push(`Position ${at}: ${streamId} has revision ${revision}; expected ${expected}.`);
        revisions.set(streamId, revision);
        const fault = faultOf(streamId, revision, at, body);
        if (fault) faults.push(`Position ${at}: ${fault}`);
        position = at;
      }
      verified += rows.length;
      onProgress(verified);
      if (rows.length < PAGE_EVENTS) break;
    }
    if (position < last && faults.length < FAULTS_MAX) faults.push(missingText(position + 1, last));
    return faults.slice(0, FAULTS_MAX);
  });

const missingText = (first: number, last: number): string =>
  first === last
    ? `Position ${first}: the event is missing.`
    : `Positions ${first} to ${last}: the events are missing.`;

/**
 * Copies the store to a new file at one point in time, while other processes may append. The file has its name when the copy is
 * complete. The list of documents that an interrupted compaction has yet to remove is not copied.
 * @throws DatabaseUnusable with the file that cannot be used: the store, or the target, also when it exists
 */
export function backUpSqliteStore(file: string, target: string, onProgress: OnProgress): void {
  if (existsSync(target)) throw new DatabaseUnusable(target, 'the file exists. Name a new file.');
  const partial = `${target}.partial`;
  rmSync(partial, { force: true });
  try {
    // Without a write-ahead log, the copy is one file.
    withDatabase(partial, (copy) => copy.pragma('journal_mode = DELETE'));
    withDatabase(file, (database) => {
      try {
        copyTo(database, partial, onProgress);
      } catch (error) {
        throw explainCopy(file, partial, error);
      }
    });
    renameSync(partial, target);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error instanceof DatabaseUnusable && error.file === partial
      ? new DatabaseUnusable(target, error.explanation, error.code, { cause: error })
      : error;
  }
}

/** Codes of SQLite about the file that a copy reads. A copy writes only its target, so the other codes are about that. */
const READ_CODES = /^SQLITE_(?:CORRUPT|NOTADB|BUSY|IOERR_(?:READ|SHORT_READ|CORRUPTFS|SHM\w*|LOCK|RDLOCK)$)/;

/** Returns the error with the file that it is about. The error of SQLite does not name it. */
const explainCopy = (file: string, target: string, error: unknown): Error =>
  explain(error instanceof Database.SqliteError && !READ_CODES.test(error.code) ? target : file, error);

function copyTo(database: Database.Database, target: string, onProgress: OnProgress): void {
  database.prepare('ATTACH ? AS copy').run(target);
  // A damaged store is copied as it is.
  database.pragma('foreign_keys = OFF');
  const copy = database.prepare(
    'INSERT INTO copy.events SELECT * FROM main.events WHERE position > ? AND position <= ?',
  );
  // The first read of the transaction is its point in time.
  database.exec('BEGIN');
  const last = lastPosition(database);
  database.exec('INSERT INTO copy.streams SELECT * FROM main.streams');
  let copied = 0;
  for (let position = 0; position < last; position += PAGE_EVENTS) {
    copied += copy.run(position, position + PAGE_EVENTS).changes;
    onProgress(copied);
  }
  database.exec('COMMIT');
}

/**
 * Copies a SQLite file to a new file at one point in time, while other processes may write. The copy is durable, and only the
 * owner can read it.
 * @throws DatabaseUnusable with the file that cannot be read, or the target that cannot be written
 */
export function copySqliteFile(file: string, target: string): void {
  createFile(target);
  const database = new Database(file);
  try {
    database.prepare('VACUUM INTO ?').run(target);
    // SQLite does not do it, and no connection of this process has the copy open.
    const copy = openSync(target, 'r');
    fsyncSync(copy);
    closeSync(copy);
  } catch (error) {
    throw explainCopy(file, target, error);
  } finally {
    database.close();
  }
}

/**
 * Writes the file again without its free pages and returns its size in bytes before and after. No other process may use it. Needs as
 * much free space on the disk as the file has. A crash leaves the file as it was.
 */
export function vacuumSqliteFile(file: string): { readonly before: number; readonly after: number } {
  const database = new Database(file);
  try {
    database.pragma('wal_checkpoint(TRUNCATE)');
    const before = statSync(file).size;
    database.exec('VACUUM');
    database.pragma('wal_checkpoint(TRUNCATE)');
    return { before, after: statSync(file).size };
  } catch (error) {
    throw explain(file, error);
  } finally {
    database.close();
  }
}

/** Returns the last position that was ever assigned; 0 before the first event. Positions of this store have no gaps. */
function lastPosition(database: Database.Database): number {
  const row = database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events'").raw().get();
  return (row as [number] | undefined)?.[0] ?? 0;
}

/** @throws DatabaseUnusable instead of an error of SQLite */
function withDatabase<Result>(file: string, use: (database: Database.Database) => Result): Result {
  const database = openDatabase(file);
  try {
    return use(database);
  } catch (error) {
    throw explain(file, error);
  } finally {
    database.close();
  }
}

/** Returns the name of the stream. A name that is missing or cannot be read is an additional fault. */
function nameOf(name: StoredText | null, position: number, faults: string[]): StreamId {
  try {
    if (name === null) throw new Error('it is missing.');
    return decodeText(name) as StreamId;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    faults.push(`Position ${position}: the name of the stream cannot be read: ${reason}`);
    return 'damaged-name';
  }
}

function faultOf(streamId: StreamId, revision: number, position: number, body: StoredText): string | undefined {
  try {
    const { id, type, data, metadata } = decodeEvent(streamId, revision, position, decodeText(body));
    const { originalDigest } = metadata;
    if (originalDigest !== undefined && !DIGEST.test(originalDigest))
      return 'the digest of the original event is damaged.';
    if (type === COMPACTED_EVENT)
      return originalDigest !== undefined && typeof data.type === 'string' && metadata.occurredAt !== ''
        ? undefined
        : 'a member of the compacted event is missing.';
    const texts = [id, type, metadata.commandId, metadata.correlationId, metadata.actor, metadata.occurredAt];
    return texts.every((text) => typeof text === 'string' && text !== '')
      ? undefined
      : 'a member of the event is missing.';
  } catch (error) {
    return `the event cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}
