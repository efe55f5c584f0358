import { type Decider, type Decision, type Refusal, refused } from './decision';
import { type DecisionTable, type Row, type RowContext, type TableTypes, toRefusal } from './decision-table';

/** The input of the function that creates the event for a status change. */
export interface Transition<T extends TableTypes, R extends Row<T> = Row<T>> extends RowContext<T> {
  readonly row: R;
  readonly from: T['Status'];
  /** The status after the row; equal to `from` when the row stays. */
  readonly to: T['Status'];
  /** The reason that the row gives; undefined when it gives none. */
  readonly reason: T['Reason'] | undefined;
  /** The state after the events of the row. */
  readonly after: T['State'];
}

export interface TableDeciderDefinition<T extends TableTypes, R extends Row<T> = Row<T>> {
  readonly table: DecisionTable<T, R>;
  readonly initialState: () => T['State'];
  readonly evolve: (state: T['State'], event: T['Event']) => T['State'];
  /** Returns the refusal of a command with invalid input, before any row is evaluated. @default input is not checked */
  readonly validate?: (context: RowContext<T>) => Refusal<T['Code']> | undefined;
  /** Returns the events that store the new status or the new reason for it. */
  readonly transition: (transition: Transition<T, R>) => readonly T['Event'][];
  /** Returns the command to decide next, on the state after the row. @default none */
  readonly next?: (context: RowContext<T>, after: T['State']) => T['Command'] | undefined;
}

/** The maximum number of commands in one chain of `next`. A test of each table proves that chains are shorter. */
export const MAX_ROUNDS = 16;

type TableDecision<T extends TableTypes> = Decision<T['Event'], T['Code'] | 'internal'>;

/** Returns the decider of a table. It never throws: a gap in the table is a refusal with code `internal`. */
export function createTableDecider<T extends TableTypes, R extends Row<T> = Row<T>>(
  definition: TableDeciderDefinition<T, R>,
  settings: T['Settings'],
): Decider<T['State'], T['Command'], T['Event'], T['Code'] | 'internal'> {
  const { table, initialState, evolve } = definition;
  return { initialState, evolve, decide: (command, state) => decideByTable(definition, { command, state, settings }) };

  function decideByTable({ validate, next }: TableDeciderDefinition<T, R>, first: RowContext<T>): TableDecision<T> {
    const invalid = validate?.(first);
    if (invalid) return refused(invalid);
    const row = table.rowFor(first);
    if (!row) return refused(missingRow(first));
    if (row.refuse) return refused(toRefusal(row.refuse, first, otherStatuses(first)));

    const all: T['Event'][] = [];
    let context = first;
    let applicable: R | undefined = row;
    for (let round = 1; round <= MAX_ROUNDS && applicable && !applicable.refuse; round += 1) {
      const events = apply(applicable, context);
      if (events.length === 0) break;
      all.push(...events);
      const after = events.reduce(evolve, context.state);
      const command: T['Command'] | undefined = next?.(context, after);
      if (!command) break;
      context = { command, state: after, settings };
      applicable = table.rowFor(context);
    }
    return { kind: 'accepted', events: all };
  }

  /** Returns no statuses when the present one accepts the command for other values: they do not explain the refusal. */
  function otherStatuses({ command, state }: RowContext<T>): readonly T['Status'][] {
    const accepting = table.accepting(command.type);
    return accepting.includes(table.statusOf(state)) ? [] : accepting;
  }

  function apply(row: R, context: RowContext<T>): readonly T['Event'][] {
    const events = row.emit?.(context) ?? [];
    const from = table.statusOf(context.state);
    const to = row.to === 'stay' ? from : row.to;
    const reason = row.status?.(context);
    if (to === from && reason === undefined) return events;
    const after = events.reduce(evolve, context.state);
    return [...events, ...definition.transition({ ...context, row, from, to, reason, after })];
  }

  function missingRow({ command, state }: RowContext<T>): Refusal<'internal'> {
    return {
      code: 'internal',
      reason: `No row covers ${command.type} in status ${table.statusOf(state)}. This is a defect of the decision table; report it.`,
      subject: 'status',
    };
  }
}
