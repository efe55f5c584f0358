/** `category-id`. The category has no dash and determines which service may write the stream. */
export type StreamId = `${string}-${string}`;

/** Splits at the first dash, because a category contains none. */
export function parseStreamId(streamId: string): { readonly category: string; readonly id: string } {
  const dash = streamId.indexOf('-');
  return { category: streamId.slice(0, dash), id: streamId.slice(dash + 1) };
}

/** A JSON object in the form of proto3 JSON. */
export type JsonObject = { [key: string]: JsonValue };
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** Origin of an event. Never contains a secret. */
export interface EventMetadata {
  /** The command that caused the event. Repetitions of the command have the same id. */
  readonly commandId: string;
  readonly correlationId: string;
  /** The event or request that led to the command. */
  readonly causationId?: string;
  readonly requestId?: string;
  /** A user name, `agent:<hostId>` or `service:<name>`. */
  readonly actor: string;
  readonly org?: string;
  readonly user?: string;
  readonly sourceAddress?: string;
  /** Domain time, ISO 8601 UTC with milliseconds. */
  readonly occurredAt: string;
  /** Present when a compaction removed data from the event: `sha256:<64 hex>` of the event as it was appended. */
  readonly originalDigest?: string;
}

/**
 * The type of an event whose data a compaction removed. It keeps its id, its place and its times. `data.type` is its former type. Readers
 * skip it as they skip the events of a newer version.
 */
export const COMPACTED_EVENT = 'EventCompacted';

/** The members of every event. A product passes the union of its events for type parameters that extend this. */
export interface EventShape {
  /** Name of the message that defines the shape of `data`. */
  readonly type: string;
  readonly data: object;
}

/** An event of any type, as an adapter stores it. */
export interface StoredEvent extends EventShape {
  readonly data: JsonObject;
}

export type EventToAppend<Event extends EventShape = StoredEvent> = Event & {
  readonly id: string;
  readonly metadata: EventMetadata;
};

/** Where and when the store recorded an event. */
export interface Recording {
  readonly streamId: StreamId;
  /** 0 for the first event of its stream, without gaps. */
  readonly revision: number;
  /** Increases over the whole store. May have gaps. Never repeats. */
  readonly position: number;
  /** Time of the store, ISO 8601 UTC. */
  readonly recordedAt: string;
}

/** Identifies one event of a store. */
export interface EventPlace extends Pick<Recording, 'streamId' | 'revision'> {
  readonly id: string;
}

/** For a union of events, this is a union discriminated by `type`. */
export type RecordedEvent<Event extends EventShape = StoredEvent> = EventToAppend<Event> & Recording;

/** The revision of the last event that the writer has seen, or `NO_STREAM`. */
export type ExpectedRevision = number;
export const NO_STREAM = -1;
/** The position before the first event. */
export const START_OF_STORE = -1;

export type AppendResult =
  | { readonly kind: 'appended'; readonly revision: number; readonly position: number }
  | { readonly kind: 'conflict'; readonly actualRevision: number };

export interface Subscription {
  /** Resolves when no further event will be delivered. */
  close(): Promise<void>;
}

/**
 * The durable event log. An `appended` result means that all events of the call are durable. Otherwise none is stored.
 */
export interface EventStore<Event extends EventShape = StoredEvent> {
  /**
   * True when no other process appends to streams of the services in this process, so that their caches are current.
   */
  readonly isSoleWriter: boolean;
  /**
   * Stores all events or none. An unexpected revision is a result, not an error. `events` must not be empty. Repeating
   * an append with the same event ids and the same expected revision never stores the events twice.
   * @throws Unavailable when the store does not answer
   * @throws AppendTooLarge above the limit of the store
   */
  append(
    streamId: StreamId,
    expected: ExpectedRevision,
    events: readonly EventToAppend<Event>[],
  ): Promise<AppendResult>;
  /** Returns pages of one stream in order of revision, after `afterRevision`. @default from the first event */
  readStream(streamId: StreamId, afterRevision?: number): AsyncIterable<readonly RecordedEvent<Event>[]>;
  /**
   * Returns pages of all streams in order of position, after `afterPosition`, up to the head at the time of the last
   * page.
   */
  readAll(afterPosition: number): AsyncIterable<readonly RecordedEvent<Event>[]>;
  /**
   * Catch-up subscription: delivers every event after `afterPosition` in order, then new events as they are appended. A
   * page is delivered when the promise of the previous page has settled. A rejection ends the subscription and is
   * reported to `onError`.
   */
  subscribe(
    afterPosition: number,
    onPage: (page: readonly RecordedEvent<Event>[]) => Promise<void>,
    onError: (error: Error) => void,
  ): Subscription;
  /** Position of the last event, or `START_OF_STORE`. */
  head(): Promise<number>;
  close(): Promise<void>;
}

