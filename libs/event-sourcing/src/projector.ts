import {
  type Collection,
  type CollectionName,
  collectionOf,
  type EventShape,
  type JsonObject,
  MAX_QUERY_DOCUMENTS,
  parseStreamId,
  putOrRemove,
  type ReadModelChange,
  type ReadModels,
  type RecordedEvent,
  type Requests,
  START_OF_STORE,
  type StateTable,
  type StreamId,
  throwOutside,
  type TurnShare,
} from '@muster/ports';
import { type Feed, startFeed } from './feed';
import { type ParkedStream, ParkedStreams, SourceFailed } from './parked-streams';
import { projectionSubject } from './shared-events';
import type { TypedEventStore } from './typed-event-store';

/** Changes of documents in memory. Only the last change of each document counts. */
export class DocumentChanges {
  private readonly collections = new Map<string, Map<string, ReadModelChange>>();

  add(change: ReadModelChange): void {
    const changes = this.collections.get(change.collection);
    if (changes) changes.set(change.key, change);
    else this.collections.set(change.collection, new Map([[change.key, change]]));
  }

  /** True when a change stored or removed the document. */
  has(collection: string, key: string): boolean {
    return this.collections.get(collection)?.has(key) ?? false;
  }

  /** Returns the document after the changes. Undefined when no change stored it or the last change removed it. */
  get<Document extends object = JsonObject>(collection: CollectionName<Document>, key: string): Document | undefined {
    const change = this.collections.get(collection)?.get(key);
    // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- a change is made with the token of its collection, which fixes the type of the document
    return change?.kind === 'put' ? (change.document as Document) : undefined;
  }

  /** Returns all documents of a collection that the changes stored. */
  documentsOf<Document extends object = JsonObject>(collection: CollectionName<Document>): readonly Document[] {
    const keys = [...(this.collections.get(collection)?.keys() ?? [])];
    return keys.flatMap((key) => this.get<Document>(collection, key) ?? []);
  }

  list(): readonly ReadModelChange[] {
    return [...this.collections.values()].flatMap((changes) => [...changes.values()]);
  }
}

/** The collection of the streams that a projection has parked. */
export const parkedStreamsOf = (projection: string): Collection<ParkedStream> => collectionOf(`${projection}_parked`);

/** The table of the streams that a projection has parked: they stay parked after a restart. */
export const parkedTableOf = (projection: string): StateTable => ({
  name: parkedStreamsOf(projection),
  fields: [],
  indexes: [],
});

/** Parked streams are also tried again with an event of another stream: the first one after a start, and then after these times. */
const FIRST_RETRY_MS = 60_000;
const LAST_RETRY_MS = 600_000;

/** Returns a document as it is after the changes made so far. */
export type ReadDocument = <Document extends object = JsonObject>(
  collection: CollectionName<Document>,
  key: string,
) => Promise<Document | undefined>;

/**
 * One projection: pure except for reading its own documents. Handling an event twice must result in the same documents.
 */
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
  /** Requests wait until the documents contain an event, so the position is published on the bus. @default true */
  readonly isAwaited?: boolean;
  readonly onError: (error: Error) => void;
  /** Called when the checkpoint moved back. @default throws the error outside of any request */
  readonly onMovedBack?: (error: Error) => void;
  /** The time in ms of a monotonic clock. */
  readonly nowMs?: () => number;
  readonly onCommitted?: (page: readonly RecordedEvent<Event>[]) => void;
}

export interface Projector extends Feed {
  /** Streams whose documents are not updated, because one of their events cannot be projected. */
  parked(): readonly ParkedStream[];
}

/** Time for readers to receive the announcement and to read the checkpoint. */
const READERS_STOP_MS = 500;

