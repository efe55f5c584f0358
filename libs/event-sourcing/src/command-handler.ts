import { type Decider, type Refusal, RefusalError } from '@muster/decision';
import {
  type Clock,
  type EventShape,
  type Ids,
  isoTime,
  KeyedQueue,
  NO_STREAM,
  parseStreamId,
  type RecordedEvent,
  START_OF_STORE,
  type StreamId,
  Unavailable,
} from '@muster/ports';
import {
  type Aggregate,
  type AggregateCache,
  type Attempt,
  type BeforeAppend,
  type CachedAggregate,
  type CommandContext,
  type Commands,
  type Conflict,
  fresh,
  fromKnown,
  inOrder,
  isEvents,
  type KnownAggregate,
  MAX_REMEMBERED_COMMANDS,
  type Stored,
  toMetadata,
} from './aggregate';
import { BoundedMap } from './bounded-map';
import { available, type EventCategory, type TypedEventStore, waitForStore } from './typed-event-store';

/** Another replica may have appended since the last read. More rounds than this on one stream indicate a fault. */
const MAX_APPEND_ATTEMPTS = 5;
/**
 * A command is retried for this long after its arrival while the store is not available. Callers wait about twice as
 * long.
 */
const COMMAND_DEADLINE_MS = 5_000;
const DEFAULT_CACHED_AGGREGATES = 20_000;

/** `isRepeated`: an earlier command with this id stored the events. */
export type HandleResult<State, Event = EventShape, Code extends string = string> =
  | (Aggregate<State> & { readonly kind: 'stored'; readonly events: readonly Event[]; readonly isRepeated?: true })
  | { readonly kind: 'refused'; readonly refusal: Refusal<Code>; readonly state: State };

export interface CommandHandler<State, Command, Event = EventShape, Code extends string = string> {
  /**
   * Reads, folds, decides and appends. Commands on one aggregate run sequentially. A repeated command id stores
   * nothing. `beforeAppend` may run more than once.
   */
  handle(
    id: string,
    command: Commands<State, Command>,
    context: CommandContext,
    beforeAppend?: BeforeAppend,
  ): Promise<HandleResult<State, Event, Code>>;
  /**
   * Like `handle`, for callers that need only the position.
   * @throws RefusalError when the decider refuses the command
   */
  execute(
    id: string,
    command: Commands<State, Command>,
    context: CommandContext,
    beforeAppend?: BeforeAppend,
  ): Promise<Stored>;
  /** Returns the current state, or the initial state at revision NO_STREAM when the aggregate does not exist. */
  load(id: string): Promise<Aggregate<State>>;
  /** Returns the position of the last event of the aggregate; START_OF_STORE while it is not in memory. */
  positionOf(id: string): number;
  /** Applies a stored event of this category, from a feed, so that `load` includes what other replicas store. */
  observe(event: RecordedEvent<EventShape>): void;
  /** Removes an aggregate from memory. A later command reads it again. */
  forget(id: string): void;
}

export interface CommandHandlerOptions<State, Command, Event extends EventShape, Code extends string = string> {
  readonly category: EventCategory<Event>;
  readonly decider: Decider<State, Command, Event, Code>;
  readonly store: TypedEventStore;
  readonly clock: Clock;
  readonly ids: Ids;
  /**
   * Returns an aggregate that is not in the cache as a view with the same fold knows it, so that its stream is not read from the start.
   * @default no aggregate is known
   */
  readonly known?: (id: string) => KnownAggregate<State> | undefined;
  /**
   * Events up to a known state that are read again for the ids of their commands, before a command that may be a repetition. 0: commands
   * are never repeated.
   * @default as many as commands are remembered
   */
  readonly repeatableEvents?: number;
  /** @default 20,000 */
  readonly cachedAggregates?: number;
  /** Called with the position of the last event of each append. @default nothing */
  readonly onStored?: (streamId: StreamId, position: number) => void;
  /** How long a command is retried while the store is not available, in milliseconds. @default 5,000 */
  readonly deadlineMs?: number;
}

