import {
  type EventShape,
  jsonLengthOf,
  type RecordedEvent,
  type Requests,
  type TurnLimits,
  TurnShare,
} from '@muster/ports';
import { RepeatedFailure } from './repeated-failure';
import { HEAD_BEACON, isPublishedEvent, positionOf, subscribeToEvents } from './shared-events';
import type { TypedEventStore } from './typed-event-store';

/** Live events that are buffered while a page is handled. When more arrive, the oldest are read from the store instead. */
const MAX_WAITING_EVENTS = 2_048;
/** Length of the buffered events together. In a cluster of 1,000 hosts, the first report of each about its connections has 200 KiB. */
const MAX_WAITING_LENGTH = 16 * 1024 ** 2;
/** After this time without an event or a beacon, the store is read. */
const SILENCE_CHECK_MS = 30_000;

/** Time in which a feed handles events in one turn of the event loop. All hosts of a large cluster may change in the same turn. */
export const FEED_TIME: TurnLimits = { minMs: 4, share: 0.1, maxMs: 10 };

export interface FeedOptions<Event extends EventShape> {
  readonly name: string;
  readonly store: TypedEventStore<Event>;
  readonly requests: Requests;
  /** The position of this consumer. It receives everything after it, in order, at least once. */
  readonly fromPosition: number;
  /**
   * Continues in the next turn of the event loop when `time` has none left. A rejection means that the page was not handled. The same
   * page is delivered again after a pause.
   */
  readonly onPage: (page: readonly RecordedEvent<Event>[], time: TurnShare) => Promise<void>;
  readonly onError: (error: Error) => void;
}

export interface Feed {
  readonly name: string;
  /** Resolves when everything stored before the start was handled. Never resolves when the feed is closed before. */
  readonly caughtUp: Promise<void>;
  /** Last position handled. */
  position(): number;
  close(): Promise<void>;
}

interface WaitingEvent<Event extends EventShape> {
  readonly previous: number;
  readonly event: RecordedEvent<Event>;
  /** Length of its message as JSON; 0 when it is not known. */
  readonly length: number;
}

/** The newest live events that are not handled yet. */
class WaitingEvents<Event extends EventShape> implements Iterable<WaitingEvent<Event>> {
  private events: WaitingEvent<Event>[] = [];
  private length = 0;

  get first(): WaitingEvent<Event> | undefined {
    return this.events[0];
  }

  get last(): WaitingEvent<Event> | undefined {
    return this.events[this.events.length - 1];
  }

  [Symbol.iterator](): Iterator<WaitingEvent<Event>> {
    return this.events.values();
  }

  push(event: WaitingEvent<Event>): void {
    this.events.push(event);
    this.length += event.length;
    while (this.events.length > MAX_WAITING_EVENTS || this.length > MAX_WAITING_LENGTH)
      this.length -= this.events.shift()?.length ?? 0;
  }

  /** Removes the first events. */
  drop(count = this.events.length): void {
    for (const { length } of this.events.splice(0, count)) this.length -= length;
  }

  dropUpTo(position: number): void {
    const next = this.events.findIndex(({ event }) => event.position > position);
    this.drop(next === -1 ? undefined : next);
  }
}

/**
 * Delivers events from the store, then live events as long as each follows the previous one. After a gap, the store is
 * read up to the next live event. A feed that is slower than the events arrive stays with live events: all consumers of
 * a process read the store at the pace of the slowest one.
 */
export function startFeed<Event extends EventShape>(options: FeedOptions<Event>): Feed {
  const { store, requests } = options;
  let position = options.fromPosition;
  /** The last event of the page that is being handled; `position` otherwise. */
  let takenUpTo = position;
  const waiting = new WaitingEvents<Event>();
  /** Position of the last event that is known to be stored. */
  let announced = position;
  /** The position at which everything stored before the start was handled. */
  let caughtUpAt: number | undefined;
  let behind = true;
  let closed = false;
  let lastMessageAt = performance.now();
  const failure = new RepeatedFailure(options.onError);
  const time = new TurnShare(FEED_TIME);
  let running: Promise<void> | undefined;
  let announceCaughtUp: () => void = () => undefined;
  const caughtUp = new Promise<void>((resolve) => (announceCaughtUp = resolve));

  const deliver = async (page: readonly RecordedEvent<Event>[]): Promise<void> => {
    const last = page[page.length - 1]?.position ?? position;
    takenUpTo = last;
    try {
      await options.onPage(page, time);
      position = last;
    } finally {
      takenUpTo = position;
    }
  };

  /** Returns whether the next live event follows the handled ones. */
  const isChained = (): boolean => {
    waiting.dropUpTo(position);
    return waiting.first !== undefined && waiting.first.previous <= position;
  };

  const readStore = async (): Promise<void> => {
    behind = false;
    const before = position;
    for await (const page of store.readShared(position)) {
      if (closed) return;
      if (page.length > 0) await deliver(page);
      if (isChained()) {
        // Some of the live events may have been stored before the start.
        caughtUpAt ??= waiting.last?.event.position;
        return;
      }
      if (caughtUpAt !== undefined && announced <= position) return;
    }
    caughtUpAt = Math.min(caughtUpAt ?? position, position);
    // The store does not contain what was announced, and reading again would not help.
    if (position > before || isChained()) return;
    waiting.drop();
    announced = position;
  };

  const takeLive = (): readonly RecordedEvent<Event>[] => {
    const chained: RecordedEvent<Event>[] = [];
    let end = position;
    let taken = 0;
    for (const { previous, event } of waiting) {
      if (event.position > end) {
        if (previous > end) break;
        chained.push(event);
        end = event.position;
      }
      taken += 1;
    }
    waiting.drop(taken);
    return chained;
  };

  const hasMore = (): boolean => behind || announced > position;

  const run = async (): Promise<void> => {
    while (!closed && hasMore()) {
      try {
        const page = behind ? [] : takeLive();
        if (page.length > 0) await deliver(page);
        else await readStore();
        failure.succeeded();
        // A close may have interrupted the read, so the feed must not report that it has caught up.
        if (!closed && caughtUpAt !== undefined && position >= caughtUpAt) announceCaughtUp();
      } catch (error) {
        behind = true;
        const paused = failure.pauseAfter(error);
        // The close ended no pause, because none had begun.
        if (closed) failure.end();
        await paused;
      }
    }
  };

  const wake = (): void => {
    // Events that are delivered in the same turn are handled as one page.
    running ??= Promise.resolve()
      .then(run)
      .finally(() => {
        running = undefined;
        if (!closed && hasMore()) wake();
      });
  };

  const live = subscribeToEvents(requests, ({ subject, body }) => {
    lastMessageAt = performance.now();
    const end = positionOf(body);
    if (end <= takenUpTo) return;
    announced = Math.max(announced, end);
    if (subject !== HEAD_BEACON && isPublishedEvent(body)) {
      waiting.push({ previous: body.previous, event: store.decode(body), length: jsonLengthOf(body) });
    }
    wake();
  });

  const silence = setInterval(() => {
    if (performance.now() - lastMessageAt < SILENCE_CHECK_MS) return;
    lastMessageAt = performance.now();
    store.head().then((head) => {
      announced = Math.max(announced, head);
      if (hasMore()) wake();
    }, options.onError);
  }, SILENCE_CHECK_MS);
  silence.unref();
  wake();

  return {
    name: options.name,
    caughtUp,
    position: () => position,
    close: async () => {
      closed = true;
      clearInterval(silence);
      live.unsubscribe();
      failure.end();
      await running;
    },
  };
}
