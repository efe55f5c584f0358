import { projectionSubject } from '@muster/contracts';
import type { EventStore, JsonObject, ReadModelChange, ReadModels, RecordedEvent, Requests } from '@muster/ports';
import { type Feed, startFeed } from './feed';

/** Reads a document as it will be after the changes made so far. */
export type ReadDocument = (collection: string, key: string) => Promise<JsonObject | undefined>;

/** One projector row: pure but for reading its own documents. Handling an event twice must give the same documents. */
export type ProjectEvent = (event: RecordedEvent, read: ReadDocument) => Promise<readonly ReadModelChange[]>;

export interface ProjectorOptions {
  readonly name: string;
  readonly store: EventStore;
  readonly requests: Requests;
  readonly readModels: ReadModels;
  readonly project: ProjectEvent;
  readonly onError: (error: Error) => void;
  readonly onCommitted?: (page: readonly RecordedEvent[]) => void;
}

/** Keeps one projection's documents and checkpoint in step with the store, and says on the bus how far it is. */
export async function startProjector(options: ProjectorOptions): Promise<Feed> {
  const { readModels, requests, name } = options;
  return startFeed({
    name,
    store: options.store,
    requests,
    fromPosition: await readModels.checkpoint(name),
    onError: options.onError,
    onPage: async (page) => {
      const last = page[page.length - 1];
      if (!last) return;
      const overlay = new Map<string, JsonObject | undefined>();
      const read: ReadDocument = async (collection, key) => {
        const id = `${collection}/${key}`;
        return overlay.has(id) ? overlay.get(id) : readModels.get(collection, key);
      };
      const changes: ReadModelChange[] = [];
      for (const event of page) {
        for (const change of await options.project(event, read)) {
          changes.push(change);
          overlay.set(`${change.collection}/${change.key}`, change.kind === 'put' ? change.document : undefined);
        }
      }
      await readModels.commit(name, last.position, changes);
      requests.publish(projectionSubject(name), { projection: name, position: last.position });
      options.onCommitted?.(page);
    },
  });
}
