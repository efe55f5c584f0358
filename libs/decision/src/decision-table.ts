/** Named guard variables, each with its finite set of values. */
export type Variables = { readonly [name: string]: readonly (string | boolean)[] };
/** One value per variable: what a guard is asked about. */
export type GuardValues<V extends Variables> = { readonly [Name in keyof V]: V[Name][number] };
/** Conjunction: every variable named must have one of the listed values; a variable not named does not matter. */
export type Guard<V extends Variables> = { readonly [Name in keyof V]?: readonly V[Name][number][] };

/** One row: from, on, guard, to, why. Rows are disjoint and carry no order. */
export interface Row<Status extends string, On extends string, V extends Variables> {
  /** Kebab-case, unique in its table; stored with the status change it caused. */
  readonly id: string;
  readonly from: readonly Status[];
  readonly on: On;
  readonly when?: Guard<V>;
  /** `stay`: accepted, the status does not change. */
  readonly to: Status | 'stay';
  readonly why: string;
}

const admits = <V extends Variables>(guard: Guard<V> | undefined, values: GuardValues<V>): boolean =>
  !guard || Object.entries(guard).every(([name, allowed]) => allowed?.includes(values[name] as never) ?? true);

/** The row that applies, or undefined. At most one can: the table's test proves that rows are disjoint. */
export function selectRow<Status extends string, On extends string, V extends Variables, R extends Row<Status, On, V>>(
  rows: readonly R[],
  status: Status,
  on: On,
  values: GuardValues<V>,
): R | undefined {
  return rows.find((row) => row.on === on && row.from.includes(status) && admits(row.when, values));
}

/** Pairs of rows that could both apply. Two guards are disjoint when some variable leaves them no common value. */
export function findOverlaps<Status extends string, On extends string, V extends Variables>(
  rows: readonly Row<Status, On, V>[],
): readonly { readonly status: Status; readonly first: string; readonly second: string }[] {
  const overlaps: { status: Status; first: string; second: string }[] = [];
  rows.forEach((first, index) => {
    for (const second of rows.slice(index + 1)) {
      const status = first.on === second.on && first.from.find((from) => second.from.includes(from));
      if (status && !disjoint(first.when ?? {}, second.when ?? {}))
        overlaps.push({ status, first: first.id, second: second.id });
    }
  });
  return overlaps;
}

function disjoint<V extends Variables>(first: Guard<V>, second: Guard<V>): boolean {
  return Object.entries(first).some(([name, values]) => {
    const others = second[name];
    return (
      others !== undefined &&
      values !== undefined &&
      !values.some((value: string | boolean) => others.includes(value as never))
    );
  });
}

/**
 * GuardValueSets of the variables used by the rows of one status and command that no row admits. Where there is no row at
 * all the answer is empty: the pair is then a refusal and must be listed as one.
 */
export function findGaps<Status extends string, On extends string, V extends Variables>(
  rows: readonly Row<Status, On, V>[],
  variables: V,
  status: Status,
  on: On,
): readonly Partial<GuardValues<V>>[] {
  const own = rows.filter((row) => row.on === on && row.from.includes(status));
  if (own.length === 0) return [];
  const names = [...new Set(own.flatMap((row) => Object.keys(row.when ?? {})))];
  return guardValueSets(names, variables).filter(
    (values) => !own.some((row) => admits(row.when, values as GuardValues<V>)),
  );
}

function guardValueSets<V extends Variables>(
  names: readonly string[],
  variables: V,
): readonly Partial<GuardValues<V>>[] {
  return names.reduce<readonly Partial<GuardValues<V>>[]>(
    (partial, name) =>
      partial.flatMap((values) => (variables[name] ?? []).map((value) => ({ ...values, [name]: value }))),
    [{}],
  );
}
