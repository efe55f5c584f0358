import {
  type EventStore,
  forgetJsonText,
  type JsonObject,
  jsonTextOf,
  keepJsonLength,
  keepJsonText,
  parseStreamId,
  type RecordedEvent,
  type Requests,
  type Subscription,
} from '@muster/ports';
import { RepeatedFailure } from './repeated-failure';
import { eventSubject, HEAD_BEACON } from './shared-events';

/**
 * Intervals between beacons after the last event: short at first, so that a lost last event is detected soon, then
 * longer. After an outage of the bus, consumers find the events that it lost within the last interval.
 */
const BEACON_WAITS_MS = [100, 300, 1_000, 3_000];

export interface Relay {
  close(): Promise<void>;
}

/**
 * Follows the store and publishes a live copy of every event with the position of the previous event. Live copies may
 * be lost without loss of data.
 */
export async function startRelay(options: {
  readonly store: EventStore;
  readonly requests: Requests;
  readonly onError: (error: Error) => void;
}): Promise<Relay> {
  const { store, requests, onError } = options;
  let previous = await store.head();
  let beacon: NodeJS.Timeout | undefined;
  const failure = new RepeatedFailure(onError);
  let closed = false;

  const announceHead = (wait: number): void => {
    clearTimeout(beacon);
    beacon = setTimeout(() => {
      requests.publish(HEAD_BEACON, { position: previous });
      announceHead(Math.min(wait + 1, BEACON_WAITS_MS.length - 1));
    }, BEACON_WAITS_MS[wait]);
    beacon.unref();
  };

  const publish = (event: RecordedEvent): void => {
    try {
      const message = toEvent(event, previous);
      requests.publish(eventSubject(parseStreamId(event.streamId).category), message);
      forgetJsonText(message);
    } catch (error) {
      // The event may be too large for the bus. Consumers detect the gap and read the store.
      onError(asError(error));
    }
    forgetJsonText(event.data);
    previous = event.position;
  };

  const follow = (): Subscription =>
    store.subscribe(
      previous,
      async (page) => {
        page.forEach(publish);
        failure.succeeded();
        announceHead(0);
      },
      (error) => {
        void failure.pauseAfter(error).then(() => {
          if (!closed) subscription = follow();
        });
      },
    );

  let subscription = follow();
  announceHead(0);
  return {
    close: async () => {
      closed = true;
      failure.end();
      clearTimeout(beacon);
      await subscription.close();
      clearTimeout(beacon);
    },
  };
}

/** Returns the message of an event with its text, which contains the text that the store has written, and with its length. */
function toEvent(event: RecordedEvent, previous: number): JsonObject {
  const { position, streamId, revision, id, type, recordedAt, data } = event;
  const metadata = { ...event.metadata };
  const others = { previous, position, streamId, revision, id, type, metadata, recordedAt };
  // Written out, because it gets hidden properties.
  const message = { previous, position, streamId, revision, id, type, metadata, recordedAt, data };
  const text = `${JSON.stringify(others).slice(0, -1)},"data":${jsonTextOf(data)}}`;
  keepJsonText(message, text);
  keepJsonLength(message, text.length);
  return message;
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
