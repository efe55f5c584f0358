import {
  createGrowthSignal,
  followEvents,
  isoTime,
  NO_STREAM,
  START_OF_STORE,
  type Clock,
  type EventStore,
  type EventToAppend,
  type RecordedEvent,
  type StreamId,
  type Subscription,
} from '@muster/ports';

export interface InMemoryEventStoreOptions {
  /** @default the clock of the machine */
  readonly clock?: Clock;
  /** See EventStore. @default false */
  readonly isSoleWriter?: boolean;
}

const PAGE_EVENTS = 512;

/** Events in a list, for tests and for data that may be lost. */
export const inMemoryEventStore = (options: InMemoryEventStoreOptions = {}): EventStore => {
  const clock = options.clock ?? { nowMs: () => Date.now() };
  // Positions are indexes into `all`, revisions are indexes into a stream's list.
  const all: RecordedEvent[] = [];
  const streams = new Map<StreamId, RecordedEvent[]>();
  const subscriptions = new Set<Subscription>();
  const growth = createGrowthSignal(START_OF_STORE);
  let isOpen = true;

  const readAll = (afterPosition: number) => pages(all, afterPosition + 1);
  return {
    isSoleWriter: options.isSoleWriter ?? false,
    append: async (streamId, expected, events) => {
      if (!isOpen) throw new Error('The event store is closed.');
      if (events.length === 0) throw new Error(`An append to ${streamId} requires at least one event.`);
      const stream = streams.get(streamId) ?? [];
      const actualRevision = stream.length === 0 ? NO_STREAM : stream.length - 1;
      if (actualRevision !== expected) return { kind: 'conflict', actualRevision };
      const recordedAt = isoTime(clock.nowMs());
      const copies = JSON.parse(JSON.stringify(events)) as EventToAppend[];
      for (const event of copies) {
        const recorded = { ...event, streamId, revision: stream.length, position: all.length, recordedAt };
        stream.push(recorded);
        all.push(recorded);
      }
      streams.set(streamId, stream);
      growth.grownTo(all.length - 1);
      return { kind: 'appended', revision: stream.length - 1, position: all.length - 1 };
    },
    readStream: (streamId, afterRevision = NO_STREAM) => pages(streams.get(streamId) ?? [], afterRevision + 1),
    readAll,
    subscribe: (afterPosition, onPage, onError) => {
      const followed = followEvents({ readAll, waitForMore: growth.waitPast }, afterPosition, onPage, onError);
      subscriptions.add(followed);
      const close = (): Promise<void> => followed.close().finally(() => subscriptions.delete(followed));
      return { close };
    },
    head: async () => (all.length === 0 ? START_OF_STORE : all.length - 1),
    close: async () => {
      isOpen = false;
      await Promise.all([...subscriptions].map((subscription) => subscription.close()));
    },
  };
};

async function* pages(events: readonly RecordedEvent[], from: number): AsyncGenerator<readonly RecordedEvent[]> {
  for (let next = Math.max(from, 0); next < events.length;) {
    const page = events.slice(next, next + PAGE_EVENTS);
    next += page.length;
    yield page;
  }
}
