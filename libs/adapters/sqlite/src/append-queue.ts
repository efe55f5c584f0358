import type { AppendResult, ExpectedRevision, RecordedEvent, StreamId } from '@muster/ports';
import { type EncodedEvent, toEvent } from './event-pages';
import type { SqliteWriter, Writes } from './writer';
import type { WritesTo, WrittenFile } from './written-databases';

/**
 * Appends with group commit. Each append checks its own expected revision inside the transaction. A conflict writes nothing and does not
 * affect the other appends.
 */
export class AppendQueue {
  private readonly writes: Writes<WritesTo<'events'>>;
  /** Events of the transaction whose results are being received. */
  private stored: RecordedEvent[] = [];
  private storedCharacters = 0;
  /** Settles when the appends that were requested so far have a result. */
  private last: Promise<unknown> = Promise.resolve();
  private unanswered = 0;

  constructor(
    writer: SqliteWriter,
    file: WrittenFile,
    /** Called with the stored events of a transaction in order of position, before its appends resolve. */
    onCommitted: (events: readonly RecordedEvent[], characters: number) => void,
  ) {
    this.writes = writer.open('events', file, () => {
      const { stored, storedCharacters } = this;
      this.stored = [];
      this.storedCharacters = 0;
      if (stored.length > 0) onCommitted(stored, storedCharacters);
    });
  }

  append(streamId: StreamId, expected: ExpectedRevision, bodies: readonly EncodedEvent[]): Promise<AppendResult> {
    const texts = bodies.map(({ text }) => text);
    const appended = this.writes.run('append', [streamId, expected, texts], (result) => {
      if (result.kind === 'conflict') return;
      const [revision, position] = [result.revision - bodies.length + 1, result.position - bodies.length + 1];
      for (const [index, { body }] of bodies.entries())
        this.stored.push(toEvent(streamId, revision + index, position + index, body));
      this.storedCharacters += texts.reduce((sum, { length }) => sum + length, 0);
    });
    this.unanswered += 1;
    const answered = (): void => void (this.unanswered -= 1);
    this.last = appended.then(answered, answered);
    return appended;
  }

  /** Resolves when the appends that were requested so far have a result. Undefined when all of them have one. */
  settled(): Promise<unknown> | undefined {
    return this.unanswered > 0 ? this.last : undefined;
  }

  /** Resolves when all requested appends have a result and the connection is closed. */
  close(): Promise<void> {
    return this.writes.close();
  }
}
