import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { COMPACTED_EVENT, type RecordedEvent, type StreamId } from '@muster/ports';
import Database from 'libsql';
import AsyncDatabase from 'libsql/promise';
import { BUSY_TIMEOUT_MS, explain } from './database';
import { keptHead } from './durable-database';
import { decodeEvent, decodeText, type EventRow, type StoredText } from './event-pages';
import { sealedFaults } from './sealed-storage';
import { type StoredFile, useStoredFile } from './written-databases';

/** Events between two reports of progress. */
const PAGE_EVENTS = 10_000;
/** Maximum number of events in memory. One has up to 256 KiB. */
export const READ_EVENTS_MAX = 500;
/** Shown instead of the type of an event whose text cannot be read. */
const UNREADABLE_TYPE = 'unreadable, see "store verify"';
/** Maximum number of faults that a verification lists. */
const FAULTS_MAX = 100;
/** Time between two reports about one long statement. */
const WORK_REPORT_MS = 5_000;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

export interface StoreStats {
  readonly events: number;
  readonly streams: number;
  /** Bytes of the stored events without indexes and free pages. */
  readonly bytes: number;
  /** Ordered by bytes, the largest first. */
  readonly types: readonly { readonly type: string; readonly events: number; readonly bytes: number }[];
}

/** Events of an earlier format have no checksum. */
type CheckedRow = readonly [...EventRow, checksum: number | null];

/** Called with the number of events so far. */
type OnProgress = (events: number) => void;

/** The work of one long statement so far. SQLite does not report how much is left. */
export interface StatementWork {
  readonly ms: number;
  /** Bytes that the process has read and written meanwhile; undefined outside of Linux. */
  readonly bytes: { readonly read: number; readonly written: number } | undefined;
}

/** Called every five seconds while one statement runs. */
export type OnWork = (work: StatementWork) => void;

/**
 * Returns the counts and sizes of an event store. Other processes may have the file open.
 * @throws DatabaseUnusable
 */
