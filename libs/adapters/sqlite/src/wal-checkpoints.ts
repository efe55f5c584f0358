import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { moveLog } from './wal-checkpoint';

const ENTRY = join(__dirname, 'wal-checkpoint.entry.js');
/** The log is moved into the database file when it is larger than this. */
const LOG_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Moves the write-ahead log of a database into its file, in a thread of its own because that waits for the disk. Where no
 * compiled entry exists (sources under a test transformer) it runs in this thread.
 */
export class WalCheckpoints {
  private worker: Worker | undefined;
  private isMoving = false;

  constructor(private readonly file: string) {}

  /** Checks the size of the log after writes. */
  grown(): void {
    const bytes = statSync(`${this.file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes < LOG_BYTES_MAX || this.isMoving) return;
    if (!existsSync(ENTRY)) return moveLog(this.file);
    this.worker ??= this.start();
    this.isMoving = true;
    this.worker.postMessage('move');
  }

  async close(): Promise<void> {
    await this.worker?.terminate();
  }

  private start(): Worker {
    const worker = new Worker(ENTRY, { workerData: this.file });
    worker.unref();
    worker.on('message', () => (this.isMoving = false));
    // The log grows until the next attempt. No data is lost.
    worker.on('error', () => {
      this.worker = undefined;
      this.isMoving = false;
    });
    return worker;
  }
}
