import { EventStoreDBClient, NO_STREAM as EXPECT_NO_STREAM, WrongExpectedVersionError } from '@eventstore/db-client';
import {
  type AppendResult,
  createGrowthSignal,
  type EventStore,
  type EventToAppend,
  followEvents,
  NO_STREAM,
  START_OF_STORE,
  type StreamId,
  type Subscription,
} from '@muster/ports';
import { createEventReader, toEventData, toPosition } from './event-reader';
import { type LiveSignal, startLiveSignal } from './live-signal';

export interface EventStoreDbOptions {
  /** `esdb://user:password@host:2113?tls=false` and the like, as the server's documentation writes it. */
  readonly url: string;
}

/**
 * Events in EventStoreDB (22.6 or later). Positions are commit positions. The ids of events must be UUIDs; an append that is
 * repeated with the same ids is answered as the first one was.
 */
export const eventStoreDbEventStore = ({ url }: EventStoreDbOptions): EventStore => {
  const client = EventStoreDBClient.connectionString(url);
  const reader = createEventReader(client);
  const growth = createGrowthSignal(START_OF_STORE);
  const subscriptions = new Set<Subscription>();
  const appending = new Set<Promise<unknown>>();
  let live: LiveSignal | undefined;
  let isOpen = true;

  const requireOpen = (): void => {
    if (!isOpen) throw new Error('The event store is closed.');
  };

  const append = async (
    streamId: StreamId,
    expected: number,
    events: readonly EventToAppend[],
  ): Promise<AppendResult> => {
    const expectedRevision = expected === NO_STREAM ? EXPECT_NO_STREAM : BigInt(expected);
    try {
      const result = await client.appendToStream(streamId, events.map(toEventData), { expectedRevision });
      // A connection string can make the client answer instead of throw; the revision in that answer is not to be trusted.
      if (!result.success) return { kind: 'conflict', actualRevision: await reader.revisionOf(streamId) };
      const revision = Number(result.nextExpectedRevision);
      const position = result.position ? toPosition(result.position) : await positionOf(streamId, revision);
      growth.grownTo(position);
      return { kind: 'appended', revision, position };
    } catch (error) {
      if (!(error instanceof WrongExpectedVersionError)) throw error;
      const actualRevision = typeof error.actualVersion === 'bigint' ? Number(error.actualVersion) : NO_STREAM;
      return { kind: 'conflict', actualRevision };
    }
  };

  const positionOf = async (streamId: StreamId, revision: number): Promise<number> => {
    for await (const page of reader.readStream(streamId, revision - 1)) if (page[0]) return page[0].position;
    throw new Error(`EventStoreDB does not show revision ${revision} of ${streamId}, which it has just stored.`);
  };

  return {
    // Replicas of a service share the server.
    isSoleWriter: false,
    append: async (streamId, expected, events) => {
      requireOpen();
      if (events.length === 0) throw new Error(`An append to ${streamId} requires at least one event.`);
      const result = append(streamId, expected, events);
      const settled = result.catch(() => undefined).finally(() => appending.delete(settled));
      appending.add(settled);
      return result;
    },
    readStream: (streamId, afterRevision = NO_STREAM) => reader.readStream(streamId, afterRevision),
    readAll: reader.readAll,
    subscribe: (afterPosition, onPage, onError) => {
      requireOpen();
      live ??= startLiveSignal(client, growth, reader.head);
      const source = { readAll: reader.readAll, waitForMore: growth.waitPast };
      const followed = followEvents(source, afterPosition, onPage, onError);
      subscriptions.add(followed);
      return { close: () => followed.close().finally(() => subscriptions.delete(followed)) };
    },
    head: reader.head,
    close: async () => {
      if (!isOpen) return;
      isOpen = false;
      await Promise.all(appending);
      await Promise.all([...subscriptions].map((subscription) => subscription.close()));
      await live?.close();
      await client.dispose();
    },
  };
};
