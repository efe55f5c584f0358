import type { RecordedEvent, Subscription } from './event-store';

/** What an adapter brings to a catch-up subscription: how to read, and how to wait. */
export interface CatchUpSource {
  readAll(afterPosition: number): AsyncIterable<readonly RecordedEvent[]>;
  /** Resolves as soon as there may be an event after the position, or when `stop` is aborted. */
  waitForMore(afterPosition: number, stop: AbortSignal): Promise<void>;
}

/**
 * The loop behind `EventStore.subscribe`, the same for every adapter: read to the head, wait, repeat. Closing waits for
 * the page in hand, so a handler must not await the close of its own subscription.
 */
export const followEvents = (
  source: CatchUpSource,
  afterPosition: number,
  onPage: (page: readonly RecordedEvent[]) => Promise<void>,
  onError: (error: Error) => void,
): Subscription => {
  const stop = new AbortController();
  const stopped = (): boolean => stop.signal.aborted;

  const follow = async (): Promise<void> => {
    let cursor = afterPosition;
    while (!stopped()) {
      for await (const page of source.readAll(cursor)) {
        if (stopped()) return;
        await onPage(page);
        cursor = page.at(-1)?.position ?? cursor;
        if (stopped()) return;
      }
      if (!stopped()) await source.waitForMore(cursor, stop.signal);
    }
  };

  const ended = follow().catch((error: unknown) => onError(error instanceof Error ? error : new Error(String(error))));
  return {
    close: () => {
      stop.abort();
      return ended;
    },
  };
};

/** Tells waiting subscriptions of one process that the store has grown. */
export interface GrowthSignal {
  /** Wakes every waiter that has not seen `head` yet. */
  grownTo(head: number): void;
  waitPast(position: number, stop: AbortSignal): Promise<void>;
  readonly waiting: number;
}

export const createGrowthSignal = (initialHead: number): GrowthSignal => {
  let known = initialHead;
  const waiters = new Set<() => void>();
  return {
    grownTo: (head) => {
      if (head <= known) return;
      known = head;
      for (const wake of [...waiters]) wake();
    },
    waitPast: (position, stop) =>
      new Promise((resolve) => {
        if (known > position || stop.aborted) return resolve();
        const wake = (): void => {
          waiters.delete(wake);
          stop.removeEventListener('abort', wake);
          resolve();
        };
        waiters.add(wake);
        stop.addEventListener('abort', wake, { once: true });
      }),
    get waiting() {
      return waiters.size;
    },
  };
};
