import type Database from 'libsql';
import { explain } from './database';

/** Maximum number of writes per transaction, so that a commit does not block the process for long. */
const BATCH_WRITES_MAX = 256;
/** Maximum number of waiting writes. Above it, writes are refused. */
const WAITING_WRITES_MAX = 50_000;

interface WaitingWrite {
  readonly write: () => void;
  readonly settle: (error?: Error) => void;
}

/**
 * Group commit: writes of the same turn of the event loop share one transaction, and thus one fsync. A write that throws
 * fails the whole transaction.
 */
export class GroupCommit {
  private waiting: WaitingWrite[] = [];
  private isScheduled = false;

  constructor(
    private readonly database: Database.Database,
    private readonly file: string,
    /** Called after each transaction. */
    private readonly onEnded: (isCommitted: boolean) => void = () => undefined,
  ) {}

  /**
   * Runs the statements in the next transaction and resolves with their result when it is durable.
   * @throws EventStoreUnusable when the transaction failed
   */
  run<Result>(statements: () => Result): Promise<Result> {
    if (this.waiting.length >= WAITING_WRITES_MAX) {
      return Promise.reject(new Error(`More than ${WAITING_WRITES_MAX} writes wait for the disk; retry later.`));
    }
    return new Promise((resolve, reject) => {
      let result: Result;
      this.waiting.push({
        write: () => {
          result = statements();
        },
        settle: (error) => (error ? reject(error) : resolve(result)),
      });
      this.schedule();
    });
  }

  /** Writes everything that waits now. */
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
    const batch = this.waiting.slice(0, BATCH_WRITES_MAX);
    this.waiting = this.waiting.slice(BATCH_WRITES_MAX);
    try {
      this.inTransaction(() => batch.forEach(({ write }) => write()));
    } catch (error) {
      this.onEnded(false);
      const explained = explain(this.file, error);
      for (const { settle } of batch) settle(explained);
      return;
    }
    for (const { settle } of batch) settle();
    this.onEnded(true);
  }

  private inTransaction(work: () => void): void {
    // IMMEDIATE: the write lock is acquired before anything is read.
    this.database.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.database.exec('COMMIT');
    } catch (error) {
      // SQLite has already rolled back after some errors, such as a full disk.
      if (this.database.inTransaction) this.database.exec('ROLLBACK');
      throw error;
    }
  }
}
