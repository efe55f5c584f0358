import type {
  EventShape,
  JsonObject,
  ReadModelChange,
  ReadModels,
  RecordedEvent,
  Requests,
  CollectionName,
} from '@muster/ports';
import { DocumentChanges } from './document-changes';
import { type Feed, startFeed } from './feed';
import { type ParkedStream, ParkedStreams, SourceFailed } from './parked-streams';
import { projectionSubject } from './subjects';
import type { TypedEventStore } from './typed-event-store';

/** Reads a document as it will be after the changes made so far. */
export type ReadDocument = <Document extends object = JsonObject>(
  collection: CollectionName<Document>,
  key: string,
) => Promise<Document | undefined>;

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
      const overlay = new DocumentChanges();
      const read: ReadDocument = async <Document extends object>(collection: CollectionName<Document>, key: string) => {
        if (overlay.has(collection, key)) return overlay.get<Document>(collection, key);
        return readModels.get<Document>(collection, key).catch((error: unknown) => {
          throw new SourceFailed(error);
        });
      };
      const handle = async (event: RecordedEvent<Event>): Promise<void> => {
        for (const change of await options.project(event, read)) overlay.add(change);
      };
      for (const event of page) {
        const reason = await parked.attempt(event, options.store, handle);
        if (reason) options.onError(new Error(`projection paused for this stream (other streams continue): ${reason}`));
      }
      await readModels.commit(name, last.position, overlay.list());
      requests.publish(projectionSubject(name), { projection: name, position: last.position });
      options.onCommitted?.(page);
    },
  });
  return { ...feed, parked: () => parked.list() };
}
