import type { MusterEvent, StreamCategory } from '@muster/contracts';
import type { Decider } from '@muster/decision';
import { type CommandHandler, createCommandHandler, type HandleResult } from '@muster/event-sourcing';
import type { Clock, EventStore, Ids } from '@muster/ports';
import { type ProblemCode, RefusalError } from '@muster/problems';

export interface Aggregate<State, Command> extends CommandHandler<State, Command> {
  /** Whether the command would be accepted in the present state. Stores nothing. */
  accepts(id: string, command: Command): Promise<boolean>;
}

export interface AggregateOptions<State, Command, Event extends MusterEvent> {
  readonly category: StreamCategory;
  readonly decider: Decider<State, Command, Event, ProblemCode>;
  readonly store: EventStore;
  readonly clock: Clock;
  readonly ids: Ids;
}

export function createAggregate<State, Command, Event extends MusterEvent>(
  options: AggregateOptions<State, Command, Event>,
): Aggregate<State, Command> {
  const handler = createCommandHandler(options);
  return {
    ...handler,
    accepts: async (id, command) => options.decider.decide(command, (await handler.load(id)).state).kind === 'accepted',
  };
}

/** The place of a stored command in the store and in its stream. */
export interface Stored {
  readonly position: number;
  readonly revision: number;
}

/** The reply to a command that stored nothing: there is no event to wait for. */
export const NOTHING_STORED: Stored = { position: 0, revision: 0 };

export interface StoredReply {
  readonly stored: Stored;
}

/** @throws RefusalError when the command was refused. */
export function storedOrThrow<State>(result: HandleResult<State>): Stored {
  if (result.kind === 'refused') throw new RefusalError(result.refusal);
  return { position: result.position, revision: result.revision };
}
