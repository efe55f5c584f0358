import type { EventShape, JsonObject, ReadModelChange, ReadModels, RecordedEvent, Requests } from '@muster/ports';
import { type Feed, startFeed } from './feed';
import { type ParkedStream, ParkedStreams, SourceFailed } from './parked-streams';
import { projectionSubject } from './subjects';
import type { TypedEventStore } from './typed-event-store';

/** Reads a document as it will be after the changes made so far. */
export type ReadDocument = (collection: string, key: string) => Promise<JsonObject | undefined>;

/** One projector row: pure but for reading its own documents. Handling an event twice must give the same documents. */
export type ProjectEvent<Event extends EventShape> = (
  event: RecordedEvent<Event>,
  read: ReadDocument,
) => Promise<readonly ReadModelChange[]>;

export interface ProjectorOptions<Event extends EventShape> {
  readonly name: string;
  readonly store: TypedEventStore<Event>;
  readonly requests: Requests;
  readonly readModels: ReadModels;
  readonly project: ProjectEvent<Event>;
  readonly onError: (error: Error) => void;
  readonly onCommitted?: (page: readonly RecordedEvent<Event>[]) => void;
}

export interface Projector extends Feed {
  /** Streams whose documents stand still because an event of them cannot be projected. */
  parked(): readonly ParkedStream[];
}

/** Keeps one projection's documents and checkpoint in step with the store, and says on the bus how far it is. */
export async function startProjector<Event extends EventShape>(options: ProjectorOptions<Event>): Promise<Projector> {
  const { readModels, requests, name } = options;
  const parked = new ParkedStreams();
  const feed = startFeed({
    name,
    store: options.store,
    requests,
    fromPosition: await readModels.checkpoint(name),
    onError: options.onError,
    onPage: async (page) => {
      const last = page[page.length - 1];
      if (!last) return;
      const overlay = new PageOverlay();
      const read: ReadDocument = async (collection, key) => {
        const change = overlay.find(collection, key);
        if (change) return change.kind === 'put' ? change.document : undefined;
        return readModels.get(collection, key).catch((error: unknown) => {
          throw new SourceFailed(error);
        });
      };
      const handle = async (event: RecordedEvent<Event>): Promise<void> => {
        for (const change of await options.project(event, read)) overlay.add(change);
      };
      for (const event of page) {
        const reason = await parked.attempt(event, options.store, handle);
        if (reason) options.onError(new Error(`parked, the other streams go on: ${reason}`));
      }
      await readModels.commit(name, last.position, overlay.changes());
      requests.publish(projectionSubject(name), { projection: name, position: last.position });
      options.onCommitted?.(page);
    },
  });
  return { ...feed, parked: () => parked.list() };
}

/** What a page changes so far: the last change of each document, since nobody reads those in between. */
class PageOverlay {
  private readonly collections = new Map<string, Map<string, ReadModelChange>>();

  find(collection: string, key: string): ReadModelChange | undefined {
    return this.collections.get(collection)?.get(key);
  }

  add(change: ReadModelChange): void {
    const changes = this.collections.get(change.collection);
    if (changes) changes.set(change.key, change);
    else this.collections.set(change.collection, new Map([[change.key, change]]));
  }

  changes(): readonly ReadModelChange[] {
    return [...this.collections.values()].flatMap((changes) => [...changes.values()]);
  }
}