/**
 * Creates a command handler.
 * @throws Unavailable when the store is not available until the deadline; the same command id then returns the first
 * result
 * @throws Error after MAX_APPEND_ATTEMPTS conflicts on one stream
 */
export function createCommandHandler<State, Command, Event extends EventShape, Code extends string = string>(
  options: CommandHandlerOptions<State, Command, Event, Code>,
): CommandHandler<State, Command, Event, Code> {
  type Result = HandleResult<State, Event, Code>;
  const { category, decider, store, clock, ids, repeatableEvents = MAX_REMEMBERED_COMMANDS } = options;
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

  /** Commands and reads may use one stream concurrently. The older result does not overwrite the newer one. */
  function keep(id: string, aggregate: CachedAggregate<State>): void {
    const known = cache.get(id);
    // The absence of a stream can be cached only when no other process appends.
    const isNewer = known ? aggregate.revision > known.revision : aggregate.revision > NO_STREAM || store.isSoleWriter;
    if (isNewer) cache.set(id, aggregate);
  }

  async function readOn(
    id: string,
    from: CachedAggregate<State>,
    afterRevision = from.revision,
  ): Promise<CachedAggregate<State>> {
    let aggregate = from;
    for await (const page of store.readStream(streamOf(id), afterRevision))
      for (const event of page)
        if (event.revision > from.revision) aggregate = apply(aggregate, event);
        else from.commands.remember(event.metadata.commandId, event.position, event.revision);
    keep(id, aggregate);
    return aggregate;
  }

  /** Returns an aggregate that is not in the cache. Most unknown streams do not exist. */
  function unread(id: string): CachedAggregate<State> {
    const known = options.known?.(id);
    return known ? fromKnown(known, repeatableEvents > 0) : fresh(decider.initialState());
  }

  /** Reads what is not in memory: the last events, and the earlier ones whose commands may be repeated. */
  async function read(id: string): Promise<CachedAggregate<State>> {
    const from = cache.get(id) ?? unread(id);
    const aggregate = await readOn(id, from, Math.max(NO_STREAM, from.revision - repeatableEvents));
    aggregate.commands.complete();
    return aggregate;
  }

  function currentlyKnown(id: string): Aggregate<State> | undefined {
    const known = options.known?.(id);
    return known?.isCurrent ? known : undefined;
  }

  /** Returns the result when nothing has to be stored, otherwise the events. */
  function decideOn(
    before: CachedAggregate<State>,
    commands: Commands<State, Command>,
    context: CommandContext,
  ): Result | readonly Event[] {
    const { commands: handled, ...aggregate } = before;
    const earlier = handled.find(context.commandId);
    if (earlier) return { kind: 'stored', state: before.state, events: [], isRepeated: true, ...earlier };
    const events: Event[] = [];
    let { state } = before;
    let folded = 0;
    const current = (): State => {
      state = events.slice(folded).reduce(decider.evolve, state);
      folded = events.length;
      return state;
    };
    for (const command of inOrder(commands, current)) {
      const decision = decider.decide(command, current());
      if (decision.kind === 'refused') return { ...decision, state: before.state };
      events.push(...decision.events);
    }
    return events.length > 0 ? events : { kind: 'stored', ...aggregate, events: [] };
  }

  async function attempt(
    id: string,
    commands: Commands<State, Command>,
    context: CommandContext,
    { beforeAppend, mayAssume, giveUpAtMs, revisionMin }: Attempt,
  ): Promise<Result | Conflict> {
    const cached = cache.get(id);
    const found = cached ?? (mayAssume ? unread(id) : undefined);
    const assumed = found?.commands.covers(context) ? found : undefined;
    let before = assumed ?? (await available(giveUpAtMs, () => read(id)));
    // The store refused an append because of an event that reads do not return yet, as after a lost quorum.
    if (before.revision < revisionMin) return { kind: 'conflict', actualRevision: revisionMin };
    let outcome = decideOn(before, commands, context);
    if (!isEvents(outcome) && assumed && !(cached && store.isSoleWriter)) {
      // Without an append that would detect missing events, the result must be based on a read of the store.
      const latest = await available(giveUpAtMs, () => readOn(id, before));
      if (latest.revision !== before.revision) outcome = decideOn(latest, commands, context);
      before = latest;
    }
    if (!isEvents(outcome)) return outcome;
    await beforeAppend?.();

    const metadata = toMetadata(context, isoTime(clock.nowMs()));
    const stored = outcome.map((event) => store.encode(event));
    const events = stored.map(({ type, data }) => ({ id: ids.uuid(), type, data, metadata }));
    // Every attempt uses the same event ids, so an append with an unknown outcome is not stored twice.
    const appended = await available(giveUpAtMs, () => store.append(streamOf(id), before.revision, events));
    if (appended.kind === 'conflict') return appended;

    const { revision, position } = appended;
    options.onStored?.(streamOf(id), position);
    // Folds the stored form of the events, as every later reader does.
    const state = stored.reduce(decider.evolve, before.state);
    before.commands.remember(context.commandId, position, revision);
    keep(id, { state, revision, position, commands: before.commands });
    return { kind: 'stored', state, revision, position, events: outcome };
  }

  async function handleInTurn(
    id: string,
    commands: Commands<State, Command>,
    context: CommandContext,
    { beforeAppend, mayAssume, giveUpAtMs }: Omit<Attempt, 'revisionMin'>,
  ): Promise<Result> {
    let revisionMin = NO_STREAM;
    for (let round = 1; round <= MAX_APPEND_ATTEMPTS;) {
      const isFirst = round === 1;
      try {
        const result = await attempt(id, commands, context, {
          beforeAppend,
          mayAssume: mayAssume && isFirst,
          giveUpAtMs,
          revisionMin,
        });
        if (result.kind !== 'conflict') return result;
        if (result.actualRevision === revisionMin) {
          if (performance.now() >= giveUpAtMs)
            throw new Unavailable('The event store', `it does not return an event of ${streamOf(id)}`, {
              isOutcomeUnknown: true,
            });
          await waitForStore();
        } else round += 1;
        revisionMin = result.actualRevision;
      } catch (error) {
        // The outcome of the append may be unknown, so the stream is folded again before the next decision.
        cache.delete(id);
        throw error;
      }
      cache.delete(id);
    }
    throw new Error(`${streamOf(id)} had concurrent writers in ${MAX_APPEND_ATTEMPTS} attempts. Retry the request.`);
  }

  const handle = (
    id: string,
    command: Commands<State, Command>,
    context: CommandContext,
    beforeAppend?: BeforeAppend,
  ): Promise<Result> => {
    const giveUpAtMs = performance.now() + (options.deadlineMs ?? COMMAND_DEADLINE_MS);
    const mayAssume = typeof beforeAppend !== 'function';
    const prepare = mayAssume ? beforeAppend?.replacesNothing : beforeAppend;
    return queue.run(id, () => handleInTurn(id, command, context, { beforeAppend: prepare, mayAssume, giveUpAtMs }));
  };

  return {
    handle,
    execute: async (id, command, context, beforeAppend) => {
      const result = await handle(id, command, context, beforeAppend);
      if (result.kind === 'refused') throw new RefusalError(result.refusal);
      return { position: result.position, revision: result.revision };
    },
    load: async (id) => cache.get(id) ?? currentlyKnown(id) ?? read(id),
    positionOf: (id) => cache.peek(id)?.position ?? START_OF_STORE,
    observe: (event) => {
      const { category: streamCategory, id } = parseStreamId(event.streamId);
      const known = streamCategory === category.name ? cache.get(id) : undefined;
      if (!known || event.revision <= known.revision) return;
      if (event.revision === known.revision + 1) cache.set(id, apply(known, event));
      else cache.delete(id);
    },
    forget: (id) => void cache.delete(id),
  };
}
