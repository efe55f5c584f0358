import { factSubject, HEAD_BEACON, parseStreamId } from '@muster/contracts';
import type { EventStore, RecordedEvent, Requests } from '@muster/ports';

/** Waits between beacons after the last fact: soon at first, so that a lost last fact is noticed soon; then rarely. */
const BEACON_WAITS_MS = [100, 300, 1_000, 3_000, 10_000, 15_000];

export interface Relay {
  close(): Promise<void>;
}

/** Follows the store and publishes a live copy of every event, each naming the position before it. Losing all of them loses nothing. */
export async function startRelay(options: {
  readonly store: EventStore;
  readonly requests: Requests;
  readonly onError: (error: Error) => void;
}): Promise<Relay> {
  const { store, requests } = options;
  let previous = await store.head();
  let beacon: NodeJS.Timeout | undefined;

  const announceHead = (wait: number): void => {
    clearTimeout(beacon);
    beacon = setTimeout(() => {
      requests.publish(HEAD_BEACON, { position: previous });
      announceHead(Math.min(wait + 1, BEACON_WAITS_MS.length - 1));
    }, BEACON_WAITS_MS[wait]);
    beacon.unref();
  };

  const publish = (event: RecordedEvent): void => {
    requests.publish(factSubject(parseStreamId(event.streamId).category), {
      previous,
      position: event.position,
      streamId: event.streamId,
      revision: event.revision,
      id: event.id,
      type: event.type,
      data: event.data,
      metadata: { ...event.metadata },
      recordedAt: event.recordedAt,
    });
    previous = event.position;
  };

  const subscription = store.subscribe(
    previous,
    async (page) => {
      page.forEach(publish);
      announceHead(0);
    },
    options.onError,
  );
  announceHead(0);
  return {
    close: async () => {
      clearTimeout(beacon);
      await subscription.close();
    },
  };
}
