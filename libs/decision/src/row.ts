import type { Refusal } from './refusal';

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
 * One row of a decision table: in these statuses, this command under this guard leads there, because of this. Rows are
 * disjoint and carry no order (`findOverlaps` proves it).
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

/** A row on any command. `on` narrows the context, so that the compiler checks what a row reads of its command. */
export type RowOf<T extends TableTypes> = { [Type in CommandType<T>]: Row<T, CommandOf<T, Type>> }[CommandType<T>];

/** Returns an `emit` that gives the events of each part, in order. */
export const inOrder =
  <Context, Event>(...parts: readonly ((context: Context) => readonly Event[])[]) =>
  (context: Context): readonly Event[] =>
    parts.flatMap((part) => part(context));

export interface RowRefusal<T extends TableTypes, Command extends T['Command'] = T['Command']> {
  readonly code: T['Code'];
  /** Returns one sentence for the user: what is wrong, the value, and what to do. */
  reason(context: RowContext<T, Command>): string;
  /** The field or the state that the reason is about. */
  readonly subject: string;
  /** Returns the accepted values. @default the statuses in which some row accepts the command */
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
  /** @default the statuses in which some row accepts the command */
  readonly allowed?: readonly string[] | ((context: RowContext<T, Command>) => readonly string[]);
  /** @default the reason, where that is a constant */
  readonly why?: string;
}

/**
 * Returns the factory of the refusal rows of one table.
 *
 * @param complete adds to each reason what every refusal of the aggregate has to say. @default the reason alone
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

/** Returns the refusal of a row; `accepting` are the statuses in which the command is accepted. */
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
