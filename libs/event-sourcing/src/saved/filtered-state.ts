import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FoundRow, SavedState, StateChange, StateConditions, StateQuery, StateTable } from '@muster/ports';
import { BloomFilter } from './bloom-filter';

/** Number of texts that are read in one turn of the event loop. */
const TEXTS_PER_TURN = 2_000;

/** The keys of a table, or the texts of one of its fields. */
interface Column {
  readonly table: string;
  /** Undefined for the keys. */
  readonly field: string | undefined;
  readonly filter: BloomFilter;
  /** The filter contains every saved text. Before that, it does not answer. */
  isComplete: boolean;
}

/**
 * Saved state that answers most reads of absent rows from memory: a new host or cluster is looked up by every view, and one read of the
 * file takes about 30 µs. The first read of an absent key starts a filter of all keys of its table, and the first search without a result one of the field.
 */
export class FilteredState implements SavedState {
  private readonly columns = new Map<string, Map<string | undefined, Column>>();
  private readonly fields: ReadonlyMap<string, readonly string[]>;
  private saves = 0;
  private isClosed = false;

  constructor(
    private readonly inner: SavedState,
    tables: readonly StateTable[],
  ) {
    this.fields = new Map(tables.map(({ name, fields }) => [name, fields]));
  }

  get createdTables(): ReadonlySet<string> {
    return this.inner.createdTables;
  }

  get(table: string, key: string): Uint8Array | undefined {
    if (this.isAbsent(table, undefined, key)) return undefined;
    const value = this.readSaved(table, key);
    if (!value) this.filter(table, undefined);
    return value;
  }

  find(table: string, query: StateQuery): readonly FoundRow[] {
    const field = fieldOf(query);
    if (field === undefined) return this.findSaved(table, query);
    const wanted = query.where[field];
    if (typeof wanted !== 'string') return this.findSaved(table, query);
    if (this.isAbsent(table, field, wanted)) return [];
    const found = this.findSaved(table, query);
    if (found.length === 0) this.filter(table, field);
    return found;
  }

  count(table: string, conditions: StateConditions): number {
    return this.inner.count(table, conditions);
  }

  lastKey(table: string): string | undefined {
    return this.inner.lastKey(table);
  }

  textsAfter(...query: Parameters<SavedState['textsAfter']>): readonly string[] {
    return this.inner.textsAfter(...query);
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

  /** Stops reading texts. */
  close(): void {
    this.isClosed = true;
  }

  private readSaved(table: string, key: string): Uint8Array | undefined {
    return this.inner.get(table, key);
  }

  private findSaved(table: string, query: StateQuery): readonly FoundRow[] {
    return this.inner.find(table, query);
  }

  private isAbsent(table: string, field: string | undefined, text: string): boolean {
    const column = this.columns.get(table)?.get(field);
    return column?.isComplete === true && !column.filter.has(text);
  }

  /** Rows are in the filters before they are in the file. A filter may contain rows whose save failed. */
  private *noted(changes: Iterable<StateChange>): Generator<StateChange> {
    for (const change of changes) {
      const { table, key, row } = change;
      for (const { field, filter } of this.columns.get(table)?.values() ?? []) {
        const text = field === undefined ? key : row?.fields[this.fields.get(table)?.indexOf(field) ?? NaN];
        if (row && typeof text === 'string') filter.add(text);
      }
      yield change;
    }
  }

  /** Starts a filter. Not during a save: the rows that it has sent are neither in the file nor in the filter. */
  private filter(table: string, field: string | undefined): void {
    if (this.saves > 0 || this.isClosed || this.columns.get(table)?.has(field)) return;
    const column: Column = { table, field, filter: new BloomFilter(), isComplete: false };
    const others = this.columns.get(table);
    if (others) others.set(field, column);
    else this.columns.set(table, new Map([[field, column]]));
    // A row that cannot be read is reported when a caller reads it. The filter then does not answer.
    this.fill(column).catch(() => undefined);
  }

  private async fill(column: Column): Promise<void> {
    const { table, field, filter } = column;
    for (let after: string | undefined; !this.isClosed; await nextTurn()) {
      const texts = this.inner.textsAfter(table, field, after, TEXTS_PER_TURN);
      for (const text of texts) filter.add(text);
      after = texts.at(-1);
      column.isComplete = texts.length < TEXTS_PER_TURN;
      if (column.isComplete) return;
    }
  }
}

/** Returns the field of a query for all rows whose field has one value. */
function fieldOf({ where, orderBy, limit }: StateQuery): string | undefined {
  const [field, ...others] = Object.keys(where);
  return orderBy === undefined && limit === undefined && others.length === 0 ? field : undefined;
}
