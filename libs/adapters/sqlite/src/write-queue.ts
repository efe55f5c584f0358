import { DatabaseUnusable, explain, truncateUnusedLog } from './database';
import { closeDurableDatabase } from './durable-database';
import { openWritten, type WrittenDatabase, type WrittenFile, type WrittenKind } from './written-databases';

/** Maximum number of writes per transaction, so that the first of them do not wait long for the last ones. */
const BATCH_WRITES_MAX = 256;

/** A request to the connections that write. Requests to one database take effect in their order. */
export type WriterRequest =
  | {
      readonly id: number;
      readonly kind: 'write';
      readonly to: number;
      readonly name: string;
      readonly args: unknown[];
    }
  | {
      readonly id: number;
      readonly kind: 'open';
      readonly to: number;
      readonly as: WrittenKind;
      readonly file: WrittenFile;
    }
  | { readonly id: number; readonly kind: 'checkpoint' | 'truncate' | 'close'; readonly to: number };
type Write = Extract<WriterRequest, { kind: 'write' }>;
type Open = Extract<WriterRequest, { kind: 'open' }>;

/** `explanation`: of a DatabaseUnusable, because a structured clone does not keep the class of an error. */
export type WriterAnswer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly file: string; readonly explanation: string; readonly code: string | undefined }
  | { readonly id: number; readonly error: Error };

/**
 * Owns the connections that write. Group commit: all waiting writes to one database share a transaction, and thus one fsync. A write that
 * throws fails its whole transaction.
 */
export class WriteQueue {
  /** By number, as the next map. */
  private readonly requested = new Map<number, Open>();
  /** Without those that could not be opened. */
  private readonly databases = new Map<number, WrittenDatabase>();
  private readonly waiting = new Map<number, Write[]>();

  constructor(
    /** Called after each transaction with the answers to its writes. */
    private readonly onAnswers: (answers: readonly WriterAnswer[]) => void,
  ) {}

  add(requests: readonly WriterRequest[]): void {
    for (const request of requests) {
      if (request.kind === 'write') {
        const waiting = this.waiting.get(request.to);
        if (waiting) waiting.push(request);
        else this.waiting.set(request.to, [request]);
        continue;
      }
      this.commit(request.to);
      this.onAnswers(this.answer([request], () => this.control(request)));
    }
  }

  /** Writes everything that waits. */
  flush(): void {
    for (const to of this.waiting.keys()) this.commit(to);
  }

  private control(request: Exclude<WriterRequest, Write>): readonly unknown[] {
    if (request.kind === 'truncate') return [truncateUnusedLog(this.database(request.to).database)];
    if (request.kind === 'open') {
      this.requested.set(request.to, request);
      this.database(request.to);
    } else if (request.kind === 'checkpoint') this.database(request.to).database.pragma('wal_checkpoint(PASSIVE)');
    else {
      const opened = this.databases.get(request.to);
      this.requested.delete(request.to);
      this.databases.delete(request.to);
      if (opened) {
        closeDurableDatabase(opened.database);
        opened.onClosed?.();
      }
    }
    return [];
  }

  /** Opens the database unless it is open. What prevented that before may have passed, such as a full disk. */
  private database(to: number): WrittenDatabase {
    const opened = this.databases.get(to);
    if (opened) return opened;
    const { as, file } = this.requested.get(to) ?? {};
    if (!as || !file) throw new Error('The database is closed.');
    const now = openWritten(as, file);
    this.databases.set(to, now);
    return now;
  }

  private commit(to: number): void {
    const writes = this.waiting.get(to) ?? [];
    this.waiting.delete(to);
    for (let start = 0; start < writes.length; start += BATCH_WRITES_MAX) {
      const batch = writes.slice(start, start + BATCH_WRITES_MAX);
      this.onAnswers(this.answer(batch, () => inTransaction(this.database(to), batch)));
    }
  }

  private answer(requests: readonly WriterRequest[], work: () => readonly unknown[]): readonly WriterAnswer[] {
    try {
      const results = work();
      return requests.map(({ id }, index) => ({ id, result: results[index] }));
    } catch (error) {
      const explained = explain(this.requested.get(requests[0]?.to ?? NaN)?.file.file ?? '', error);
      if (!(explained instanceof DatabaseUnusable)) return requests.map(({ id }) => ({ id, error: explained }));
      const { file, explanation, code } = explained;
      return requests.map(({ id }) => ({ id, file, explanation, code }));
    }
  }
}

function inTransaction(
  { database, statements, onCommitted }: WrittenDatabase,
  batch: readonly Write[],
): readonly unknown[] {
  // IMMEDIATE: the write lock is acquired before anything is read.
  database.exec('BEGIN IMMEDIATE');
  let results: readonly unknown[];
  try {
    results = batch.map(({ name, args }) => statements[name]?.(...(args as never[])));
    database.exec('COMMIT');
  } catch (error) {
    // SQLite has already rolled back after some errors, such as a full disk.
    if (database.inTransaction) database.exec('ROLLBACK');
    throw error;
  }
  onCommitted?.(results as readonly never[]);
  return results;
}
