import {
  AppendTooLarge,
  type EventShape,
  type EventStore,
  type EventToAppend,
  jsonTextOf,
  keepJsonText,
  parseStreamId,
  type RecordedEvent,
  type StreamId,
  TextTooLong,
  Unavailable,
} from '@muster/ports';
import { SharedReader } from './shared-reader';

/** Converts events between the types of a product and the stored form. */
export interface EventCodec<Event extends EventShape> {
  /**
   * Returns the event in its stored form.
   * @throws Error when its data does not have the shape of its type
   */
  encode<Encoded extends Event>(event: Encoded): Encoded;
  /** Returns a stored or published event, of any version of the product, in the shape of this version. */
  decode(stored: RecordedEvent): RecordedEvent<Event>;
  /** An event that `encode` returned, in the type of stores. */
  toStored(encoded: EventToAppend<Event>): EventToAppend;
}

/** The event store with the event types of a product. The codec converts every event once when it is read. */
export interface TypedEventStore<Event extends EventShape = EventShape> extends EventStore<Event>, EventCodec<Event> {
  /** All events after the position, as `readAll`. Its callers share the pages, and so one read and one parse. */
  readShared(afterPosition: number): AsyncIterable<readonly RecordedEvent<Event>[]>;
}

/** A category of streams and the type guard of its events. */
export interface EventCategory<Event extends EventShape> {
  readonly name: string;
  /** False for an event type that this version does not have. */
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
  const readAll = (afterPosition: number) => decoded(store.readAll(afterPosition));
  const shared = new SharedReader<Event>(readAll);
  return {
    isSoleWriter: store.isSoleWriter,
    encode: (event) => codec.encode(event),
    decode: (stored) => codec.decode(stored),
    toStored: (encoded) => codec.toStored(encoded),
    // The command handler appends the result of `encode`: the stored form with the type of the product.
    append: async (streamId, expected, events) => {
      const stored = events.map((event) => codec.toStored(event));
      refuseLarge(streamId, stored);
      return store.append(streamId, expected, stored);
    },
    readStream: (streamId, afterRevision) => decoded(store.readStream(streamId, afterRevision)),
    readAll,
    readShared: (afterPosition) => shared.readAll(afterPosition),
    subscribe: (afterPosition, onPage, onError) =>
      store.subscribe(afterPosition, (page) => onPage(decodePage(page)), onError),
    head: () => store.head(),
    close: () => store.close(),
  };
}

/** Maximum size of the events of one append as JSON, with their metadata. Stores have different limits. EventStoreDB accepts 1 MiB. */
export const APPEND_BYTES_MAX = 256 * 1024;
/** Maximum bytes of one character of a text: `\u0000`. */
const BYTES_PER_CHARACTER_MAX = 6;

/** @throws AppendTooLarge or TextTooLong. Long documents are stored elsewhere, and events contain their digest */
function refuseLarge(streamId: StreamId, events: readonly EventToAppend[]): void {
  const characters = events.reduce((sum, event) => sum + charactersOf(event), 0);
  for (const event of events) refuseLongText(streamId, event);
  // The exact size needs a serialisation of the events, so it is computed only when the limit may be exceeded.
  if (characters * BYTES_PER_CHARACTER_MAX <= APPEND_BYTES_MAX) return;
  const bytes = events.reduce((sum, event) => sum + Buffer.byteLength(JSON.stringify(event)), 0);
  if (bytes > APPEND_BYTES_MAX) throw new AppendTooLarge(streamId, APPEND_BYTES_MAX);
}

/** Maximum length of one text in the data of an event, as in the fields of the REST API. */
export const TEXT_CHARACTERS_MAX = 16_384;

/** @throws TextTooLong */
function refuseLongText(streamId: StreamId, { type, data }: EventToAppend): void {
  // Most events are shorter than one text may be.
  if (jsonTextOf(data).length <= TEXT_CHARACTERS_MAX) return;
  const path = pathOfLongText(data);
  if (path) throw new TextTooLong(streamId, type, path.join('.'), TEXT_CHARACTERS_MAX);
}

/** Returns the names and indexes that lead to the first text that is too long. */
function pathOfLongText(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return value.length > TEXT_CHARACTERS_MAX ? [] : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    if (name.length > TEXT_CHARACTERS_MAX) return [`${name.slice(0, SHOWN_CHARACTERS_MAX)}…`];
    const path = pathOfLongText(member);
    if (path) return [name, ...path];
  }
  return undefined;
}

const SHOWN_CHARACTERS_MAX = 64;

/** Name and punctuation of a member: `"originalDigest":"",`. Those of shorter members leave room for the braces. */
const MEMBER_CHARACTERS_MAX = 20;

/**
 * Returns at least the number of characters of the event as JSON, before its id, type and metadata are escaped. The text of its data is
 * kept: the store and the relay use it.
 */
function charactersOf({ id, type, data, metadata }: EventToAppend): number {
  const text = jsonTextOf(data);
  keepJsonText(data, text);
  const others: readonly unknown[] = [id, type, ...Object.values(metadata)];
  return others.reduce<number>((sum, value) => sum + String(value).length + MEMBER_CHARACTERS_MAX, text.length);
}

/** A service tried to append to a stream of another service. This is a bug, not an error of the user. */
export class ForeignStreamError extends Error {
  constructor(service: string, streamId: string, owner: string | undefined) {
    super(
      `${service} may not append to ${streamId}: ${owner ? `only ${owner} writes that category` : 'no service owns that category'}.`,
    );
    this.name = 'ForeignStreamError';
  }
}

/** Maps each category of streams to the only service that may append to them. */
export type StreamOwners = { readonly [category: string]: string };

/** Returns the store for one service: it reads every stream and appends only to streams of its own categories. */
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

const RETRY_WAIT_MS = 100;

/** Pause before the next attempt. */
export const waitForStore = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, RETRY_WAIT_MS));

/**
 * Returns the result of the work, which is retried while the store is not available.
 * @throws Unavailable after `giveUpAtMs`. Its outcome is unknown when the outcome of one attempt was unknown
 */
export async function available<Result>(giveUpAtMs: number, work: () => Promise<Result>): Promise<Result> {
  for (let isOutcomeUnknown = false; ;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      isOutcomeUnknown ||= error.isOutcomeUnknown;
      if (error.isRefused || performance.now() + RETRY_WAIT_MS >= giveUpAtMs) {
        const { server, reason, isRefused } = error;
        throw new Unavailable(server, reason, { isOutcomeUnknown, isRefused, cause: error });
      }
    }
    await waitForStore();
  }
}
