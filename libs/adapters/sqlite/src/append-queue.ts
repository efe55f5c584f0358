import { type AppendResult, type ExpectedRevision, NO_STREAM, type RecordedEvent, type StreamId } from '@muster/ports';
import type Database from 'libsql';
import { type EncodedEvent, toEvent } from './event-pages';
import { GroupCommit } from './group-commit';

/**
 * Appends with group commit. Each append checks its own expected revision inside the transaction. A conflict writes nothing and does not
 * affect the other appends.
 */
export class AppendQueue {
  private readonly commits: GroupCommit;
  /** Events of the transaction that is being written. */
  private stored: RecordedEvent[] = [];
  private readonly findStream;
  private readonly insertStream;
  private readonly insertEvent;

  constructor(
    database: Database.Database,
    file: string,
    /** Called with the stored events in order of position. */
    onCommitted: (events: readonly RecordedEvent[]) => void,
  ) {
    this.commits = new GroupCommit(database, file, (isCommitted) => {
      const { stored } = this;
      this.stored = [];
      if (isCommitted && stored.length > 0) onCommitted(stored);
    });
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
    return this.commits.run(() => this.write(streamId, expected, bodies));
  }

  /** Writes all waiting appends now. */
  flush(): void {
    this.commits.flush();
  }

  private write(streamId: StreamId, expected: ExpectedRevision, bodies: readonly EncodedEvent[]): AppendResult {
    const found = this.findStream.get(streamId) as [id: number, revision: number] | undefined;
    const actualRevision = found?.[1] ?? NO_STREAM;
    if (actualRevision !== expected) return { kind: 'conflict', actualRevision };
    const stream = found?.[0] ?? this.insertStream.run(streamId).lastInsertRowid;
    let revision = actualRevision;
    let position = -1;
    for (const { text, body } of bodies) {
      revision += 1;
      position = Number(this.insertEvent.run(stream, revision, text).lastInsertRowid);
      this.stored.push(toEvent(streamId, revision, position, body));
    }
    return { kind: 'appended', revision, position };
  }
}
