import { type AllStreamSubscription, END, type EventStoreDBClient, excludeSystemEvents } from '@eventstore/db-client';
import type { GrowthSignal } from '@muster/ports';
import { isOurs, toPosition } from './event-reader';

/**
 * Maximum delay until an event is detected that the live subscription missed, and the interval at which a broken
 * subscription is retried.
 */
const LOOK_AGAIN_MS = 1_000;

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
  let bell: AllStreamSubscription | undefined;
  let isLooking = false;

  const listen = (): void => {
    const subscription = client().subscribeToAll({ fromPosition: END, filter: excludeSystemEvents() });
    bell = subscription;
    // Filters for events that the reader will find. For other events, the reader would read the store repeatedly
    // without a result.
    subscription.on('data', ({ event }) => event && isOurs(event) && growth.grownTo(toPosition(event.position)));
    const drop = (): void => {
      if (bell === subscription) bell = undefined;
    };
    // The server ends subscriptions at each change of leader. The next check subscribes again.
    subscription.on('error', drop);
    subscription.on('end', drop);
    subscription.on('close', drop);
  };

  const look = async (): Promise<void> => {
    if (isLooking || growth.waiting === 0) return;
    isLooking = true;
    try {
      if (bell === undefined) listen();
      growth.grownTo(await head());
    } catch {
      // The server is not available. The next check subscribes again.
    } finally {
      isLooking = false;
    }
  };

  listen();
  const timer = setInterval(() => void look(), LOOK_AGAIN_MS).unref();
  return {
    close: async () => {
      clearInterval(timer);
      await bell?.unsubscribe();
    },
  };
};
