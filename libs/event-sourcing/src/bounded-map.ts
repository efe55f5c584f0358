/**
 * A map that keeps the most recently used entries. When it is full, a new entry replaces the least recently used one.
 */
export class BoundedMap<Key, Value> {
  private readonly entries = new Map<Key, Value>();

  /** @param maxEntries the largest number of entries, at least 1 */
  constructor(private readonly maxEntries: number) {}

  get size(): number {
    return this.entries.size;
  }

  /** Returns the value of the key. The entry counts as used. */
  get(key: Key): Value | undefined {
    const value = this.entries.get(key);
    if (value !== undefined) {
      this.entries.delete(key);
      this.entries.set(key, value);
    }
    return value;
  }

  /** The value of the key. The entry does not count as used. */
  peek(key: Key): Value | undefined {
    return this.entries.get(key);
  }

  set(key: Key, value: Value): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size <= this.maxEntries) return;
    const leastRecent = this.entries.keys().next();
    if (!leastRecent.done) this.entries.delete(leastRecent.value);
  }

  delete(key: Key): boolean {
    return this.entries.delete(key);
  }
}
