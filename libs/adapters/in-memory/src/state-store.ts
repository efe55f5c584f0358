import {
  byText,
  compareFields,
  type FieldValue,
  type SavedState,
  type StateConditions,
  type StateConsumer,
  type StateRow,
  type StateStore,
  type StateTable,
} from '@muster/ports';

type Rows = Map<string, StateRow>;

/** Saved state in memory. A consumer that is opened again starts without rows. */
export const inMemoryStateStore = (): StateStore => ({
  open: async (consumer) => savedState(consumer, new Map()),
  close: async () => undefined,
});

function savedState(consumer: StateConsumer, tables: Map<string, Rows>): SavedState {
  const declared = new Map(consumer.tables.map((table) => [table.name, table]));
  const rowsOf = (table: string): Rows => {
    const rows = tables.get(table) ?? new Map<string, StateRow>();
    tables.set(table, rows);
    return rows;
  };
  const matching = (table: string, { where }: StateConditions): readonly StateRow[] => {
    const conditions = Object.entries(where).map(([field, wanted]) => {
      const values: readonly FieldValue[] = typeof wanted === 'object' ? wanted : [wanted];
      return (row: StateRow): boolean => {
        const value = row.fields[indexOf(declared.get(table), field)];
        return value !== undefined && values.includes(value);
      };
    });
    return [...rowsOf(table).values()].filter((row) => conditions.every((holds) => holds(row)));
  };
  return {
    createdTables: new Set(declared.keys()),
    get: (table, key) => rowsOf(table).get(key)?.value,
    find: (table, { orderBy, after, offset = 0, limit = Infinity, ...conditions }) => {
      const sign = orderBy?.descending ? -1 : 1;
      const field = orderBy?.field;
      const orderOf = ({ fields }: StateRow): FieldValue | undefined =>
        field === undefined ? undefined : fields[indexOf(declared.get(table), field)];
      return matching(table, conditions)
        .filter(({ key }) => after === undefined || byText(key, after) > 0)
        .map((row) => ({ key: row.key, order: orderOf(row) }))
        .sort((left, right) =>
          field === undefined
            ? sign * byText(left.key, right.key)
            : sign * compareFields(left.order, right.order) || byText(left.key, right.key),
        )
        .slice(offset, offset + limit);
    },
    count: (table, conditions) => matching(table, conditions).length,
    lastKey: (table) => [...rowsOf(table).keys()].sort(byText).at(-1),
    keysAfter: (table, after, limit) =>
      [...rowsOf(table).keys()]
        .filter((key) => after === undefined || byText(key, after) > 0)
        .sort(byText)
        .slice(0, limit),
    save: async (changes, onSaved) => {
      const all = [...changes];
      for (const { table, key, row } of all) {
        if (row) rowsOf(table).set(key, row);
        else rowsOf(table).delete(key);
      }
      onSaved();
    },
    clear: async (names) => {
      // A save that runs ends in this turn.
      await Promise.resolve();
      for (const name of names) rowsOf(name).clear();
    },
  };
}

function indexOf(table: StateTable | undefined, field: string): number {
  const index = table?.fields.indexOf(field) ?? -1;
  if (index < 0) throw new Error(`${field} is not a field of the table ${table?.name}.`);
  return index;
}
