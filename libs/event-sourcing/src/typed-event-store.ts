import { type EventShape, type EventStore, type EventToAppend, parseStreamId, type RecordedEvent } from '@muster/ports';

/** Converts events between the types of a product and what is stored. */
export interface EventCodec<Event extends EventShape> {
  /** The event in its stored form. Throws when its data does not have the shape of its type. */
  encode<Encoded extends Event>(event: Encoded): Encoded;
  /** A stored or published event, of any version of the product, in the shape of this version. */
  decode(stored: RecordedEvent): RecordedEvent<Event>;
}

/** The event store with the event types of a product: every event that is read went through the codec once. */
export interface TypedEventStore<Event extends EventShape = EventShape> extends EventStore<Event>, EventCodec<Event> {}

/** A category of streams and the guard of the events that belong to it. */
export interface EventCategory<Event extends EventShape> {
  readonly name: string;
  /** False for an event type that this version does not know. */
  has(event: EventShape): event is Event;
}

export function typedEventStore<Event extends EventShape>(
  store: EventStore,
  codec: EventCodec<Event>,
): TypedEventStore<Event> {
  const decodePage = (page: readonly RecordedEvent[]): readonly RecordedEvent<Event>[] =>
    page.map((event) => codec.decode(event));
  async function* decoded(pages: AsyncIterable<readonly RecordedEvent[]>) {
    for await (const page of pages) yield decodePage(page);
  }
  return {
    isSoleWriter: store.isSoleWriter,
    encode: (event) => codec.encode(event),
    decode: (stored) => codec.decode(stored),
    // The command handler appends what `encode` returned: the stored form with the type of the product.
    append: (streamId, expected, events) =>
      store.append(streamId, expected, events as unknown as readonly EventToAppend[]),
    readStream: (streamId, afterRevision) => decoded(store.readStream(streamId, afterRevision)),
    readAll: (afterPosition) => decoded(store.readAll(afterPosition)),
    subscribe: (afterPosition, onPage, onError) =>
      store.subscribe(afterPosition, (page) => onPage(decodePage(page)), onError),
    head: () => store.head(),
    close: () => store.close(),
  };
}

/** A service tried to append to a stream of another service. A bug, not an error of the user. */
export class ForeignStreamError extends Error {
  constructor(service: string, streamId: string, owner: string | undefined) {
    super(
      `${service} may not append to ${streamId}: ${owner ? `only ${owner} writes that category` : 'no service owns that category'}.`,
    );
    this.name = 'ForeignStreamError';
  }
}

/** Category of streams → name of the only service that may append to them. */
export type StreamOwners = { readonly [category: string]: string };

/** The store as one service may use it: it reads every stream and appends only to streams of its own categories. */
export function ownedEventStore<Event extends EventShape>(
  store: TypedEventStore<Event>,
  service: string,
  owners: StreamOwners,
): TypedEventStore<Event> {
  return {
    ...store,
    append: async (streamId, expected, events) => {
      const { category } = parseStreamId(streamId);
      const owner = Object.hasOwn(owners, category) ? owners[category] : undefined;
      if (owner !== service) throw new ForeignStreamError(service, streamId, owner);
      return store.append(streamId, expected, events);
    },
  };
}