export const sqliteStoreStats = (file: string, onProgress: OnProgress): StoreStats =>
  useStoredFile('events', file, (database) => {
    const select = database
      .prepare(
        `SELECT CAST(CASE WHEN json_valid(body) THEN json_extract(body, '$[1]') END AS BLOB), count(*),
         sum(length(CAST(body AS BLOB))) FROM events WHERE position > ? AND position <= ? GROUP BY 1`,
      )
      .raw();
    const last = lastPosition(database);
    const types = new Map<string, { type: string; events: number; bytes: number }>();
    const total = { events: 0, bytes: 0 };
    for (let position = 0; position < last; position += PAGE_EVENTS) {
      const rows = select.all(position, position + PAGE_EVENTS) as [StoredText, number, number][];
      for (const [name, events, bytes] of rows) {
        const type = typeIn(name);
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

function typeIn(name: StoredText): string {
  try {
    return decodeText(name);
  } catch {
    return UNREADABLE_TYPE;
  }
}

/**
 * Reads every event of the store, as far as the file can be read, and returns the faults as sentences, at most FAULTS_MAX. Empty when the
 * store is valid. Checks the pages of the file, that no position is missing, the revisions of every stream, and the text of every event with its checksum.
 * `onEvent` is called for each event that can be read.
 * @throws DatabaseUnusable when nothing of the file can be read
 */
export async function verifySqliteStore(
  file: string,
  onProgress: OnProgress,
  { onEvent, onWork }: { readonly onEvent?: (event: RecordedEvent) => void; readonly onWork?: OnWork } = {},
): Promise<readonly string[]> {
  const kept = keptHead(file);
  const faults = [...(await verifySqliteFile('events', file, onWork))];
  useStoredFile('events', file, (database) => {
    const select = database
      .prepare(
        `SELECT position, CAST(name AS BLOB), revision, CAST(body AS BLOB), checksum FROM events LEFT JOIN streams ON streams.id = stream
         WHERE position > ? AND position <= ? ORDER BY position`,
      )
      .raw();
    const last = Math.max(kept, lastPosition(database));
    const revisions = new Map<StreamId, number>();
    let [position, verified] = [0, 0];
    for (let page = 0; page < last && faults.length < FAULTS_MAX; page += READ_EVENTS_MAX) {
      const end = Math.min(page + READ_EVENTS_MAX, last);
      const { rows, unreadable } = readRange(select, page, end);
      const report = (next: number): void => {
        if (next > position + 1) faults.push(gapText(position + 1, next - 1, unreadable));
      };
      for (const [at, name, revision, body, checksum] of rows) {
        report(at);
        position = at;
        const streamId = nameOf(name, at, faults);
        const expected = (revisions.get(streamId) ?? -1) + 1;
        if (revision !== expected)
          faults.push(`Position ${at}: ${streamId} has revision ${revision}; expected ${expected}.`);
        revisions.set(streamId, revision);
        const found = readEvent(streamId, revision, at, body, checksum);
        if (typeof found === 'string') faults.push(`Position ${at}: ${found}`);
        else onEvent?.(found);
      }
      // Events that are missing at the end of a page and at the start of the next one are one range.
      if (unreadable.length > 0 || end === last) {
        report(end + 1);
        position = end;
      }
      verified += rows.length;
      if (end % PAGE_EVENTS === 0 || end === last) onProgress(verified);
    }
  });
  return faults.slice(0, FAULTS_MAX);
}

/**
 * Checks the pages of a file, and if they are valid, the checksums of sealed values. Returns the faults as sentences.
 * @throws DatabaseUnusable when nothing of the file can be read
 */
export async function verifySqliteFile(kind: StoredFile, file: string, onWork?: OnWork): Promise<readonly string[]> {
  // Refuses a file of another kind.
  useStoredFile(kind, file, () => undefined);
  const pageFaults = await inThread(file, onWork, async (database) => {
    const faults: string[] = [];
    try {
      const check = (await database.prepare('PRAGMA integrity_check')) as AsyncStatement;
      // Damage may end the check after its first answers.
      for (const [answer] of await check.raw().iterate())
        if (answer !== 'ok') faults.push(`The file is damaged: ${answer}`);
    } catch (error) {
      if (!(error instanceof Database.SqliteError)) throw error;
      faults.push(`The file is damaged: ${error.message}`);
    }
    return faults;
  });
  return kind === 'sealed' && pageFaults.length === 0 ? sealedFaults(file).slice(0, FAULTS_MAX) : pageFaults;
}

/** The driver declares no types for statements that run in its threads. */
interface AsyncStatement {
  raw(): { iterate(): Promise<Iterable<readonly [string]>> };
}

/**
 * Writes the file again without its free pages and returns its size in bytes before and after. No other process may use it. Needs twice as
 * much free space on the disk as the file has: for a temporary copy beside it, and for the write-ahead log. A crash leaves the file as it was.
 * @throws DatabaseUnusable
 */
export const vacuumSqliteFile = (
  file: string,
  onWork?: OnWork,
): Promise<{ readonly before: number; readonly after: number }> =>
  inThread(file, onWork, async (database) => {
    await database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const before = statSync(file).size;
    // By default, this build of SQLite holds the copy in memory, and files are in a directory that may be in memory.
    await database.exec('PRAGMA temp_store = FILE');
    await database.exec(`PRAGMA temp_store_directory = '${dirname(file).replaceAll("'", "''")}'`);
    await database.exec('VACUUM');
    await database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return { before, after: statSync(file).size };
  });

/** Runs statements in a thread of the driver, so that this one can report what they have done. */
async function inThread<Result>(
  file: string,
  onWork: OnWork | undefined,
  work: (database: AsyncDatabase) => Promise<Result>,
): Promise<Result> {
  const startedMs = performance.now();
  const before = transferredBytes();
  const reports = setInterval(() => {
    const now = transferredBytes();
    const bytes = before && now && { read: now.read - before.read, written: now.written - before.written };
    onWork?.({ ms: performance.now() - startedMs, bytes });
  }, WORK_REPORT_MS);
  try {
    const database = new AsyncDatabase(file, { timeout: BUSY_TIMEOUT_MS });
    try {
      return await work(database);
    } finally {
      database.close();
    }
  } catch (error) {
    throw explain(file, error);
  } finally {
    clearInterval(reports);
  }
}

/** Returns the bytes that the process has read and written so far, from the disk or its cache; undefined outside of Linux. */
function transferredBytes(): StatementWork['bytes'] {
  try {
    const [, read, written] = /^rchar: (\d+)\nwchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8')) ?? [];
    return read && written ? { read: Number(read), written: Number(written) } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the events after the first position up to the second one, and the positions whose pages cannot be read. */
function readRange(
  select: Database.Statement,
  after: number,
  end: number,
): { readonly rows: readonly CheckedRow[]; readonly unreadable: readonly number[] } {
  try {
    return { rows: select.all(after, end) as CheckedRow[], unreadable: [] };
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    if (end - after === 1) return { rows: [], unreadable: [end] };
    const middle = Math.floor((after + end) / 2);
    const [left, right] = [readRange(select, after, middle), readRange(select, middle, end)];
    return { rows: left.rows.concat(right.rows), unreadable: left.unreadable.concat(right.unreadable) };
  }
}

/** The text about events that a valid store has at these positions. */
function gapText(first: number, last: number, unreadable: readonly number[]): string {
  const isRead = !unreadable.some((position) => first <= position && position <= last);
  const fault = isRead ? 'missing' : 'on damaged pages and cannot be read';
  return first === last
    ? `Position ${first}: the event is ${fault}.`
    : `Positions ${first} to ${last}: the events are ${fault}.`;
}

/** Returns the last position that was ever assigned; 0 before the first event. Positions of this store have no gaps. */
function lastPosition(database: Database.Database): number {
  const assigned = database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events'").raw().get();
  const last = database.prepare('SELECT max(position) FROM events').raw().get();
  return Math.max(...[assigned, last].map((row) => (row as [number | null] | undefined)?.[0] ?? 0));
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

/** Returns the event, or its fault. */
function readEvent(
  streamId: StreamId,
  revision: number,
  position: number,
  body: StoredText,
  checksum: number | null,
): RecordedEvent | string {
  try {
    const event = decodeEvent(streamId, revision, position, decodeText(body));
    const { id, type, data, metadata } = event;
    const { originalDigest } = metadata;
    if (originalDigest !== undefined && !DIGEST.test(originalDigest))
      return 'the digest of the original event is damaged.';
    if (type === COMPACTED_EVENT) {
      if (originalDigest === undefined || typeof data.type !== 'string' || metadata.occurredAt === '')
        return 'a member of the compacted event is missing.';
    } else {
      const texts = [id, type, metadata.commandId, metadata.correlationId, metadata.actor, metadata.occurredAt];
      if (!texts.every((text) => typeof text === 'string' && text !== '')) return 'a member of the event is missing.';
    }
    const isAsStored = checksum === null || !body || crc32(body) === checksum;
    return isAsStored ? event : 'the text of the event differs from what was stored.';
  } catch (error) {
    return `the event cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}
