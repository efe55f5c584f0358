import type { IncomingMessage, RecordedEvent, Requests } from '@muster/ports';

/** Subject of the live copies of stored events: `event.v1.<category>`. All categories and beacons: `event.v1.>`. */
export const ALL_EVENTS = 'event.v1.>';
export const eventSubject = (category: string): string => `event.v1.${category}`;
/**
 * Subject of the position of the last event, which the relay publishes while no event is stored. It is not a category,
 * because it has a second token.
 */
export const HEAD_BEACON = 'event.v1.head.beacon';
/** Subject of the position up to which a projection has committed. */
export const projectionSubject = (projection: string): string => `projection.v1.${projection}`;

/** A stored event as the relay publishes it: with the position of the event before it. */
export type PublishedEvent = RecordedEvent & { readonly previous: number };

/** The position that a live event or a beacon carries. A message without one counts as new: the feed then reads the store. */
export const positionOf = (message: unknown): number =>
  hasMembers(message) && typeof message['position'] === 'number' ? message['position'] : Number.POSITIVE_INFINITY;

export const isPublishedEvent = (message: unknown): message is PublishedEvent =>
  hasMembers(message) &&
  typeof message['previous'] === 'number' &&
  typeof message['type'] === 'string' &&
  hasMembers(message['data']) &&
  hasMembers(message['metadata']);

const hasMembers = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null;

type OnEvent = (message: IncomingMessage) => void;

interface SharedEvents {
  readonly listeners: Set<OnEvent>;
  readonly subscription: { unsubscribe(): void };
}

const SHARED = new WeakMap<Requests, SharedEvents>();

/**
 * Delivers live events to one consumer. All consumers of one bus share a subscription, so that each event is received
 * and parsed once per process. Consumers must not change it.
 */
export function subscribeToEvents(requests: Requests, onEvent: OnEvent): { unsubscribe(): void } {
  const shared = SHARED.get(requests) ?? share(requests);
  // A wrapper, so that the same listener may be added twice.
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
