/**
 * A map that keeps the most recently used entries. When the sizes of its entries exceed the limit, it removes the least
 * recently used ones.
 */
export class BoundedMap<Key, Value extends NonNullable<unknown>> {
  /** The least recently used first. No object per entry: a fleet has dozens of entries per host. */
  private readonly values = new Map<Key, Value>();
  /** Sizes other than 1. */
  private readonly sizes = new Map<Key, number>();
  private total = 0;

  /** @param limit the largest sum of sizes: of entries when `set` is called without a size, otherwise for example of bytes */
  constructor(private readonly limit: number) {}

  /** The number of entries. */
  get size(): number {
    return this.values.size;
  }

  has(key: Key): boolean {
    return this.values.has(key);
  }

  /** Returns the value of the key. The entry counts as used. */
  get(key: Key): Value | undefined {
    const value = this.values.get(key);
    if (value === undefined) return undefined;
    this.values.delete(key);
    this.values.set(key, value);
    return value;
  }

  /** The value of the key. The entry does not count as used. */
  peek(key: Key): Value | undefined {
    return this.values.get(key);
  }

  /** Replaces the value of the key. A value whose size exceeds the limit is not kept, and removes no other. */
  set(key: Key, value: Value, size = 1): void {
    this.delete(key);
    if (size > this.limit) return;
    this.values.set(key, value);
    if (size !== 1) this.sizes.set(key, size);
    this.total += size;
    // The first key is expensive to find after many replacements, because their places stay until the map grows.
    if (this.total <= this.limit) return;
    for (const leastRecent of this.values.keys()) {
      this.delete(leastRecent);
      if (this.total <= this.limit) return;
    }
  }

  delete(key: Key): boolean {
    if (!this.values.delete(key)) return false;
    this.total -= this.sizes.get(key) ?? 1;
    this.sizes.delete(key);
    return true;
  }
}
