import { type AppendResult, type EventMetadata, NO_STREAM, START_OF_STORE } from '@muster/ports';
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

/** An aggregate as a view knows it. */
export interface KnownAggregate<State> extends Aggregate<State> {
  /** The state includes every event that is stored. */
  readonly isCurrent: boolean;
}

/** Commands remembered per stream. A repetition arrives seconds after the original, and after few other commands. */
export const MAX_REMEMBERED_COMMANDS = 1_024;

/** The last commands of one stream and the position and revision that each of them reached. */
export class CommandLog {
  private readonly reached = new BoundedMap<string, Stored>(MAX_REMEMBERED_COMMANDS);

  /** `after`: it has no command of the events up to this position. START_OF_STORE: it has all that may be repeated. */
  constructor(private after = START_OF_STORE) {}

  /** Returns true when it has the command, or when no event of the stream has its id. */
  covers({ unusedUpTo = START_OF_STORE }: CommandContext): boolean {
    return this.after <= unusedUpTo;
  }

  /** The commands of the events before, as far as they may be repeated, were added. */
  complete(): void {
    this.after = START_OF_STORE;
  }

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
  /**
   * No event up to this position has the command id, or an id that is derived from it: a position that was known when the id was
   * created. It stays the same when the command is repeated.
   * @default any event may have it
   */
  readonly unusedUpTo?: number | undefined;
  readonly correlationId: string;
  readonly actor: string;
  readonly causationId?: string;
  readonly requestId?: string;
  readonly org?: string;
  readonly user?: string;
  readonly sourceAddress?: string;
}

export function toMetadata({ unusedUpTo: _, ...context }: CommandContext, occurredAt: string): EventMetadata {
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

export function fresh<State>(state: State): CachedAggregate<State> {
  return { state, revision: NO_STREAM, position: START_OF_STORE, commands: new CommandLog() };
}

/** Returns an aggregate as a view knows it, without its commands. `mayRepeat`: these may be repeated. */
export function fromKnown<State>(
  { state, revision, position }: KnownAggregate<State>,
  mayRepeat: boolean,
): CachedAggregate<State> {
  return { state, revision, position, commands: new CommandLog(mayRepeat ? position : START_OF_STORE) };
}

/** The inputs of one attempt of a command. */
export interface Attempt {
  readonly beforeAppend?: (() => Promise<void>) | undefined;
  /** A stream that is not in memory is not read: the expected revision of the append detects its events. */
  readonly mayAssume: boolean;
  /** Until this time of `performance.now()`, the attempt is retried while the store is not available. */
  readonly giveUpAtMs: number;
  /** The minimum revision of the stream, known from a conflict. */
  readonly revisionMin: number;
}

export type Conflict = Extract<AppendResult, { readonly kind: 'conflict' }>;

/**
 * One command, several commands, or a generator of commands that reads the state after the previous commands. Several
 * commands are stored together, or not at all when one is refused.
 */
export type Commands<State, Command> = Command | readonly Command[] | ((current: () => State) => Iterable<Command>);

export function inOrder<State, Command>(commands: Commands<State, Command>, current: () => State): Iterable<Command> {
  if (isGenerator(commands)) return commands(current);
  return isList(commands) ? commands : [commands];
}

function isGenerator<State, Command>(
  commands: Commands<State, Command>,
): commands is (current: () => State) => Iterable<Command> {
  return typeof commands === 'function';
}

function isList<Command>(command: Command | readonly Command[]): command is readonly Command[] {
  return Array.isArray(command);
}

/**
 * `beforeAppend` runs when the command was accepted with events, before they are stored. `replacesNothing`: it does
 * no harm when the command is then refused or repeated, so a stream that is not in memory is not read first.
 */
export type BeforeAppend = (() => Promise<void>) | { readonly replacesNothing: () => Promise<void> };

export function isEvents<Result extends object, Event>(
  outcome: Result | readonly Event[],
): outcome is readonly Event[] {
  return Array.isArray(outcome);
}