/** The operations that an adapter provides to a catch-up subscription. */
export interface CatchUpSource {
  readAll(afterPosition: number): AsyncIterable<readonly RecordedEvent[]>;
  /** Resolves when there may be an event after the position, or when `stop` is aborted. */
  waitForMore(afterPosition: number, stop: AbortSignal): Promise<void>;
}

/**
 * The loop of `EventStore.subscribe` for every adapter: read to the head, wait, repeat. Closing waits for the current
 * page, so a handler must not await the close of its own subscription.
 */
export const followEvents = (
  source: CatchUpSource,
  afterPosition: number,
  onPage: (page: readonly RecordedEvent[]) => Promise<void>,
  onError: (error: Error) => void,
): Subscription => {
  const stop = new AbortController();
  const stopped = (): boolean => stop.signal.aborted;

  const follow = async (): Promise<void> => {
    let cursor = afterPosition;
    while (!stopped()) {
      for await (const page of source.readAll(cursor)) {
        if (stopped()) return;
        await onPage(page);
        cursor = page.at(-1)?.position ?? cursor;
        if (stopped()) return;
      }
      if (!stopped()) await source.waitForMore(cursor, stop.signal);
    }
  };

  const ended = follow().catch((error: unknown) => onError(error instanceof Error ? error : new Error(String(error))));
  return {
    close: () => {
      stop.abort();
      return ended;
    },
  };
};

/** Notifies waiting subscriptions of one process that the store has grown. */
export interface GrowthSignal {
  /** Resumes every waiter that has not seen `head` yet. */
  grownTo(head: number): void;
  waitPast(position: number, stop: AbortSignal): Promise<void>;
  /** The last position that is known. */
  readonly head: number;
  readonly waiting: number;
}

export const createGrowthSignal = (initialHead: number): GrowthSignal => {
  let known = initialHead;
  const waiters = new Set<() => void>();
  return {
    grownTo: (head) => {
      if (head <= known) return;
      known = head;
      for (const wake of [...waiters]) wake();
    },
    waitPast: (position, stop) =>
      new Promise((resolve) => {
        if (known > position || stop.aborted) return resolve();
        const wake = (): void => {
          waiters.delete(wake);
          stop.removeEventListener('abort', wake);
          resolve();
        };
        waiters.add(wake);
        stop.addEventListener('abort', wake, { once: true });
      }),
    get head() {
      return known;
    },
    get waiting() {
      return waiters.size;
    },
  };
};

/** The events of one append are larger than the store accepts. Nothing was stored. */
export class AppendTooLarge extends Error {
  constructor(
    readonly streamId: StreamId,
    /** The limit of the store in bytes: data and metadata of all events of one append. */
    readonly maxBytes: number,
    options?: ErrorOptions,
  ) {
    super(
      `The events for ${streamId} are larger than the ${maxBytes} bytes that the event store accepts in one append. Send a smaller document.`,
      options,
    );
    this.name = 'AppendTooLarge';
  }
}

/** Returns `kernel_arguments` for `changes.kernelArguments`. */
export const fieldOf = (path: string): string =>
  (path.split('.').findLast((name) => !/^(?:items|\d+)$/.test(name)) ?? path).replace(
    /[A-Z]/g,
    (letter) => `_${letter.toLowerCase()}`,
  );

/** A text in the data of an event is longer than an event may contain. Nothing was stored. */
export class TextTooLong extends Error {
  /** Field of the REST API with the text. Lists and labels are stored as one text. */
  readonly field: string;

  constructor(
    streamId: StreamId,
    eventType: string,
    /** Names and indexes from the data to the text, such as changes.kernelArguments. */
    readonly path: string,
    charactersMax: number,
  ) {
    const field = fieldOf(path);
    super(
      `${field} is too long to be stored: it has more than ${charactersMax} characters. Send fewer or shorter values. (${path} in ${eventType} for ${streamId})`,
    );
    this.name = 'TextTooLong';
    this.field = field;
  }
}
