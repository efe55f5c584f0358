import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FoundRow, SavedState, StateChange, StateConditions, StateQuery } from '@muster/ports';
import { BloomFilter } from './bloom-filter';

/** Number of keys that are read in one turn of the event loop. */
const KEYS_PER_TURN = 2_000;

/** The keys of a table. */
interface TableKeys {
  readonly filter: BloomFilter;
  /** The filter contains every saved key. Before that, it does not answer. */
  isComplete: boolean;
}

/**
 * Saved state that answers most reads of absent keys from memory: a new host or cluster is looked up by every view, and one read of the
 * file takes about 30 µs. The first read of an absent key starts a filter of all keys of its table.
 */
export class FilteredState implements SavedState {
  private readonly tables = new Map<string, TableKeys>();
  private saves = 0;
  private isClosed = false;

  constructor(private readonly inner: SavedState) {}

  get createdTables(): ReadonlySet<string> {
    return this.inner.createdTables;
  }

  get(table: string, key: string): Uint8Array | undefined {
    const keys = this.tables.get(table);
    if (keys?.isComplete && !keys.filter.has(key)) return undefined;
    const value = this.readSaved(table, key);
    if (!value) this.startFilter(table);
    return value;
  }

  find(table: string, query: StateQuery): readonly FoundRow[] {
    return this.inner.find(table, query);
  }

  count(table: string, conditions: StateConditions): number {
    return this.inner.count(table, conditions);
  }

  lastKey(table: string): string | undefined {
    return this.inner.lastKey(table);
  }

  keysAfter(...query: Parameters<SavedState['keysAfter']>): readonly string[] {
    return this.inner.keysAfter(...query);
  }

  async save(changes: Iterable<StateChange>, onSaved: () => void): Promise<void> {
    this.saves += 1;
    try {
      await this.inner.save(this.noted(changes), onSaved);
    } finally {
      this.saves -= 1;
    }
  }

  clear(tables: readonly string[]): Promise<void> {
    return this.inner.clear(tables);
  }

  /** Stops reading keys. */
  close(): void {
    this.isClosed = true;
  }

  private readSaved(table: string, key: string): Uint8Array | undefined {
    return this.inner.get(table, key);
  }

  /** Keys are in the filter before they are in the file. A filter may contain keys whose save failed. */
  private *noted(changes: Iterable<StateChange>): Generator<StateChange> {
    for (const change of changes) {
      if (change.row) this.tables.get(change.table)?.filter.add(change.key);
      yield change;
    }
  }

  /** Not during a save: the rows that it has sent are neither in the file nor in the filter. */
  private startFilter(table: string): void {
    if (this.saves > 0 || this.isClosed || this.tables.has(table)) return;
    const keys: TableKeys = { filter: new BloomFilter(), isComplete: false };
    this.tables.set(table, keys);
    // A row that cannot be read is reported when a caller reads it. The filter then does not answer.
    this.fill(table, keys).catch(() => undefined);
  }

  private async fill(table: string, keys: TableKeys): Promise<void> {
    for (let after: string | undefined; !this.isClosed; await nextTurn()) {
      const saved = this.inner.keysAfter(table, after, KEYS_PER_TURN);
      for (const key of saved) keys.filter.add(key);
      after = saved.at(-1);
      keys.isComplete = saved.length < KEYS_PER_TURN;
      if (keys.isComplete) return;
    }
  }
}
