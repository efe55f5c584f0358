import { inMemoryEventStore } from '@muster/adapter-in-memory';
import type { EventStore, JsonObject, JsonValue, RecordedEvent, Requests, StoredEvent, StreamId } from '@muster/ports';
import { collectPages, eventToAppend } from '@muster/testing';
import { eventSubject, HEAD_BEACON } from './shared-events';
import { type EventCodec, type TypedEventStore, typedEventStore } from './typed-event-store';

/** A codec for events of any type in their stored form. */
const PLAIN_CODEC: EventCodec<StoredEvent> = {
  encode: (event) => event,
  decode: (stored) => stored,
  toStored: (event) => event,
};

export type PlainEventStore = TypedEventStore<StoredEvent>;

export const plainEventStore = (store: EventStore = inMemoryEventStore()): PlainEventStore =>
  typedEventStore(store, PLAIN_CODEC);

const MANY_STREAMS = 7;

/**
 * Appends events, one at a time, to a few streams in turn. Their data is `{ n }`, where n counts all events of the
 * store.
 */
export const appendEvents = async (store: EventStore, count: number): Promise<readonly RecordedEvent[]> => {
  const known = await collectPages(store.readAll(-1));
  const revisions = new Map<StreamId, number>();
  for (const { streamId, revision } of known) revisions.set(streamId, revision);
  for (let n = known.length; n < known.length + count; n += 1) {
    const streamId: StreamId = `sample-${n % MANY_STREAMS}`;
    const result = await store.append(streamId, revisions.get(streamId) ?? -1, [eventToAppend({ n })]);
    if (result.kind === 'conflict') throw new Error(`${streamId} has another writer.`);
    revisions.set(streamId, result.revision);
  }
  return (await collectPages(store.readAll(-1))).slice(known.length);
};

/** Publishes the message that the relay would publish for an event. */
export const publishEvent = (requests: Requests, event: RecordedEvent, previous: number): void =>
  requests.publish(eventSubject('sample'), { ...event, previous } as unknown as JsonValue);

/** Appends and publishes each event as the relay does. `isLost` names the events that are not delivered. */
export const appendLive = async (
  store: PlainEventStore,
  requests: Requests,
  count: number,
  isLost: (n: number) => boolean = () => false,
): Promise<void> => {
  let previous = await store.head();
  for (const [n, event] of (await appendEvents(store, count)).entries()) {
    if (!isLost(n)) publishEvent(requests, event, previous);
    previous = event.position;
  }
};

/** Lets pending promises settle. */
export const turns = async (): Promise<void> => {
  for (let n = 0; n < 50; n += 1) await Promise.resolve();
};

export const publishBeacon = (requests: Requests, position: number): void =>
  requests.publish(HEAD_BEACON, { position });

export const numbersOf = (events: readonly RecordedEvent[]): JsonValue[] =>
  events.map((event) => (event.data as JsonObject & { n: number }).n);

export const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** Returns the same store with a count of its complete reads. */
export const countingStore = (
  store: EventStore = inMemoryEventStore(),
): PlainEventStore & { readonly reads: number } => {
  let reads = 0;
  const counting: EventStore = {
    ...store,
    readAll: (afterPosition) => {
      reads += 1;
      return store.readAll(afterPosition);
    },
  };
  return {
    ...plainEventStore(counting),
    get reads() {
      return reads;
    },
  };
};

/**
 * Stops the clock of durations until the mocks are restored. A consumer then handles a page in one turn of the event loop, also while the
 * machine is busy.
 */
export const stopClock = (): void => void jest.spyOn(performance, 'now').mockReturnValue(performance.now());

/**
 * Runs work that takes 2 ms, and counts how often it ran in each turn of the event loop. Until the end, only this work takes time: a busy
 * machine would divide it among other turns.
 */
export class BusyTurns {
  private turn = 0;
  private nowMs = performance.now();
  private readonly clock = jest.spyOn(performance, 'now').mockImplementation(() => this.nowMs);
  private readonly counts = new Map<number, number>();
  private immediate = setImmediate(() => this.nextTurn());

  work(): void {
    this.counts.set(this.turn, (this.counts.get(this.turn) ?? 0) + 1);
    this.nowMs += 2;
  }

  most(): number {
    return Math.max(...this.counts.values());
  }

  end(): void {
    clearImmediate(this.immediate);
    this.clock.mockRestore();
  }

  private nextTurn(): void {
    this.turn += 1;
    this.immediate = setImmediate(() => this.nextTurn());
  }
}
