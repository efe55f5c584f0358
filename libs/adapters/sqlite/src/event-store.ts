import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Clock,
  createGrowthSignal,
  type EventStore,
  followEvents,
  NO_STREAM,
  type RecordedEvent,
  START_OF_STORE,
  type StreamId,
  type Subscription,
  type TurnLimits,
  TurnShare,
} from '@muster/ports';
import { AppendQueue } from './append-queue';
import { explained, openDatabase } from './database';
import {
  decodeRow,
  encodeBody,
  EventPages,
  PAGE_EVENTS,
  QUERY_EVENTS,
  type StoredText,
  TURN_CHARACTERS,
} from './event-pages';
import { type SqliteWriter, writerHere } from './writer';

export interface SqliteEventStoreOptions {
  /** Path of the database file. Its directory must exist. While it is open, two more files exist in the same directory. */
  readonly file: string;
  /** @default the clock of the machine */
  readonly clock?: Clock;
  /** No other process appends to the file, see EventStore. @default false */
  readonly isSoleWriter?: boolean;
  /** Maximum size of the file in bytes. @default limited by the disk only */
  readonly maxBytes?: number;
  /** Writes the appends. The caller closes it. @default in the thread of the caller */
  readonly writer?: SqliteWriter;
}

/**
 * The interval at which a subscription checks for events of another process. Events of this process are delivered
 * immediately.
 */
const OTHER_WRITERS_POLL_MS = 250;
/**
 * Time in which streams are read in one turn of the event loop. When a cluster of 1,000 hosts is cancelled after a start, the commands
 * on its hosts read their streams at the same time.
 */
const STREAM_READS_TIME: TurnLimits = { minMs: 4, share: 0.1, maxMs: 10 };

/**
 * Opens or creates an event store in one SQLite file. Readers share the returned events and must not change them.
 * @throws DatabaseUnusable when the file is not an event store, belongs to a newer release, or cannot be written
 */
export const sqliteEventStore = (options: SqliteEventStoreOptions): EventStore => {
  const clock = options.clock ?? { nowMs: () => Date.now() };
  // It only reads. The writer has a connection of its own.
  const database = openDatabase(options.file);
  const eventPages = new EventPages(database, options.file);
  const growth = createGrowthSignal(eventPages.head());
  const { file, maxBytes, writer = writerHere() } = options;
  const appends = new AppendQueue(writer, { file, maxBytes }, (events, characters) => {
    eventPages.add(events, characters);
    growth.grownTo(events.at(-1)?.position ?? START_OF_STORE);
  });
  const selectStream = database
    .prepare(
      `SELECT position, revision, CAST(body AS BLOB) FROM streams JOIN events ON stream = streams.id
       WHERE name = ? AND revision > ? ORDER BY revision LIMIT ${QUERY_EVENTS}`,
    )
    .raw();
  const dataVersion = database.prepare('PRAGMA data_version').raw();
  const subscriptions = new Set<Subscription>();
  const readsTime = new TurnShare(STREAM_READS_TIME);
  let isOpen = true;
  let poll: NodeJS.Timeout | undefined;
  let seenVersion = 0;

  /** A read that runs while the store is being closed continues until its subscriptions have ended. */
  const requireOpen = (is = isOpen): void => {
    if (!is) throw new Error(`The event store ${options.file} is closed.`);
  };

  async function* readStream(streamId: StreamId, afterRevision: number): AsyncGenerator<readonly RecordedEvent[]> {
    for (let cursor = afterRevision; ;) {
      while (!readsTime.hasTime()) await readsTime.nextTurn();
      requireOpen(database.open);
      const { page, isEnd } = streamPage(streamId, cursor);
      if (page.length > 0) yield page;
      if (isEnd) return;
      cursor = page.at(-1)?.revision ?? cursor;
    }
  }

  /** Returns the next events of a stream, fewer when they are long. */
  function streamPage(
    streamId: StreamId,
    afterRevision: number,
  ): { readonly page: readonly RecordedEvent[]; readonly isEnd: boolean } {
    const page: RecordedEvent[] = [];
    for (let [cursor, read] = [afterRevision, 0]; page.length < PAGE_EVENTS && read < TURN_CHARACTERS;) {
      const rows = explained(options.file, () => selectStream.all(streamId, cursor) as [number, number, StoredText][]);
      for (const [position, revision, body] of rows) {
        page.push(decodeRow(options.file, streamId, revision, position, body));
        read += body?.byteLength ?? 0;
        cursor = revision;
      }
      if (rows.length < QUERY_EVENTS) return { page, isEnd: true };
    }
    return { page, isEnd: false };
  }

  /** Appends in progress are awaited first, because their events need not be read and parsed then. */
  async function readOn(cursor: number): Promise<readonly RecordedEvent[]> {
    await appends.settled();
    requireOpen(database.open);
    return eventPages.kept(cursor) ?? eventPages.after(cursor);
  }

  /** `isEnd`: whether nothing is known to be stored after a position, so that the database need not be asked. */
  async function* readAll(
    afterPosition: number,
    isEnd = (_position: number): boolean => false,
  ): AsyncGenerator<readonly RecordedEvent[]> {
    for (let cursor = afterPosition; !isEnd(cursor);) {
      requireOpen(database.open);
      const page = eventPages.kept(cursor) ?? (await readOn(cursor));
      if (page.length === 0) return;
      yield page;
      cursor = page.at(-1)?.position ?? cursor;
      // Reads are synchronous, so other work of the process runs between pages of a long replay.
      await nextTurn();
    }
  }

  const checkForOtherWriters = (): void => {
    try {
      const [version] = dataVersion.get() as [number];
      if (version === seenVersion) return;
      growth.grownTo(eventPages.head());
      seenVersion = version;
    } catch {
      // No caller waits for this check, so its error would end the process. The next one repeats it. Reads report their errors.
    }
  };

  const subscribe: EventStore['subscribe'] = (afterPosition, onPage, onError) => {
    requireOpen();
    poll ??= setInterval(checkForOtherWriters, OTHER_WRITERS_POLL_MS).unref();
    const readKnown = (position: number) => readAll(position, (cursor) => cursor >= growth.head);
    const followed = followEvents({ readAll: readKnown, waitForMore: growth.waitPast }, afterPosition, onPage, onError);
    subscriptions.add(followed);
    const close = (): Promise<void> =>
      followed.close().finally(() => {
        subscriptions.delete(followed);
        if (subscriptions.size === 0) poll = void clearInterval(poll);
      });
    return { close };
  };

  return {
    isSoleWriter: options.isSoleWriter ?? false,
    append: async (streamId, expected, events) => {
      requireOpen();
      if (events.length === 0) throw new Error(`An append to ${streamId} requires at least one event.`);
      const recordedAtMs = clock.nowMs();
      return appends.append(
        streamId,
        expected,
        events.map((event) => encodeBody(event, recordedAtMs)),
      );
    },
    readStream: (streamId, afterRevision = NO_STREAM) => readStream(streamId, afterRevision),
    readAll: (afterPosition) => readAll(afterPosition),
    subscribe,
    head: async () => {
      requireOpen();
      return eventPages.head();
    },
    close: async () => {
      if (!isOpen) return;
      isOpen = false;
      clearInterval(poll);
      await Promise.all([...subscriptions].map((subscription) => subscription.close()));
      database.close();
      // Leaves one file instead of three, so that a copy of it is a backup.
      await appends.close();
    },
  };
};
