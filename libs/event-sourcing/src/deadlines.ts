import type { Clock } from '@muster/ports';

/** A deadline that can be cleared. */
export interface Deadline {
  /** The key of the aggregate to which the deadline belongs. */
  readonly key: string;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

/** The deadlines that one call set, and the number of them that are not due yet. */
interface Batch {
  left: number;
}

interface Entry extends Deadline {
  readonly batch: Batch;
}

/** Cleared entries are removed when they exceed this number and half of the heap. */
const MIN_SWEPT_ENTRIES = 1_024;

/**
 * Binary min-heap by time. Cleared entries are removed later, so that setting or clearing the deadlines of a key costs
 * O(log n).
 */
export class DeadlineHeap {
  private heap: Entry[] = [];
  private readonly batches = new Map<string, Batch>();
  private live = 0;

  /** Replaces all deadlines of the key. */
  set(key: string, deadlines: readonly { readonly name: string; readonly atMs: number }[]): void {
    this.live -= this.batches.get(key)?.left ?? 0;
    this.batches.delete(key);
    if (deadlines.length > 0) {
      const batch = { left: deadlines.length };
      this.batches.set(key, batch);
      this.live += batch.left;
      for (const { name, atMs } of deadlines) this.push({ key, name, atMs, batch });
    }
    this.sweep();
  }

  /** Time of the earliest deadline, or undefined. */
  nextAtMs(): number | undefined {
    this.dropStale();
    return this.heap[0]?.atMs;
  }

  /** Removes and returns the earliest deadline that is due. */
  popDue(nowMs: number): Deadline | undefined {
    this.dropStale();
    const first = this.heap[0];
    if (!first || first.atMs > nowMs) return undefined;
    this.pop();
    this.live -= 1;
    first.batch.left -= 1;
    if (first.batch.left === 0) this.batches.delete(first.key);
    return { key: first.key, name: first.name, atMs: first.atMs };
  }

  /** Keys that have pending deadlines. */
  get size(): number {
    return this.batches.size;
  }

  /** Entries in the heap, including cleared ones. */
  get heldEntries(): number {
    return this.heap.length;
  }

  private dropStale(): void {
    for (let first = this.heap[0]; first && !this.isLive(first); first = this.heap[0]) this.pop();
  }

  private isLive(entry: Entry): boolean {
    return this.batches.get(entry.key) === entry.batch;
  }

  /** Removes cleared entries. A key whose distant deadlines are replaced repeatedly would fill the heap with them. */
  private sweep(): void {
    if (this.heap.length - this.live < Math.max(MIN_SWEPT_ENTRIES, this.live)) return;
    const kept = this.heap.filter((entry) => this.isLive(entry));
    this.heap = [];
    for (const entry of kept) this.push(entry);
  }

  private push(entry: Entry): void {
    const heap = this.heap;
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (!above || above.atMs <= entry.atMs) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = entry;
  }

  private pop(): void {
    const heap = this.heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const right = left + 1;
      const leftEntry = heap[left];
      if (!leftEntry) break;
      const rightEntry = heap[right];
      const [child, entry] = rightEntry && rightEntry.atMs < leftEntry.atMs ? [right, rightEntry] : [left, leftEntry];
      if (entry.atMs >= last.atMs) break;
      heap[index] = entry;
      index = child;
    }
    heap[index] = last;
  }
}

/** A timer does not notice that the clock is set, so the clock is read at least after this time. */
const CLOCK_CHECK_MS = 60_000;
/**
 * Maximum number of deadlines that are processed in one turn of the event loop. When none of 10,000 hosts returns after a start, all of
 * them count as silent at the same time.
 */
export const DEADLINES_PER_TURN_MAX = 16;

/** One timer for all deadlines of a service. Between two deadlines, only the clock is read. */
export class DeadlineScheduler {
  private readonly heap = new DeadlineHeap();
  private timer: NodeJS.Timeout | undefined;
  /** The turn in which further deadlines that are due are processed. */
  private rest: NodeJS.Immediate | undefined;
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

  /** Before the start no deadline fires, because the heap is being rebuilt from stored events. */
  start(): void {
    this.started = true;
    this.arm();
  }

  get size(): number {
    return this.heap.size;
  }

  close(): void {
    this.started = false;
    clearTimeout(this.timer);
    clearImmediate(this.rest);
    this.rest = undefined;
  }

  /** Processes the deadlines that are due: many in several turns of the event loop, with requests in between. */
  private runDue(): void {
    this.rest = undefined;
    for (let count = 0; count < DEADLINES_PER_TURN_MAX; count += 1) {
      const due = this.heap.popDue(this.clock.nowMs());
      if (!due) return this.arm();
      this.onDue(due);
    }
    // A timer without a delay can fire in the same turn.
    if (this.started) this.rest = setImmediate(() => this.runDue());
    this.arm();
  }

  private arm(): void {
    clearTimeout(this.timer);
    const next = this.started && !this.rest ? this.heap.nextAtMs() : undefined;
    if (next === undefined) return;
    this.timer = setTimeout(() => this.runDue(), Math.min(Math.max(next - this.clock.nowMs(), 0), CLOCK_CHECK_MS));
    this.timer.unref();
  }
}
