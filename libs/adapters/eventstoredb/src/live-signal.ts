import { type AllStreamSubscription, END, type EventStoreDBClient, excludeSystemEvents } from '@eventstore/db-client';
import type { GrowthSignal } from '@muster/ports';
import { isMusterEvent, toPosition } from './event-reader';

/**
 * Maximum delay until an event is detected that the live subscription missed, and the interval at which a broken
 * subscription is retried.
 */
const CHECK_INTERVAL_MS = 1_000;

export interface LiveSignal {
  close(): Promise<void>;
}

/**
 * Notifies whenever the store grows. The notification contains no event: the reader reads pages from the store, so a
 * lost or repeated notification only changes the delay.
 */
export const startLiveSignal = (
  client: () => EventStoreDBClient,
  growth: GrowthSignal,
  head: () => Promise<number>,
): LiveSignal => {
  let current: AllStreamSubscription | undefined;
  let isChecking = false;

  const listen = (): void => {
    const subscription = client().subscribeToAll({ fromPosition: END, filter: excludeSystemEvents() });
    current = subscription;
    // Filters for events that the reader will find. For other events, the reader would read the store repeatedly
    // without a result.
    subscription.on('data', ({ event }) => event && isMusterEvent(event) && growth.grownTo(toPosition(event.position)));
    const drop = (): void => {
      if (current === subscription) current = undefined;
    };
    // The server ends subscriptions at each change of leader. The next check subscribes again.
    subscription.on('error', drop);
    subscription.on('end', drop);
    subscription.on('close', drop);
  };

  const check = async (): Promise<void> => {
    if (isChecking || growth.waiting === 0) return;
    isChecking = true;
    try {
      if (current === undefined) listen();
      growth.grownTo(await head());
    } catch {
      // The server is not available. The next check subscribes again.
    } finally {
      isChecking = false;
    }
  };

  listen();
  const timer = setInterval(() => void check(), CHECK_INTERVAL_MS).unref();
  return {
    close: async () => {
      clearInterval(timer);
      await current?.unsubscribe();
    },
  };
};
