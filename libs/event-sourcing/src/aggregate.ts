import type { EventMetadata } from '@muster/ports';
import { BoundedMap } from './bounded-map';

/** The state of a stream and the place of its last event. */
export interface Aggregate<State> {
  readonly state: State;
  /** NO_STREAM before the first event. */
  readonly revision: number;
  /** Position of the last event; START_OF_STORE before the first. */
  readonly position: number;
}

/** An aggregate and the recent commands of its stream. */
export interface CachedAggregate<State> extends Aggregate<State> {
  readonly commands: CommandLog;
}

/** Commands remembered per stream. A repetition arrives seconds after the original, and after few other commands. */
const MAX_REMEMBERED_COMMANDS = 1_024;

/** The last commands of one stream and the position and revision that each of them reached. */
export class CommandLog {
  private readonly reached = new BoundedMap<string, Stored>(MAX_REMEMBERED_COMMANDS);

  find(commandId: string): Stored | undefined {
    return this.reached.get(commandId);
  }

  remember(commandId: string, position: number, revision: number): void {
    this.reached.set(commandId, { position, revision });
  }
}

/** The most recently used aggregates by id. A missing entry only costs a read, because appends check the revision. */
export type AggregateCache<State> = BoundedMap<string, CachedAggregate<State>>;

/** The caller, owner and request of a command. It becomes the metadata of the events. */
export interface CommandContext {
  /** A command with the same id is a repetition: it changes nothing and returns the position of the first result. */
  readonly commandId: string;
  readonly correlationId: string;
  readonly actor: string;
  readonly causationId?: string;
  readonly requestId?: string;
  readonly org?: string;
  readonly user?: string;
  readonly sourceAddress?: string;
}

export function toMetadata(context: CommandContext, occurredAt: string): EventMetadata {
  return { ...context, occurredAt };
}

/** Position and revision of the last event of a stream after a command. */
export interface Stored {
  readonly position: number;
  readonly revision: number;
}

/** The reply of a service to a command. */
export interface StoredReply {
  readonly stored: Stored;
}

/** Nothing was stored, so the caller has no position to wait for. */
export const NOTHING_STORED: Stored = { position: 0, revision: 0 };
