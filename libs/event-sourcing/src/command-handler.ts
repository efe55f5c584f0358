import { type MusterEvent, type StreamCategory, streamIdOf, toStoredData } from '@muster/contracts';
import type { Decider } from '@muster/domain';
import { type Clock, type EventStore, type Ids, type JsonObject, NO_STREAM, START_OF_STORE } from '@muster/ports';
import type { Refusal } from '@muster/problems';
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
}

export interface CommandHandlerOptions<State, Command, Event extends MusterEvent> {
  readonly category: StreamCategory;
  readonly decider: Decider<State, Command, Event>;
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

  async function fold(id: string): Promise<CachedAggregate<State>> {
    const known = cache.get(id);
    if (known) return known;
    const { commands, ...nothing } = fresh(decider.initialState());
    let { state, revision, position } = nothing;
    for await (const page of store.readStream(streamIdOf(category, id), revision)) {
      for (const event of page) {
        state = decider.evolve(state, { type: event.type, data: event.data } as unknown as Event);
        ({ revision, position } = event);
        commands.remember(event.metadata.commandId, position, revision);
      }
    }
    const aggregate = { state, revision, position, commands };
    if (revision !== NO_STREAM) cache.set(id, aggregate);
    return aggregate;
  }

  async function attempt(
    id: string,
    command: Command,
    context: CommandContext,
  ): Promise<HandleResult<State> | 'conflict'> {
    const before = await fold(id);
    const earlier = before.commands.find(context.commandId);
    if (earlier) return { kind: 'stored', state: before.state, events: [], ...earlier };

    const decision = decider.decide(command, before.state);
    if (decision.kind === 'refused') return { ...decision, state: before.state };
    if (decision.events.length === 0) return { kind: 'stored', ...before, events: [] };

    const metadata = toMetadata(context, new Date(clock.nowMs()).toISOString());
    const events = decision.events.map((event) => ({
      id: ids.uuid(),
      type: event.type,
      data: toStoredData(event) as JsonObject,
      metadata,
    }));
    const appended = await store.append(streamIdOf(category, id), before.revision, events);
    if (appended.kind === 'conflict') return 'conflict';

    const { revision, position } = appended;
    const state = decision.events.reduce((folded, event) => decider.evolve(folded, event), before.state);
    before.commands.remember(context.commandId, position, revision);
    cache.set(id, { state, revision, position, commands: before.commands });
    return { kind: 'stored', state, revision, position, events: decision.events };
  }

  return {
    load: (id) => fold(id),
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

function fresh<State>(state: State): CachedAggregate<State> {
  return { state, revision: NO_STREAM, position: START_OF_STORE, commands: new CommandLog() };
}
