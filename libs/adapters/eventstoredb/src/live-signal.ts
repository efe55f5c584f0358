import { type AllStreamSubscription, END, type EventStoreDBClient, excludeSystemEvents } from '@eventstore/db-client';
import type { GrowthSignal } from '@muster/ports';
import { isOurs, toPosition } from './event-reader';

/** Bounds how late an event can be noticed that the live subscription missed, and when a broken one is tried again. */
const LOOK_AGAIN_MS = 1_000;

export interface LiveSignal {
  close(): Promise<void>;
}

/**
 * Rings whenever the store grows. The server's live subscription is only a bell here: what it rings for is read in pages from
 * the store, so a bell that is lost or rings twice changes nothing but the delay.
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
    // Only for what a reader will find: he would look for anything else again and again.
    subscription.on('data', ({ event }) => event && isOurs(event) && growth.grownTo(toPosition(event.position)));
    const drop = (): void => {
      if (bell === subscription) bell = undefined;
    };
    // The server ends subscriptions at each change of leader; the next look subscribes again.
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
      // The server is away: the next look will tell.
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
