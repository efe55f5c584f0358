import { type EventShape, type EventStore, parseStreamId, type RecordedEvent, type StreamId } from '@muster/ports';

export interface ParkedStream {
  readonly streamId: StreamId;
  /** The first event that is not handled. */
  readonly revision: number;
  readonly reason: string;
}

/** A source of the projection did not answer. The stream has no fault, so it is not parked. */
export class SourceFailed extends Error {
  constructor(override readonly cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause));
    this.name = 'SourceFailed';
  }
}

type Handle<Event extends EventShape> = (event: RecordedEvent<Event>) => Promise<void>;

/**
 * Streams whose events a projection cannot handle. They are paused with a visible reason; other streams continue. Streams of one id change
 * the same documents, so they are paused together and handled in the order of the store when they are resumed.
 */
export class ParkedStreams {
  /** The parked streams of each id. */
  private readonly parked = new Map<string, readonly ParkedStream[]>();

  constructor(parked: readonly ParkedStream[] = []) {
    for (const stream of parked) {
      const { id } = parseStreamId(stream.streamId);
      this.parked.set(id, [...this.of(id), stream]);
    }
  }

  /** Returns the same array until an attempt changes the parked streams of the id. */
  of(id: string): readonly ParkedStream[] {
    return this.parked.get(id) ?? NONE;
  }

  list(): readonly ParkedStream[] {
    return [...this.parked.values()].flat();
  }

  /**
   * Handles the event. When streams of its id are parked, handles everything since they were parked. Returns the reason why a stream of the
   * id is parked, or undefined. Rethrows SourceFailed without changing anything.
   */
  async attempt<Event extends EventShape>(
    event: RecordedEvent<Event>,
    store: EventStore<Event>,
    handle: Handle<Event>,
  ): Promise<string | undefined> {
    const { streamId, revision, position } = event;
    const { id } = parseStreamId(streamId);
    const before = this.of(id);
    const isParked = before.some((stream) => stream.streamId === streamId);
    if (before.length > 0)
      return this.resume(id, isParked ? before : [...before, { streamId, revision }], position, store, handle);
    const reason = await failureOf(event, handle);
    if (reason) this.parked.set(id, [{ streamId, revision, reason }]);
    return reason;
  }

  /** Handles the events of the streams of an id from the given revisions up to the position. Otherwise as `attempt`. */
  async resume<Event extends EventShape>(
    id: string,
    streams: readonly Pick<ParkedStream, 'streamId' | 'revision'>[],
    position: number,
    store: EventStore<Event>,
    handle: Handle<Event>,
  ): Promise<string | undefined> {
    const sources = streams.map(({ streamId, revision }): Source<RecordedEvent<Event>> => {
      return { events: eventsOf(store.readStream(streamId, revision - 1)), next: undefined };
    });
    try {
      for (const source of sources) source.next = (await source.events.next()).value;
      for (;;) {
        const missed = sources.flatMap((source) =>
          source.next && source.next.position <= position ? { source, event: source.next } : [],
        );
        const [first, ...others] = missed.sort((left, right) => left.event.position - right.event.position);
        if (!first) {
          this.parked.delete(id);
          return undefined;
        }
        const reason = await failureOf(first.event, handle);
        if (reason) {
          const waits = `${first.event.streamId} is paused and changes the same documents`;
          this.parked.set(id, [parkedAt(first.event, reason), ...others.map(({ event }) => parkedAt(event, waits))]);
          return reason;
        }
        first.source.next = (await first.source.events.next()).value;
      }
    } finally {
      await Promise.all(sources.map(({ events }) => events.return(undefined)));
    }
  }
}

/** The events of a stream and the next one of them that is not handled. */
interface Source<Event> {
  readonly events: AsyncGenerator<Event, undefined>;
  next: Event | undefined;
}

const NONE: readonly ParkedStream[] = [];

const parkedAt = (
  { streamId, revision }: Pick<ParkedStream, 'streamId' | 'revision'>,
  reason: string,
): ParkedStream => ({
  streamId,
  revision,
  reason,
});

async function* eventsOf<Event>(pages: AsyncIterable<readonly Event[]>): AsyncGenerator<Event, undefined> {
  for await (const page of pages) yield* page;
  return undefined;
}

/** Returns the reason why the event cannot be handled; undefined when it was handled. @throws SourceFailed */
async function failureOf<Event extends EventShape>(
  event: RecordedEvent<Event>,
  handle: Handle<Event>,
): Promise<string | undefined> {
  try {
    await handle(event);
    return undefined;
  } catch (error) {
    if (error instanceof SourceFailed) throw error;
    return `${event.type} ${event.streamId}@${event.revision}: ${error instanceof Error ? error.message : String(error)}`;
  }
}
