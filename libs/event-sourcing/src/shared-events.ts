import type { IncomingMessage, Requests } from '@muster/ports';

/** Live copies of stored events: `event.v1.<category>`. All categories and the beacons: `event.v1.>`. */
export const ALL_EVENTS = 'event.v1.>';
export const eventSubject = (category: string): string => `event.v1.${category}`;
/** The position of the last event, published by the relay while no event is stored. Not a category: it has a second token. */
export const HEAD_BEACON = 'event.v1.head.beacon';
/** A projection has committed up to a position. */
export const projectionSubject = (projection: string): string => `projection.v1.${projection}`;
export const ALL_PROJECTIONS = 'projection.v1.*';

type OnEvent = (message: IncomingMessage) => void;

interface SharedEvents {
  readonly listeners: Set<OnEvent>;
  readonly subscription: { unsubscribe(): void };
}

const SHARED = new WeakMap<Requests, SharedEvents>();

/**
 * Live facts for one consumer. All consumers on one bus share a subscription, so that each fact crosses the bus and is
 * parsed once per process. Consumers must therefore not change it.
 */
export function subscribeToEvents(requests: Requests, onEvent: OnEvent): { unsubscribe(): void } {
  const shared = SHARED.get(requests) ?? share(requests);
  // A function of its own, so that the same one may be given twice.
  const listener: OnEvent = (message) => onEvent(message);
  shared.listeners.add(listener);
  return {
    unsubscribe: () => {
      if (!shared.listeners.delete(listener) || shared.listeners.size > 0) return;
      shared.subscription.unsubscribe();
      SHARED.delete(requests);
    },
  };
}

function share(requests: Requests): SharedEvents {
  const listeners = new Set<OnEvent>();
  const subscription = requests.subscribe(ALL_EVENTS, (message) => {
    for (const listener of listeners) listener(message);
  });
  const shared = { listeners, subscription };
  SHARED.set(requests, shared);
  return shared;
}