/** Updates the documents and the checkpoint of one projection from the store, and publishes its position on the bus when requests wait for it. */
export async function startProjector<Event extends EventShape>(options: ProjectorOptions<Event>): Promise<Projector> {
  const { readModels, requests, name, onError, onMovedBack = throwOutside } = options;
  const collection = parkedStreamsOf(name);
  const nowMs = options.nowMs ?? (() => performance.now());
  const announce = (position: number): void => {
    if (options.isAwaited ?? true) requests.publish(projectionSubject(name), { projection: name, position });
  };
  /** Readers in other processes must not take a document that is discarded for one that was deleted. */
  const warnReaders = async (): Promise<void> => {
    announce(START_OF_STORE);
    await new Promise((resolve) => setTimeout(resolve, READERS_STOP_MS));
  };
  const load = async (): Promise<Committed> => {
    const position = await readModels.resume(name, warnReaders);
    const parked: ParkedStream[] = [];
    for (let after = ''; ;) {
      const found = await readModels.find({ collection, where: {}, after });
      parked.push(...found.map(({ document }) => document));
      if (found.length < MAX_QUERY_DOCUMENTS) return { position, parked };
      after = found.at(-1)?.key ?? after;
    }
  };
  let committed = await load();
  let isKnown = true;
  let retryAtMs = nowMs();
  let retryWaitMs = FIRST_RETRY_MS;
  // It can be an earlier one than readers have seen.
  announce(committed.position);

  /** Projects and commits the events. Nothing in memory changes before the commit. */
  const project = async (
    events: readonly RecordedEvent<Event>[],
    last: RecordedEvent<Event>,
    time: TurnShare,
  ): Promise<Committed> => {
    const parked = new ParkedStreams(committed.parked);
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
    const follow = async (id: string, work: () => Promise<string | undefined>): Promise<void> => {
      if (!time.hasTime()) await time.nextTurn();
      const before = parked.of(id);
      const reason = await work();
      const after = parked.of(id);
      if (after !== before) for (const one of before) overlay.add(putOrRemove(collection, one.streamId, undefined));
      if (after !== before) for (const one of after) overlay.add(putOrRemove(collection, one.streamId, one));
      if (reason && before.every((one) => one.reason !== reason))
        onError(new Error(`projection paused for this stream (other streams continue): ${reason}`));
    };
    const idOf = ({ streamId }: { readonly streamId: StreamId }): string => parseStreamId(streamId).id;
    for (const event of events) await follow(idOf(event), () => parked.attempt(event, options.store, handle));
    const isRetryDue = nowMs() >= retryAtMs;
    const tried = new Set(isRetryDue ? events.map(idOf) : []);
    for (const id of isRetryDue ? new Set(parked.list().map(idOf)) : [])
      if (!tried.has(id))
        await follow(id, () => parked.resume(id, parked.of(id), last.position, options.store, handle));
    await readModels.commit(name, last.position, overlay.list(), last);
    const left = parked.list();
    if (left.length === 0) retryWaitMs = FIRST_RETRY_MS;
    else if (isRetryDue) {
      retryAtMs = nowMs() + retryWaitMs;
      retryWaitMs = Math.min(retryWaitMs * 2, LAST_RETRY_MS);
    }
    return { position: last.position, parked: left };
  };

  const feed = startFeed({
    name,
    store: options.store,
    requests,
    fromPosition: committed.position,
    onError: (error) => (error instanceof CheckpointMovedBack ? onMovedBack : onError)(error),
    onPage: async (page, time) => {
      const last = page[page.length - 1];
      if (!last) return;
      if (!isKnown) committed = notBehind(committed, await load(), name);
      // A commit that reported an error may be stored nevertheless.
      isKnown = false;
      const { position } = committed;
      const missing = page.filter((event) => event.position > position);
      if (missing.length > 0) committed = await project(missing, last, time);
      isKnown = true;
      announce(last.position);
      options.onCommitted?.(page);
    },
  });
  return { ...feed, parked: () => committed.parked };
}

/** The documents of a projection that do not belong to its events, as they were committed last. */
interface Committed {
  readonly position: number;
  readonly parked: readonly ParkedStream[];
}

/** The events in between would be missing in the documents. Only a start reads them again. */
class CheckpointMovedBack extends Error {
  constructor(name: string, from: number, to: number) {
    super(
      `The checkpoint of the projection ${name} moved back from ${from} to ${to}: the read models were replaced by earlier ones. The process ends. Its next start adds the missing events.`,
    );
    this.name = 'CheckpointMovedBack';
  }
}

/** @throws CheckpointMovedBack */
function notBehind(before: Committed, after: Committed, name: string): Committed {
  if (after.position >= before.position) return after;
  throw new CheckpointMovedBack(name, before.position, after.position);
}
