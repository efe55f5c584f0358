import type { EventShape, RecordedEvent, Requests } from '@muster/ports';
import { RepeatedFailure } from './repeated-failure';
import { HEAD_BEACON, isPublishedEvent, positionOf, subscribeToEvents } from './shared-events';
import type { TypedEventStore } from './typed-event-store';

/** Live events that are buffered while a page is handled. When more arrive, the store is read instead. */
const MAX_WAITING_EVENTS = 2_048;
/** After this time without an event or a beacon, the store is read. */
const SILENCE_CHECK_MS = 30_000;

export interface FeedOptions<Event extends EventShape> {
  readonly name: string;
  readonly store: TypedEventStore<Event>;
  readonly requests: Requests;
  /** The position of this consumer. It receives everything after it, in order, at least once. */
  readonly fromPosition: number;
  /** A rejection means that the page was not handled. The same page is delivered again after a pause. */
  readonly onPage: (page: readonly RecordedEvent<Event>[]) => Promise<void>;
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
}

/**
 * Delivers events from the store, then live events as long as each follows the previous one. After a gap, the store is
 * read again.
 */
export function startFeed<Event extends EventShape>(options: FeedOptions<Event>): Feed {
  const { store, requests } = options;
  let position = options.fromPosition;
  let waiting: WaitingEvent<Event>[] = [];
  let behind = true;
  let closed = false;
  let lastMessageAt = Date.now();
  const failure = new RepeatedFailure(options.onError);
  let running: Promise<void> | undefined;
  let announceCaughtUp: () => void = () => undefined;
  const caughtUp = new Promise<void>((resolve) => (announceCaughtUp = resolve));

  const deliver = async (page: readonly RecordedEvent<Event>[]): Promise<void> => {
    await options.onPage(page);
    position = page[page.length - 1]?.position ?? position;
  };

  const readStore = async (): Promise<void> => {
    behind = false;
    for await (const page of store.readShared(position)) {
      if (closed) return;
      if (page.length > 0) await deliver(page);
    }
  };

  const deliverLive = (): readonly RecordedEvent<Event>[] => {
    const chained: RecordedEvent<Event>[] = [];
    let end = position;
    for (const { previous, event } of waiting) {
      if (event.position <= end) continue;
      if (previous > end) {
        behind = true;
        break;
      }
      chained.push(event);
      end = event.position;
    }
    waiting = [];
    return chained;
  };

  const run = async (): Promise<void> => {
    while (!closed && (behind || waiting.length > 0)) {
      try {
        if (behind) await readStore();
        else {
          const page = deliverLive();
          if (page.length > 0) await deliver(page);
        }
        failure.succeeded();
        // A close may have interrupted the read, so the feed must not report that it has caught up.
        if (!behind && !closed) announceCaughtUp();
      } catch (error) {
        behind = true;
        await failure.pauseAfter(error);
      }
    }
  };

  const wake = (): void => {
    // Events that are delivered in the same turn are handled as one page.
    running ??= Promise.resolve()
      .then(run)
      .finally(() => {
        running = undefined;
        if (!closed && (behind || waiting.length > 0)) wake();
      });
  };

  const live = subscribeToEvents(requests, ({ subject, body }) => {
    lastMessageAt = Date.now();
    if (positionOf(body) <= position) return;
    if (subject === HEAD_BEACON || waiting.length >= MAX_WAITING_EVENTS || !isPublishedEvent(body)) behind = true;
    else waiting.push({ previous: body.previous, event: store.decode(body) });
    wake();
  });

  const silence = setInterval(() => {
    if (Date.now() - lastMessageAt < SILENCE_CHECK_MS) return;
    lastMessageAt = Date.now();
    store.head().then((head) => {
      if (head > position) {
        behind = true;
        wake();
      }
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
