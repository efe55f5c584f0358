import { type IncomingMessage, type JsonValue, NoResponder, type Requests } from '@muster/ports';

/** Decides the result of a publication: lost, delivered once, or delivered several times. */
export type DeliveryFault = (message: IncomingMessage) => readonly IncomingMessage[];

export interface LocalBus extends Requests {
  /** All publications, before faults are applied. */
  readonly published: readonly IncomingMessage[];
  deliveryFault(deliveryFault: DeliveryFault): void;
}

/**
 * A bus inside one test that can simulate faults. Messages are delivered in order, after the current turn of the event
 * loop.
 */
export const localBus = (): LocalBus => {
  const subscribers = new Set<{ pattern: RegExp; onMessage: (message: IncomingMessage) => unknown }>();
  const published: IncomingMessage[] = [];
  let delivery: DeliveryFault = (message) => [message];

  return {
    published,
    deliveryFault: (deliveryFault) => (delivery = deliveryFault),
    publish: (subject, body, headers = {}) => {
      const message = { subject, body: JSON.parse(JSON.stringify(body)) as JsonValue, headers };
      published.push(message);
      for (const arriving of delivery(message))
        queueMicrotask(() => {
          for (const { pattern, onMessage } of [...subscribers])
            if (pattern.test(arriving.subject)) onMessage(arriving);
        });
    },
    subscribe: (subject, onMessage) => {
      const source = subject.replaceAll('.', '\\.').replaceAll('*', '[^.]+').replace('>', '.+');
      const subscriber = { pattern: new RegExp(`^${source}$`), onMessage };
      subscribers.add(subscriber);
      return { unsubscribe: () => void subscribers.delete(subscriber) };
    },
    request: async (subject) => {
      throw new NoResponder(subject);
    },
    close: async () => subscribers.clear(),
  };
};
