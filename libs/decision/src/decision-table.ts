import type { Refusal } from './decision';

/** Named guard variables, each with its finite set of values. */
export type Variables = { readonly [name: string]: readonly (string | boolean)[] };
/** One value per variable. */
export type GuardValues<V extends Variables> = { readonly [Name in keyof V]: V[Name][number] };
/** A conjunction: each named variable must have one of the listed values. A variable that is not named does not matter. */
export type Guard<V extends Variables> = { readonly [Name in keyof V]?: readonly V[Name][number][] };

/** The types of the decision table of one aggregate. */
export interface TableTypes {
  readonly Status: string;
  readonly State: unknown;
  readonly Command: { readonly type: string };
  readonly Event: unknown;
  readonly Variables: Variables;
  /** The settings of a deployment that decisions depend on. */
  readonly Settings: unknown;
  /** Why the aggregate has its status: a code with parameters, which is rendered when it is read. */
  readonly Reason: unknown;
  readonly Code: string;
}

export type CommandType<T extends TableTypes> = T['Command']['type'];

/** The command of a table with this type. */
export type CommandOf<T extends TableTypes, Type extends CommandType<T>> = Extract<
  T['Command'],
  { readonly type: Type }
>;

/** The arguments of a decision, narrowed to one command. */
export interface RowContext<T extends TableTypes, Command extends T['Command'] = T['Command']> {
  readonly state: T['State'];
  readonly command: Command;
  readonly settings: T['Settings'];
}

/**
 * One row of a decision table: in the statuses `from`, the command `on` under the guard `when` leads to the status
 * `to`. Rows are disjoint and carry no order (`findOverlaps` proves it).
 */
export interface Row<T extends TableTypes, Command extends T['Command'] = T['Command']> {
  /** Kebab-case, unique in its table; stored with the status change that the row causes. */
  readonly id: string;
  readonly from: readonly T['Status'][];
  readonly on: Command['type'];
  readonly when?: Guard<T['Variables']>;
  /** `stay`: the status does not change. */
  readonly to: T['Status'] | 'stay';
  /** Returns the events of the row, in order. They are stored before the change of status. */
  emit?(context: RowContext<T, Command>): readonly T['Event'][];
  /** Returns the reason for the status after the row. @default the reason does not change */
  status?(context: RowContext<T, Command>): T['Reason'];
  /** The row refuses the command: nothing is stored. */
  readonly refuse?: RowRefusal<T, Command>;
  readonly why: string;
}

/**
 * A row for any command. The type of `on` narrows the context, so that the compiler checks which members of the command
 * a row reads.
 */
export type RowOf<T extends TableTypes> = { [Type in CommandType<T>]: Row<T, CommandOf<T, Type>> }[CommandType<T>];

/** Returns an `emit` function that returns the events of each part, in order. */
export const inOrder =
  <Context, Event>(...parts: readonly ((context: Context) => readonly Event[])[]) =>
  (context: Context): readonly Event[] =>
    parts.flatMap((part) => part(context));

export interface RowRefusal<T extends TableTypes, Command extends T['Command'] = T['Command']> {
  readonly code: T['Code'];
  /** Returns one sentence for the user: what is wrong, the value, and what to do. */
  reason(context: RowContext<T, Command>): string;
  /** The field or the status that the reason is about. */
  readonly subject: string;
  /** Returns the accepted values. @default the statuses in which some row accepts the command, unless the present one is among them */
  allowed?(context: RowContext<T, Command>): readonly string[];
}

export interface RefusalRow<T extends TableTypes, Command extends T['Command'] = T['Command']> {
  readonly id: string;
  readonly on: Command['type'];
  readonly from: readonly T['Status'][];
  readonly when?: Guard<T['Variables']>;
  readonly code: T['Code'];
  readonly reason: string | ((context: RowContext<T, Command>) => string);
  /** @default 'status' */
  readonly subject?: string;
  /** @default the statuses in which some row accepts the command, unless the present one is among them */
  readonly allowed?: readonly string[] | ((context: RowContext<T, Command>) => readonly string[]);
  /** @default the reason, if it is a constant */
  readonly why?: string;
}

/**
 * Returns the factory of the refusal rows of one table.
 * @param complete adds the text that every refusal of the aggregate shares to each reason.
 * @default the reason alone
 */
export function refusalsOf<T extends TableTypes>(complete?: (reason: string, state: T['State']) => string) {
  return <Command extends T['Command']>(spec: RefusalRow<T, Command>): Row<T, Command> => {
    const { id, on, from, when, code, reason, allowed } = spec;
    return {
      id,
      on,
      from,
      when,
      to: 'stay',
      why: spec.why ?? (typeof reason === 'string' ? reason : ''),
      refuse: {
        code,
        subject: spec.subject ?? 'status',
        reason: (context) => {
          const text = typeof reason === 'string' ? reason : reason(context);
          return complete ? complete(text, context.state) : text;
        },
        allowed: typeof allowed === 'object' ? () => allowed : allowed,
      },
    };
  };
}

/** Returns the refusal of a row; `accepting` are the statuses that are shown when the row lists no values. */
export function toRefusal<T extends TableTypes>(
  refuse: RowRefusal<T>,
  context: RowContext<T>,
  accepting: readonly string[],
): Refusal<T['Code']> {
  const allowed = refuse.allowed ? refuse.allowed(context) : accepting;
  return {
    code: refuse.code,
    reason: refuse.reason(context),
    subject: refuse.subject,
    ...(allowed.length > 0 ? { allowed } : {}),
  };
}

/**
 * Declared as a method, so that a function for one command type is assignable where a function for all command types is
 * expected.
 */
interface GuardInput<T extends TableTypes, Command extends T['Command']> {
  evaluate(context: RowContext<T, Command>): Partial<GuardValues<T['Variables']>>;
}

/**
 * Per command type, the functions that compute exactly the guard variables that rows on it name (`findInputMismatches`
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
  /** Returns the values of the guard variables that rows on the command name. */
  evaluate(context: RowContext<T>): Partial<GuardValues<T['Variables']>>;
  /** Returns the row that applies. At most one row can apply, because rows are disjoint. */
  select(status: T['Status'], on: CommandType<T>, values: Partial<GuardValues<T['Variables']>>): R | undefined;
  rowFor(context: RowContext<T>): R | undefined;
  /** Returns the statuses in which some row accepts the command under at least one combination of guard values. */
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
