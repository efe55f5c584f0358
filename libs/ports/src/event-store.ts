/** `category-id`; the category has no dash and says which service may write the stream. */
export type StreamId = `${string}-${string}`;

/** A JSON object as proto3 JSON writes it. */
export type JsonObject = { [key: string]: JsonValue };
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** Who and what an event came from. Never holds a secret. */
export interface EventMetadata {
  /** The command that caused the event: the key of idempotency. */
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
}

export interface EventToAppend {
  readonly id: string;
  /** Name of the message in proto/muster/v1 that gives the shape of `data`. */
  readonly type: string;
  readonly data: JsonObject;
  readonly metadata: EventMetadata;
}

export interface RecordedEvent extends EventToAppend {
  readonly streamId: StreamId;
  /** 0 for the first event of its stream, without gaps. */
  readonly revision: number;
  /** Grows over the whole store; may have gaps; never repeats. */
  readonly position: number;
  /** The store's time, ISO 8601 UTC. */
  readonly recordedAt: string;
}

/** The revision of the last event that the writer has seen; `NO_STREAM` when it saw none. */
export type ExpectedRevision = number;
export const NO_STREAM: ExpectedRevision = -1;
/** The position before every event. */
export const START_OF_STORE = -1;

export type AppendResult =
  | { readonly kind: 'appended'; readonly revision: number; readonly position: number }
  | { readonly kind: 'conflict'; readonly actualRevision: number };

export interface Subscription {
  /** Resolves when no further event will be handed out. */
  close(): Promise<void>;
}

/** Where facts live. An `appended` answer means: durable, all events of the call or none. */
export interface EventStore {
  /** All or nothing; a wrong expectation is a value, not an error. `events` must not be empty. */
  append(streamId: StreamId, expected: ExpectedRevision, events: readonly EventToAppend[]): Promise<AppendResult>;
  /** Pages of one stream in order of revision, after `afterRevision` (default: from the first). */
  readStream(streamId: StreamId, afterRevision?: number): AsyncIterable<readonly RecordedEvent[]>;
  /** Pages of all streams in order of position, after `afterPosition`, up to the head at the time of the last page. */
  readAll(afterPosition: number): AsyncIterable<readonly RecordedEvent[]>;
  /**
   * Catch-up subscription: every event after `afterPosition` in order, then new ones as they are appended. A page is
   * handed out when the promise of the page before it has settled; a rejection ends the subscription and is reported to `onError`.
   */
  subscribe(
    afterPosition: number,
    onPage: (page: readonly RecordedEvent[]) => Promise<void>,
    onError: (error: Error) => void,
  ): Subscription;
  /** Position of the last event, or `START_OF_STORE`. */
  head(): Promise<number>;
  close(): Promise<void>;
}
