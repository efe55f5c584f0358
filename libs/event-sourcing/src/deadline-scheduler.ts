import type { Clock } from '@muster/ports';
import { type Deadline, DeadlineHeap } from './deadline-heap';

/** setTimeout cannot wait longer than this. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** One timer for all deadlines of a service: nothing runs between two of them, however many aggregates there are. */
export class DeadlineScheduler {
  private readonly heap = new DeadlineHeap();
  private timer: NodeJS.Timeout | undefined;
  private started = false;

  constructor(
    private readonly clock: Clock,
    private readonly onDue: (deadline: Deadline) => void,
  ) {}

  /** Replaces the deadlines of a key; an empty list clears them. */
  set(key: string, deadlines: readonly { readonly name: string; readonly atMs: number }[]): void {
    this.heap.set(key, deadlines);
    this.arm();
  }

  /** Before the start nothing is due: the heap is being rebuilt from the past. */
  start(): void {
    this.started = true;
    this.arm();
  }

  /** Hands out what is due now. Runs by itself; public for tests that own the clock. */
  runDue(): void {
    for (let due = this.heap.popDue(this.clock.nowMs()); due; due = this.heap.popDue(this.clock.nowMs()))
      this.onDue(due);
    this.arm();
  }

  get size(): number {
    return this.heap.size;
  }

  close(): void {
    this.started = false;
    clearTimeout(this.timer);
  }

  private arm(): void {
    clearTimeout(this.timer);
    const next = this.started ? this.heap.nextAtMs() : undefined;
    if (next === undefined) return;
    this.timer = setTimeout(() => this.runDue(), Math.min(Math.max(next - this.clock.nowMs(), 0), MAX_TIMER_MS));
    this.timer.unref();
  }
}
