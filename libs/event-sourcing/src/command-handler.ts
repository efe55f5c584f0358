import { type Decider, type Refusal, RefusalError } from '@muster/decision';
import {
  type Clock,
  type EventShape,
  type Ids,
  NO_STREAM,
  parseStreamId,
  type RecordedEvent,
  START_OF_STORE,
  type StreamId,
} from '@muster/ports';
import {
  type Aggregate,
  type AggregateCache,
  type CachedAggregate,
  type CommandContext,
  CommandLog,
  toMetadata,
} from './aggregate';
import { BoundedMap } from './bounded-map';
import { KeyedQueue } from './queues';
import type { EventCategory, TypedEventStore } from './typed-event-store';

/** Another replica may have appended since the last read. More rounds than this on one stream indicate a fault. */
const MAX_APPEND_ATTEMPTS = 5;
const DEFAULT_CACHED_AGGREGATES = 20_000;

/** Position and revision of the last event of a stream after a command. */
export interface Stored {
  readonly position: number;
  readonly revision: number;
}

/** The reply of a service to a command. */
export interface StoredReply {
  readonly stored: Stored;
}

/** Nothing was stored, so there is no position to wait for. */
export const NOTHING_STORED: Stored = { position: 0, revision: 0 };

export type HandleResult<State, Event = EventShape, Code extends string = string> =
  | (Aggregate<State> & { readonly kind: 'stored'; readonly events: readonly Event[] })
  | { readonly kind: 'refused'; readonly refusal: Refusal<Code>; readonly state: State };

export interface CommandHandler<State, Command, Event = EventShape, Code extends string = string> {
  /**
   * Loads, folds, decides and appends. Commands on one aggregate run one at a time. A repeated command id stores nothing.
   * Several commands are decided one after the other and stored together, or not at all when one is refused.
   * `beforeAppend` runs when the command was accepted with events and before they are stored; it may run more than once.
   */
  handle(
    id: string,
    command: Command | readonly Command[],
    context: CommandContext,
    beforeAppend?: () => Promise<void>,
  ): Promise<HandleResult<State, Event, Code>>;
  /**
   * As `handle`, for callers that need only the position.
   * @throws RefusalError when the decider refuses the command
   */
  execute(id: string, command: Command, context: CommandContext, beforeAppend?: () => Promise<void>): Promise<Stored>;
  /** The current state; the decider's initial state at revision NO_STREAM when the aggregate does not exist. */
  load(id: string): Promise<Aggregate<State>>;
  /** Applies a stored event of this category, from a feed, so that `load` includes what other replicas store. */
  observe(event: RecordedEvent<EventShape>): void;
}

export interface CommandHandlerOptions<State, Command, Event extends EventShape, Code extends string = string> {
  readonly category: EventCategory<Event>;
  readonly decider: Decider<State, Command, Event, Code>;
  readonly store: TypedEventStore;
  readonly clock: Clock;
  readonly ids: Ids;
  /** @default 20,000 */
  readonly cachedAggregates?: number;
}

