import { parseStreamId, type ServiceName, STREAM_OWNERS, type StreamCategory } from '@muster/contracts';
import type { EventStore } from '@muster/ports';

/** A service tried to write a stream that another one owns. A bug, never a user's doing. */
export class ForeignStreamError extends Error {
  constructor(service: string, streamId: string, owner: string | undefined) {
    super(
      `${service} may not append to ${streamId}: ${owner ? `only ${owner} writes that category` : 'no service owns that category'}.`,
    );
    this.name = 'ForeignStreamError';
  }
}

/** The store as one service may use it: it reads everything and appends to its own categories only. */
export function ownedEventStore(store: EventStore, service: ServiceName): EventStore {
  return {
    append: async (streamId, expected, events) => {
      const owner = ownerOf(parseStreamId(streamId).category);
      if (owner !== service) throw new ForeignStreamError(service, streamId, owner);
      return store.append(streamId, expected, events);
    },
    readStream: (streamId, afterRevision) => store.readStream(streamId, afterRevision),
    readAll: (afterPosition) => store.readAll(afterPosition),
    subscribe: (afterPosition, onPage, onError) => store.subscribe(afterPosition, onPage, onError),
    head: () => store.head(),
    close: () => store.close(),
  };
}

function ownerOf(category: string): ServiceName | undefined {
  return Object.hasOwn(STREAM_OWNERS, category) ? STREAM_OWNERS[category as StreamCategory] : undefined;
}
