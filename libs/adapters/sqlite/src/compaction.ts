import { crc32 } from 'node:zlib';
import type { JsonObject, RecordedEvent, StreamId } from '@muster/ports';
import { explain, explained, openDatabase } from './database';
import { closeDurableDatabase } from './durable-database';
import { compactedText, decodeRow, decodeText, type EventRow, type StoredText } from './event-pages';
import { READ_EVENTS_MAX } from './maintenance';

const STREAMS_PER_PAGE = 1_000;
/** Events that are searched for digests between two reports of progress. */
const SEARCHED_PAGE_EVENTS = 10_000;
const DIGEST = /sha256:[0-9a-f]{64}/g;

/** The smaller form of an event. */
export interface Replacement {
  readonly position: number;
  /** Undefined: the event keeps its place, its id and its times only. */
  readonly data: JsonObject | undefined;
}

export interface ReplacedBytes {
  /** Bytes of the replaced events before and after. */
  readonly before: number;
  readonly after: number;
}

/**
 * Replaces events of an event store by smaller ones. Positions, revisions, ids and times stay. No other process may use the file.
 * The bodies to which removed data refers are listed in the file in the same transaction, until `forgetBodies`. Every method throws
 * DatabaseUnusable when the file cannot be read or written.
 */
export class SqliteCompaction {
  private readonly database;
  /** Prepared once: each statement keeps memory until it is collected, and a large store has 100,000 streams. */
  private readonly statements;

  /** @throws DatabaseUnusable */
  constructor(private readonly file: string) {
    this.database = openDatabase(file);
    this.database.exec('CREATE TABLE IF NOT EXISTS compacted_bodies (digest TEXT PRIMARY KEY) STRICT, WITHOUT ROWID');
    this.statements = {
      streams: this.database
        .prepare(
          `SELECT id, CAST(name AS BLOB) FROM streams WHERE id > ? AND name GLOB ? ORDER BY id LIMIT ${STREAMS_PER_PAGE}`,
        )
        .raw(),
      stream: this.database
        .prepare(
          `SELECT position, revision, CAST(body AS BLOB) FROM streams JOIN events ON stream = streams.id
           WHERE name = ? ORDER BY revision`,
        )
        .raw(),
      body: this.database.prepare('SELECT CAST(body AS BLOB) FROM events WHERE position = ?').raw(),
      update: this.database.prepare('UPDATE events SET body = ?, checksum = ? WHERE position = ?'),
      insert: this.database.prepare('INSERT OR IGNORE INTO compacted_bodies (digest) VALUES (?)'),
    };
  }

  /** Returns the number of streams with this prefix of their name. */
  countStreams(prefix: string): number {
    const count = this.database.prepare('SELECT count(*) FROM streams WHERE name GLOB ?').raw();
    return explained(this.file, () => count.get(`${prefix}*`) as [number])[0];
  }

  /** Returns the names of all streams with this prefix. */
  *streams(prefix: string): Generator<StreamId> {
    for (let last = -1; ;) {
      const rows = explained(
        this.file,
        () => this.statements.streams.all(last, `${prefix}*`) as [number, StoredText][],
      );
      for (const [, name] of rows) yield decodeText(name) as StreamId;
      last = rows.at(-1)?.[0] ?? last;
      if (rows.length < STREAMS_PER_PAGE) return;
    }
  }

  /**
   * Returns all events of a stream in order.
   * @throws DamagedEvent
   */
  read(streamId: StreamId): readonly RecordedEvent[] {
    const rows = explained(this.file, () => this.statements.stream.all(streamId) as [number, number, StoredText][]);
    return rows.map(([position, revision, body]) => decodeRow(this.file, streamId, revision, position, body));
  }

  /** Replaces events in one transaction: all of them or none. None when the store would not become smaller. */
  replace(replacements: readonly Replacement[]): ReplacedBytes | undefined {
    const { body, update, insert } = this.statements;
    const bytes = { before: 0, after: 0 };
    const isSmaller = this.inTransaction(() => {
      for (const { position, data } of replacements) {
        const text = decodeText((body.get(position) as [StoredText])[0]);
        const kept = compactedText(text, data);
        const digests = new Set(data ? JSON.stringify(data).match(DIGEST) : []);
        for (const digest of JSON.stringify(bodyDataOf(text)).match(DIGEST) ?? [])
          if (!digests.has(digest)) insert.run(digest);
        update.run(kept, crc32(kept), position);
        bytes.before += Buffer.byteLength(text);
        bytes.after += Buffer.byteLength(kept);
      }
      return bytes.after < bytes.before;
    });
    return isSmaller ? bytes : undefined;
  }

  /**
   * Returns the digests of removed data to which no event refers any more. Reads the whole store when there are any.
   * @throws DamagedEvent
   */
  unusedBodies(onProgress: (searchedEvents: number) => void): readonly string[] {
    const listed = this.database.prepare('SELECT digest FROM compacted_bodies').raw().all() as [string][];
    const unused = new Set(listed.map(([digest]) => digest));
    const select = this.database
      .prepare(
        `SELECT position, CAST(name AS BLOB), revision, CAST(body AS BLOB) FROM events LEFT JOIN streams ON streams.id = stream
         WHERE position > ? ORDER BY position LIMIT ${READ_EVENTS_MAX}`,
      )
      .raw();
    for (let [position, searched] = [-1, 0]; unused.size > 0;) {
      const rows = explained(this.file, () => select.all(position) as EventRow[]);
      for (const [at, name, revision, body] of rows) {
        const { data } = decodeRow(this.file, name, revision, at, body);
        for (const digest of JSON.stringify(data).match(DIGEST) ?? []) unused.delete(digest);
      }
      position = rows.at(-1)?.[0] ?? position;
      searched += rows.length;
      const isEnd = rows.length < READ_EVENTS_MAX;
      if (isEnd || searched % SEARCHED_PAGE_EVENTS === 0) onProgress(searched);
      if (isEnd) break;
    }
    return [...unused];
  }

  /** Empties the list of bodies after the unused ones were removed. */
  forgetBodies(): void {
    this.inTransaction(() => {
      this.database.exec('DELETE FROM compacted_bodies');
      return true;
    });
  }

  /** Does not throw on a full disk, so that the error which ended the compaction stays. */
  close(): void {
    closeDurableDatabase(this.database);
  }

  /** Stores what `work` does, unless it returns false or throws. */
  private inTransaction(work: () => boolean): boolean {
    this.database.exec('BEGIN IMMEDIATE');
    try {
      const isStored = work();
      this.database.exec(isStored ? 'COMMIT' : 'ROLLBACK');
      return isStored;
    } catch (error) {
      if (this.database.inTransaction) this.database.exec('ROLLBACK');
      throw explain(this.file, error);
    }
  }
}

/** The data of a stored event. Other members contain digests that are no bodies. */
const bodyDataOf = (text: string): unknown => (JSON.parse(text) as unknown[])[3];
