import type { DecisionTable, Guard, GuardValues, Row, RowContext, TableTypes, Variables } from './decision-table';

/** The members of a row that the proofs read. */
export type GuardedRow = Pick<Row<TableTypes>, 'id' | 'from' | 'on' | 'when'>;
type AnyGuard = Guard<Variables>;
type AnyValues = Partial<GuardValues<Variables>>;

export interface Overlap {
  readonly status: string;
  readonly first: string;
  readonly second: string;
}

export interface Gap {
  readonly status: string;
  readonly on: string;
  /** Guard values that no row covers. Empty when no row exists for the status and the command. */
  readonly values: AnyValues;
}

/**
 * Returns the pairs of rows that could both apply. Two guards are disjoint when some variable has no value in common.
 */
export function findOverlaps(rows: readonly GuardedRow[]): readonly Overlap[] {
  const overlaps: Overlap[] = [];
  rows.forEach((first, index) => {
    for (const second of rows.slice(index + 1)) {
      const status = first.on === second.on && first.from.find((from) => second.from.includes(from));
      if (status && !areDisjoint(first.when ?? {}, second.when ?? {}))
        overlaps.push({ status, first: first.id, second: second.id });
    }
  });
  return overlaps;
}

function areDisjoint(first: AnyGuard, second: AnyGuard): boolean {
  return Object.entries(first).some(([name, values]) => {
    const others = second[name];
    return others !== undefined && values !== undefined && !values.some((value) => others.includes(value));
  });
}

/** Returns the pairs of status and command, with their guard values, that no row covers. */
export function findGaps(
  rows: readonly GuardedRow[],
  variables: Variables,
  statuses: readonly string[],
  commands: readonly string[],
): readonly Gap[] {
  return commands.flatMap((on) => {
    const ofCommand = rows.filter((row) => row.on === on);
    return statuses.flatMap((status): readonly Gap[] => {
      const own = ofCommand.filter(({ from }) => from.includes(status));
      if (own.length === 0) return [{ status, on, values: {} }];
      const names = [...new Set(own.flatMap((row) => Object.keys(row.when ?? {})))];
      return guardValueSets(names, variables)
        .filter((values) => !own.some((row) => admits(row.when ?? {}, values)))
        .map((values) => ({ status, on, values }));
    });
  });
}

function admits(guard: AnyGuard, values: AnyValues): boolean {
  return Object.entries(guard).every(([name, allowed]) => {
    const value = values[name];
    return allowed === undefined || (value !== undefined && allowed.includes(value));
  });
}

function guardValueSets(names: readonly string[], variables: Variables): readonly AnyValues[] {
  return names.reduce<readonly AnyValues[]>(
    (sets, name) => sets.flatMap((set) => (variables[name] ?? []).map((value) => ({ ...set, [name]: value }))),
    [{}],
  );
}

/**
 * Returns the variables that rows on the command name and the table does not compute (`missing`), and the computed
 * variables that no row names (`unused`).
 */
export function findInputMismatches<T extends TableTypes>(
  table: DecisionTable<T>,
  context: RowContext<T>,
): { readonly missing: readonly string[]; readonly unused: readonly string[] } {
  const rows = table.rows.filter(({ on }) => on === context.command.type);
  const asked = new Set(rows.flatMap(({ when }) => Object.keys(when ?? {})));
  const given = new Set(Object.keys(table.evaluate(context)));
  return {
    missing: [...asked].filter((name) => !given.has(name)),
    unused: [...given].filter((name) => !asked.has(name)),
  };
}
