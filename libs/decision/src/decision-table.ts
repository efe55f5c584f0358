import type { CommandOf, CommandType, GuardValues, Row, RowContext, TableTypes } from './row';

/** A method, so that the evaluation for one command type stands where one for all is expected. */
interface GuardInput<T extends TableTypes, Command extends T['Command']> {
  evaluate(context: RowContext<T, Command>): Partial<GuardValues<T['Variables']>>;
}

/**
 * Per command type, the values of the guard variables that rows on it name, and of no others (`findInputMismatches`
 * proves it). A command type whose rows have no guards is absent.
 */
export type GuardInputs<T extends TableTypes> = {
  readonly [Type in CommandType<T>]?: GuardInput<T, CommandOf<T, Type>>['evaluate'];
};

export interface TableDefinition<T extends TableTypes, R extends Row<T> = Row<T>> {
  readonly statuses: readonly T['Status'][];
  readonly commands: readonly CommandType<T>[];
  readonly variables: T['Variables'];
  readonly inputs: GuardInputs<T>;
  readonly statusOf: (state: T['State']) => T['Status'];
  readonly rows: readonly R[];
}

export interface DecisionTable<T extends TableTypes, R extends Row<T> = Row<T>> extends TableDefinition<T, R> {
  /** Returns the values of the guard variables that rows on the command ask for. */
  evaluate(context: RowContext<T>): Partial<GuardValues<T['Variables']>>;
  /** Returns the row that applies. At most one can, because rows are disjoint. */
  select(status: T['Status'], on: CommandType<T>, values: Partial<GuardValues<T['Variables']>>): R | undefined;
  rowFor(context: RowContext<T>): R | undefined;
  /** Returns the statuses in which some row accepts the command, at least under some guard. */
  accepting(on: CommandType<T>): readonly T['Status'][];
}

interface IndexedRow<R> {
  readonly row: R;
  readonly conditions: readonly (readonly [name: string, allowed: readonly unknown[]])[];
}

/** Returns the table with its rows indexed by command and status. */
export function defineTable<T extends TableTypes, R extends Row<T> = Row<T>>(
  definition: TableDefinition<T, R>,
): DecisionTable<T, R> {
  const { rows, statuses, inputs, statusOf } = definition;
  const byCommand = indexRows<T, R>(rows);
  const acceptingByCommand = new Map<string, readonly T['Status'][]>();

  const evaluate = (context: RowContext<T>): Partial<GuardValues<T['Variables']>> => {
    const type: CommandType<T> = context.command.type;
    const evaluateInput: GuardInput<T, T['Command']>['evaluate'] | undefined = inputs[type];
    return evaluateInput?.(context) ?? {};
  };
  const select: DecisionTable<T, R>['select'] = (status, on, values) =>
    byCommand
      .get(on)
      ?.get(status)
      ?.find(({ conditions }) => conditions.every(([name, allowed]) => allowed.includes(values[name])))?.row;
  return {
    ...definition,
    evaluate,
    select,
    rowFor: (context) => select(statusOf(context.state), context.command.type, evaluate(context)),
    accepting: (on) => {
      const known = acceptingByCommand.get(on);
      if (known) return known;
      const accepted = new Set(rows.filter((row) => row.on === on && !row.refuse).flatMap(({ from }) => from));
      const found = statuses.filter((status) => accepted.has(status));
      acceptingByCommand.set(on, found);
      return found;
    },
  };
}

function indexRows<T extends TableTypes, R extends Row<T>>(
  rows: readonly R[],
): ReadonlyMap<string, ReadonlyMap<string, readonly IndexedRow<R>[]>> {
  const byCommand = new Map<string, Map<string, IndexedRow<R>[]>>();
  for (const row of rows) {
    const byStatus = byCommand.get(row.on) ?? new Map<string, IndexedRow<R>[]>();
    byCommand.set(row.on, byStatus);
    const conditions = Object.entries<readonly unknown[] | undefined>(row.when ?? {}).flatMap(([name, allowed]) =>
      allowed ? [[name, allowed] as const] : [],
    );
    for (const status of row.from) byStatus.set(status, [...(byStatus.get(status) ?? []), { row, conditions }]);
  }
  return byCommand;
}
