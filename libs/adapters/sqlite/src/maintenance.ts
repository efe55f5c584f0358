import { closeSync, openSync, statSync } from 'node:fs';
import { COMPACTED_EVENT, type StreamId } from '@muster/ports';
import Database from 'libsql';
import { explain, openDatabase } from './database';
import { decodeEvent, decodeText, type StoredText } from './event-pages';

/** Events that are checked between two reports of progress. */
const VERIFY_PAGE_EVENTS = 10_000;
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

/** Returns the counts and sizes of an event store. Other processes may have the file open. */
export function sqliteStoreStats(file: string): StoreStats {
  const database = openDatabase(file);
  try {
    const rows = database
      .prepare(
        `SELECT json_extract(body, '$[1]'), count(*), sum(length(CAST(body AS BLOB))) FROM events GROUP BY 1 ORDER BY 3 DESC`,
      )
      .raw()
      .all() as [string, number, number][];
    const types = rows.map(([type, events, bytes]) => ({ type, events, bytes }));
    const [streams] = database.prepare('SELECT count(*) FROM streams').raw().get() as [number];
    const sum = (of: 'events' | 'bytes'): number => types.reduce((total, one) => total + one[of], 0);
    return { events: sum('events'), streams, bytes: sum('bytes'), types };
  } finally {
    database.close();
  }
}

/**
 * Reads every event of the store and returns the faults as sentences, at most FAULTS_MAX. Empty when the store is
 * valid. Checks the pages of the file, the revisions of every stream and the text of every event.
 */
export function verifySqliteStore(file: string, onProgress: (verifiedEvents: number) => void): readonly string[] {
  const database = openDatabase(file);
  const faults: string[] = [];
  try {
    for (const [answer] of database.prepare('PRAGMA integrity_check').raw().all() as [string][])
      if (answer !== 'ok') faults.push(`The file is damaged: ${answer}`);
    const select = database
      .prepare(
        `SELECT position, CAST(name AS BLOB), revision, CAST(body AS BLOB) FROM events JOIN streams ON streams.id = stream
         WHERE position > ? ORDER BY position LIMIT ${VERIFY_PAGE_EVENTS}`,
      )
      .raw();
    const revisions = new Map<StreamId, number>();
    let verified = 0;
    for (let position = 0; faults.length < FAULTS_MAX;) {
      const rows = select.all(position) as [number, StoredText, number, StoredText][];
      for (const [at, name, revision, body] of rows) {
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
      if (rows.length < VERIFY_PAGE_EVENTS) break;
    }
    return faults.slice(0, FAULTS_MAX);
  } finally {
    database.close();
  }
}

/**
 * Copies the store to a new file at one point in time, while other processes may append.
 * @throws DatabaseUnusable when the store cannot be read
 * @throws Error when the target exists
 */
export function backUpSqliteStore(file: string, target: string): void {
  const database = openDatabase(file);
  try {
    // Created before the copy, so that the file is readable by the owner only from the beginning.
    closeSync(openSync(target, 'wx', 0o600));
    database.prepare('VACUUM INTO ?').run(target);
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

/** Returns the name of the stream. A name that cannot be read is an additional fault. */
function nameOf(name: StoredText, position: number, faults: string[]): StreamId {
  try {
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
