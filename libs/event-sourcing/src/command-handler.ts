import { type MusterEvent, parseStreamId, type StreamCategory, streamIdOf, toStoredData } from '@muster/contracts';
import type { Decider } from '@muster/decision';
import {
  type Clock,
  type EventStore,
  type Ids,
  type JsonObject,
  NO_STREAM,
  type RecordedEvent,
  START_OF_STORE,
} from '@muster/ports';
import type { ProblemCode, Refusal } from '@muster/problems';
import { type Aggregate, AggregateCache, type CachedAggregate, CommandLog } from './aggregate-cache';
import { type CommandContext, toMetadata } from './command-context';
import { KeyedQueue } from './keyed-queue';

/** Another replica may have written in between; five rounds of that on one stream mean something is wrong. */
const MAX_APPEND_ATTEMPTS = 5;
const DEFAULT_CACHED_AGGREGATES = 20_000;

export type HandleResult<State> =
  | (Aggregate<State> & { readonly kind: 'stored'; readonly events: readonly MusterEvent[] })
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly state: State };

export interface CommandHandler<State, Command> {
  /** Load, fold, decide, append. Commands on one aggregate run one at a time; a repeated command id stores nothing. */
  handle(id: string, command: Command, context: CommandContext): Promise<HandleResult<State>>;
  /** As it stands; the decider's initial state at revision NO_STREAM when it does not exist. */
  load(id: string): Promise<Aggregate<State>>;
  /** Takes in a stored event of this category, from a feed: so `load` keeps up with what other replicas store. */
  observe(event: RecordedEvent): void;
}

export interface CommandHandlerOptions<State, Command, Event extends MusterEvent> {
  readonly category: StreamCategory;
  readonly decider: Decider<State, Command, Event, ProblemCode>;
  readonly store: EventStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly cachedAggregates?: number;
}

/** Throws only for what is a fault: the store is not there, or one stream stays contended for MAX_APPEND_ATTEMPTS rounds. */
export function createCommandHandler<State, Command, Event extends MusterEvent>(
  options: CommandHandlerOptions<State, Command, Event>,
): CommandHandler<State, Command> {
  const { category, decider, store, clock, ids } = options;
  const cache = new AggregateCache<State>(options.cachedAggregates ?? DEFAULT_CACHED_AGGREGATES);
  const queue = new KeyedQueue();

  function takeIn(aggregate: CachedAggregate<State>, event: RecordedEvent): CachedAggregate<State> {
    const { revision, position, type, data, metadata } = event;
    aggregate.commands.remember(metadata.commandId, position, revision);
    const state = decider.evolve(aggregate.state, { type, data } as unknown as Event);
    return { state, revision, position, commands: aggregate.commands };
  }

  /** Commands and loads may read one stream at the same time: the one who saw less does not overwrite the other. */
  function keep(id: string, aggregate: CachedAggregate<State>): void {
    if (aggregate.revision > (cache.get(id)?.revision ?? NO_STREAM)) cache.set(id, aggregate);
  }

  async function readOn(id: string, from: CachedAggregate<State>): Promise<CachedAggregate<State>> {
    let aggregate = from;
    for await (const page of store.readStream(streamIdOf(category, id), from.revision))
      for (const event of page) aggregate = takeIn(aggregate, event);
    keep(id, aggregate);
    return aggregate;
  }

  const fold = async (id: string): Promise<CachedAggregate<State>> =>
    cache.get(id) ?? readOn(id, fresh(decider.initialState()));

  /** The answer when there is nothing to store, otherwise the events. */
  function decideOn(
    before: CachedAggregate<State>,
    command: Command,
    context: CommandContext,
  ): HandleResult<State> | readonly Event[] {
    const { commands, ...aggregate } = before;
    const earlier = commands.find(context.commandId);
    if (earlier) return { kind: 'stored', state: before.state, events: [], ...earlier };
    const decision = decider.decide(command, before.state);
    if (decision.kind === 'refused') return { ...decision, state: before.state };
    return decision.events.length > 0 ? decision.events : { kind: 'stored', ...aggregate, events: [] };
  }

  async function attempt(
    id: string,
    command: Command,
    context: CommandContext,
  ): Promise<HandleResult<State> | 'conflict'> {
    const cached = cache.get(id);
    let before = cached ?? (await readOn(id, fresh(decider.initialState())));
    let outcome = decideOn(before, command, context);
    if (cached && !isEvents(outcome)) {
      // No append will tell whether another replica has written since: such an answer is given on what the store holds.
      const latest = await readOn(id, before);
      if (latest.revision !== before.revision) outcome = decideOn(latest, command, context);
      before = latest;
    }
    if (!isEvents(outcome)) return outcome;

    const metadata = toMetadata(context, new Date(clock.nowMs()).toISOString());
    const events = outcome.map((event) => ({
      id: ids.uuid(),
      type: event.type,
      data: toStoredData(event) as JsonObject,
      metadata,
    }));
    const appended = await store.append(streamIdOf(category, id), before.revision, events);
    if (appended.kind === 'conflict') return 'conflict';

    const { revision, position } = appended;
    // Folded from the stored form, as every later reader will.
    const state = events.reduce(
      (folded, { type, data }) => decider.evolve(folded, { type, data } as unknown as Event),
      before.state,
    );
    before.commands.remember(context.commandId, position, revision);
    keep(id, { state, revision, position, commands: before.commands });
    return { kind: 'stored', state, revision, position, events: outcome };
  }

  return {
    load: (id) => fold(id),
    observe: (event) => {
      const { category: streamCategory, id } = parseStreamId(event.streamId);
      const known = streamCategory === category ? cache.get(id) : undefined;
      if (!known || event.revision <= known.revision) return;
      if (event.revision === known.revision + 1) cache.set(id, takeIn(known, event));
      else cache.drop(id);
    },
    handle: (id, command, context) =>
      queue.run(id, async () => {
        for (let round = 1; round <= MAX_APPEND_ATTEMPTS; round += 1) {
          try {
            const result = await attempt(id, command, context);
            if (result !== 'conflict') return result;
          } catch (error) {
            // The append's outcome may be unknown: fold again from the store before anything else is decided.
            cache.drop(id);
            throw error;
          }
          cache.drop(id);
        }
        throw new Error(`${streamIdOf(category, id)} stayed contended for ${MAX_APPEND_ATTEMPTS} rounds; try again.`);
      }),
  };
}

function isEvents<State, Event>(outcome: HandleResult<State> | readonly Event[]): outcome is readonly Event[] {
  return Array.isArray(outcome);
}

function fresh<State>(state: State): CachedAggregate<State> {
  return { state, revision: NO_STREAM, position: START_OF_STORE, commands: new CommandLog() };
}
