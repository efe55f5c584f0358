import { type AppendResult, type ExpectedRevision, NO_STREAM, type RecordedEvent, type StreamId } from '@muster/ports';
import type Database from 'libsql';
import { explain } from './database';
import { type EncodedEvent, toEvent } from './event-pages';

/** Maximum appends in one transaction, so that the event loop is not blocked for long. */
const BATCH_APPENDS_MAX = 256;
/** Maximum appends that may wait. Further appends are refused, so that the queue is bounded. */
const WAITING_APPENDS_MAX = 50_000;

interface WaitingAppend {
  readonly streamId: StreamId;
  readonly expected: ExpectedRevision;
  readonly bodies: readonly EncodedEvent[];
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Group commit: appends that arrive in the same turn of the event loop share one transaction, and so one fsync. Each
 * checks its own expected revision inside it. A conflict writes nothing and does not affect the others.
 */
export class AppendQueue {
  private waiting: WaitingAppend[] = [];
  private isScheduled = false;
  private readonly findStream;
  private readonly insertStream;
  private readonly insertEvent;

  constructor(
    private readonly database: Database.Database,
    private readonly file: string,
    /** Called with the stored events in order of position. */
    private readonly onCommitted: (events: readonly RecordedEvent[]) => void,
  ) {
    this.findStream = database
      .prepare(
        `SELECT id, (SELECT revision FROM events WHERE stream = id ORDER BY revision DESC LIMIT 1)
         FROM streams WHERE name = ?`,
      )
      .raw();
    this.insertStream = database.prepare('INSERT INTO streams (name) VALUES (?)');
    this.insertEvent = database.prepare('INSERT INTO events (stream, revision, body) VALUES (?, ?, ?)');
  }

  append(streamId: StreamId, expected: ExpectedRevision, bodies: readonly EncodedEvent[]): Promise<AppendResult> {
    if (this.waiting.length >= WAITING_APPENDS_MAX) {
      return Promise.reject(new Error(`More than ${WAITING_APPENDS_MAX} appends wait for the disk; retry later.`));
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ streamId, expected, bodies, resolve, reject });
      this.schedule();
    });
  }

  /** Writes all waiting appends now. */
  flush(): void {
    while (this.waiting.length > 0) this.commitBatch();
  }

  private schedule(): void {
    if (this.isScheduled || this.waiting.length === 0) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.commitBatch();
      this.schedule();
    });
  }

  private commitBatch(): void {
    if (this.waiting.length === 0) return;
    const batch = this.waiting.slice(0, BATCH_APPENDS_MAX);
    this.waiting = this.waiting.slice(BATCH_APPENDS_MAX);
    const stored: RecordedEvent[] = [];
    let results: AppendResult[];
    try {
      results = this.inTransaction(() => batch.map((append) => this.write(append, stored)));
    } catch (error) {
      const explained = explain(this.file, error);
      for (const append of batch) append.reject(explained);
      return;
    }
    for (const [n, append] of batch.entries()) append.resolve(results[n] as AppendResult);
    if (stored.length > 0) this.onCommitted(stored);
  }

  private write(append: WaitingAppend, stored: RecordedEvent[]): AppendResult {
    const found = this.findStream.get(append.streamId) as [id: number, revision: number] | undefined;
    const actualRevision = found?.[1] ?? NO_STREAM;
    if (actualRevision !== append.expected) return { kind: 'conflict', actualRevision };
    const stream = found?.[0] ?? this.insertStream.run(append.streamId).lastInsertRowid;
    let revision = actualRevision;
    let position = -1;
    for (const { text, body } of append.bodies) {
      revision += 1;
      position = Number(this.insertEvent.run(stream, revision, text).lastInsertRowid);
      stored.push(toEvent(append.streamId, revision, position, body));
    }
    return { kind: 'appended', revision, position };
  }

  private inTransaction<T>(work: () => T): T {
    // IMMEDIATE: the write lock is acquired before the expected revisions are checked.
    this.database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.database.exec('COMMIT');
      return result;
    } catch (error) {
      // SQLite has already rolled back after some errors, such as a full disk.
      if (this.database.inTransaction) this.database.exec('ROLLBACK');
      throw error;
    }
  }
}