/** Throws only for a fault: the store is not available, or one stream stays contended for MAX_APPEND_ATTEMPTS rounds. */
export function createCommandHandler<State, Command, Event extends EventShape, Code extends string = string>(
  options: CommandHandlerOptions<State, Command, Event, Code>,
): CommandHandler<State, Command, Event, Code> {
  type Result = HandleResult<State, Event, Code>;
  const { category, decider, store, clock, ids } = options;
  const cache: AggregateCache<State> = new BoundedMap(options.cachedAggregates ?? DEFAULT_CACHED_AGGREGATES);
  const queue = new KeyedQueue();
  const streamOf = (id: string): StreamId => `${category.name}-${id}`;

  function apply(aggregate: CachedAggregate<State>, event: RecordedEvent<EventShape>): CachedAggregate<State> {
    const { commands } = aggregate;
    commands.remember(event.metadata.commandId, event.position, event.revision);
    // An event of a newer version changes the revision only.
    const state = category.has(event) ? decider.evolve(aggregate.state, event) : aggregate.state;
    return { state, revision: event.revision, position: event.position, commands };
  }

  /** Commands and loads may read one stream at the same time: the older result does not overwrite the newer one. */
  function keep(id: string, aggregate: CachedAggregate<State>): void {
    const known = cache.get(id);
    // That a stream does not exist stays true only where no other process appends.
    const isNewer = known ? aggregate.revision > known.revision : aggregate.revision > NO_STREAM || store.isSoleWriter;
    if (isNewer) cache.set(id, aggregate);
  }

  async function readOn(id: string, from: CachedAggregate<State>): Promise<CachedAggregate<State>> {
    let aggregate = from;
    for await (const page of store.readStream(streamOf(id), from.revision))
      for (const event of page) aggregate = apply(aggregate, event);
    keep(id, aggregate);
    return aggregate;
  }

  const fold = async (id: string): Promise<CachedAggregate<State>> =>
    cache.get(id) ?? readOn(id, fresh(decider.initialState()));

  /** The answer when there is nothing to store, otherwise the events. */
  function decideOn(
    before: CachedAggregate<State>,
    commands: readonly Command[],
    context: CommandContext,
  ): Result | readonly Event[] {
    const { commands: handled, ...aggregate } = before;
    const earlier = handled.find(context.commandId);
    if (earlier) return { kind: 'stored', state: before.state, events: [], ...earlier };
    const events: Event[] = [];
    let { state } = before;
    for (const command of commands) {
      const decision = decider.decide(command, state);
      if (decision.kind === 'refused') return { ...decision, state: before.state };
      if (commands.length > 1) state = decision.events.reduce(decider.evolve, state);
      events.push(...decision.events);
    }
    return events.length > 0 ? events : { kind: 'stored', ...aggregate, events: [] };
  }

  async function attempt(
    id: string,
    commands: readonly Command[],
    context: CommandContext,
    { beforeAppend, mayAssumeNew }: { readonly beforeAppend?: () => Promise<void>; readonly mayAssumeNew: boolean },
  ): Promise<Result | 'conflict'> {
    const cached = cache.get(id);
    // Most unknown streams do not exist: the expected revision of the append detects the others.
    const isAssumedNew = !cached && mayAssumeNew && !beforeAppend;
    let before = cached ?? fresh(decider.initialState());
    if (!cached && !isAssumedNew) before = await readOn(id, before);
    let outcome = decideOn(before, commands, context);
    if (!isEvents(outcome) && (isAssumedNew || (cached && !store.isSoleWriter))) {
      // No append follows that would detect events missing here, so this answer must rest on the store.
      const latest = await readOn(id, before);
      if (latest.revision !== before.revision) outcome = decideOn(latest, commands, context);
      before = latest;
    }
    if (!isEvents(outcome)) return outcome;
    await beforeAppend?.();

    const metadata = toMetadata(context, new Date(clock.nowMs()).toISOString());
    const stored = outcome.map((event) => store.encode(event));
    const appended = await store.append(
      streamOf(id),
      before.revision,
      stored.map(({ type, data }) => ({ id: ids.uuid(), type, data, metadata })),
    );
    if (appended.kind === 'conflict') return 'conflict';

    const { revision, position } = appended;
    // Folded from the stored form, as every later reader folds it.
    const state = stored.reduce(decider.evolve, before.state);
    before.commands.remember(context.commandId, position, revision);
    keep(id, { state, revision, position, commands: before.commands });
    return { kind: 'stored', state, revision, position, events: outcome };
  }

  const handle = (
    id: string,
    command: Command | readonly Command[],
    context: CommandContext,
    beforeAppend?: () => Promise<void>,
  ): Promise<Result> =>
    queue.run(id, async () => {
      const commands = isList(command) ? command : [command];
      for (let round = 1; round <= MAX_APPEND_ATTEMPTS; round += 1) {
        try {
          const result = await attempt(id, commands, context, { beforeAppend, mayAssumeNew: round === 1 });
          if (result !== 'conflict') return result;
        } catch (error) {
          // The outcome of the append may be unknown: fold the store again before the next decision.
          cache.delete(id);
          throw error;
        }
        cache.delete(id);
      }
      throw new Error(`${streamOf(id)} had concurrent writers in ${MAX_APPEND_ATTEMPTS} attempts. Retry the request.`);
    });

  return {
    handle,
    execute: async (id, command, context, beforeAppend) => {
      const result = await handle(id, command, context, beforeAppend);
      if (result.kind === 'refused') throw new RefusalError(result.refusal);
      return { position: result.position, revision: result.revision };
    },
    load: (id) => fold(id),
    observe: (event) => {
      const { category: streamCategory, id } = parseStreamId(event.streamId);
      const known = streamCategory === category.name ? cache.get(id) : undefined;
      if (!known || event.revision <= known.revision) return;
      if (event.revision === known.revision + 1) cache.set(id, apply(known, event));
      else cache.delete(id);
    },
  };
}

function isList<Command>(command: Command | readonly Command[]): command is readonly Command[] {
  return Array.isArray(command);
}

function isEvents<Result extends object, Event>(outcome: Result | readonly Event[]): outcome is readonly Event[] {
  return Array.isArray(outcome);
}

function fresh<State>(state: State): CachedAggregate<State> {
  return { state, revision: NO_STREAM, position: START_OF_STORE, commands: new CommandLog() };
}
