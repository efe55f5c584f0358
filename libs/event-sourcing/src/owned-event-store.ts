import { type EventShape, parseStreamId } from '@muster/ports';
import type { TypedEventStore } from './typed-event-store';

/** A service tried to append to a stream of another service. A bug, not an error of the user. */
export class ForeignStreamError extends Error {
  constructor(service: string, streamId: string, owner: string | undefined) {
    super(
      `${service} may not append to ${streamId}: ${owner ? `only ${owner} writes that category` : 'no service owns that category'}.`,
    );
    this.name = 'ForeignStreamError';
  }
}

/** Category of streams → name of the only service that may append to them. */
export type StreamOwners = { readonly [category: string]: string };

/** The store as one service may use it: it reads every stream and appends only to streams of its own categories. */
export function ownedEventStore<Event extends EventShape>(
  store: TypedEventStore<Event>,
  service: string,
  owners: StreamOwners,
): TypedEventStore<Event> {
  return {
    ...store,
    append: async (streamId, expected, events) => {
      const { category } = parseStreamId(streamId);
      const owner = Object.hasOwn(owners, category) ? owners[category] : undefined;
      if (owner !== service) throw new ForeignStreamError(service, streamId, owner);
      return store.append(streamId, expected, events);
    },
  };
}
