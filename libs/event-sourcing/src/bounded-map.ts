interface Entry<Value> {
  readonly value: Value;
  readonly size: number;
}

/**
 * A map that keeps the most recently used entries. When the sizes of its entries exceed the limit, it removes the least
 * recently used ones.
 */
export class BoundedMap<Key, Value> {
  private readonly entries = new Map<Key, Entry<Value>>();
  private total = 0;

  /** @param limit the largest sum of sizes: of entries when `set` is called without a size, otherwise for example of bytes */
  constructor(private readonly limit: number) {}

  /** The number of entries. */
  get size(): number {
    return this.entries.size;
  }

  has(key: Key): boolean {
    return this.entries.has(key);
  }

  /** Returns the value of the key. The entry counts as used. */
  get(key: Key): Value | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  /** The value of the key. The entry does not count as used. */
  peek(key: Key): Value | undefined {
    return this.entries.get(key)?.value;
  }

  /** Replaces the value of the key. A value whose size exceeds the limit is not kept, and removes no other. */
  set(key: Key, value: Value, size = 1): void {
    this.delete(key);
    if (size > this.limit) return;
    this.entries.set(key, { value, size });
    this.total += size;
    for (const leastRecent of this.entries.keys()) {
      if (this.total <= this.limit) return;
      this.delete(leastRecent);
    }
  }

  delete(key: Key): boolean {
    this.total -= this.entries.get(key)?.size ?? 0;
    return this.entries.delete(key);
  }
}
