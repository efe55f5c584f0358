import type { Row, GuardValues, Variables } from './decision-table';

interface IndexedRow<R> {
  readonly row: R;
  readonly conditions: readonly (readonly [name: string, allowed: readonly unknown[]])[];
}

/**
 * `selectRow` for the hot path: rows are looked up by command and status, guards are unpacked once. The values may leave
 * out variables that no row on the command asks about.
 */
export function indexRows<Status extends string, On extends string, V extends Variables, R extends Row<Status, On, V>>(
  rows: readonly R[],
): (status: Status, on: On, values: Partial<GuardValues<V>>) => R | undefined {
  const byCommand = new Map<On, Map<Status, IndexedRow<R>[]>>();
  for (const row of rows) {
    const byStatus = byCommand.get(row.on) ?? new Map<Status, IndexedRow<R>[]>();
    byCommand.set(row.on, byStatus);
    const conditions = Object.entries<readonly unknown[] | undefined>(row.when ?? {}).flatMap(([name, allowed]) =>
      allowed ? [[name, allowed] as const] : [],
    );
    for (const status of row.from) byStatus.set(status, [...(byStatus.get(status) ?? []), { row, conditions }]);
  }
  return (status, on, values) => {
    const candidates = byCommand.get(on)?.get(status);
    if (!candidates) return undefined;
    for (const { row, conditions } of candidates) {
      if (conditions.every(([name, allowed]) => allowed.includes(values[name]))) return row;
    }
    return undefined;
  };
}
