/** Something that is due at a time unless it is called off. */
export interface Deadline {
  /** Whose deadline it is. */
  readonly key: string;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

interface Entry extends Deadline {
  readonly version: number;
}

/** Binary min-heap by time with lazy removal: setting or clearing the deadlines of a key costs O(log n). */
export class DeadlineHeap {
  private readonly heap: Entry[] = [];
  private readonly versions = new Map<string, number>();
  private nextVersion = 1;

  /** Replaces all deadlines of the key. */
  set(key: string, deadlines: readonly { readonly name: string; readonly atMs: number }[]): void {
    if (deadlines.length === 0) {
      this.versions.delete(key);
      return;
    }
    const version = this.nextVersion++;
    this.versions.set(key, version);
    for (const { name, atMs } of deadlines) this.push({ key, name, atMs, version });
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
    return { key: first.key, name: first.name, atMs: first.atMs };
  }

  /** Keys that have deadlines. */
  get size(): number {
    return this.versions.size;
  }

  private dropStale(): void {
    for (let first = this.heap[0]; first && this.versions.get(first.key) !== first.version; first = this.heap[0])
      this.pop();
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
