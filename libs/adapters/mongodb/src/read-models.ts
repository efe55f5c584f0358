import { randomUUID } from 'node:crypto';
import { isNativeError } from 'node:util/types';
import {
  type EventPlace,
  MAX_QUERY_DOCUMENTS,
  type ReadModelChange,
  type ReadModelQuery,
  type ReadModels,
  type SavedFold,
  settleWithin,
  START_OF_STORE,
  Unavailable,
} from '@muster/ports';
import {
  type AnyBulkWriteOperation,
  BSON,
  type Document,
  type Filter,
  MongoClient,
  MongoOperationTimeoutError,
  type Sort,
} from 'mongodb';

/** The stored form of a document: its key as `_id`, and its fields one level deeper, so that no field conflicts with `_id`. */
export interface StoredDocument {
  readonly _id: string;
  readonly document: Document;
}

/** `$`, `.` and NUL have a meaning in query field names. */
const FIELD = /^[^$.\0][^.\0]*$/;

export const pathOf = (field: string): string => {
  if (!FIELD.test(field))
    throw new Error(`A query cannot use the field ${JSON.stringify(field)}. Use a top-level field.`);
  return `document.${field}`;
};

/** Returns a condition for the whole value. A plain MongoDB condition would also match an element of a list. No value equals undefined. */
export const toFilter = (where: ReadModelQuery['where'], after?: string): Filter<StoredDocument> => {
  const conditions = Object.keys(where).map((field) => [
    pathOf(field),
    { $in: [where[field] ?? []].flat(), $not: { $type: 'array' } },
  ]);
  const larger = after === undefined ? [] : [['_id', { $gt: after }]];
  return Object.fromEntries([...conditions, ...larger]) as Filter<StoredDocument>;
};

export const toSort = (orderBy: { readonly field?: string; readonly descending?: boolean } | undefined): Sort =>
  orderBy?.field === undefined
    ? { _id: orderBy?.descending === true ? -1 : 1 }
    : { [pathOf(orderBy.field)]: orderBy.descending === true ? -1 : 1, _id: 1 };

export interface MongodbReadModelsOptions {
  /** `mongodb://…`. The path contains the name of the database unless `database` is set. */
  readonly url: string;
  readonly database?: string;
  /** Projections whose documents are discarded by `resume` when their version differs. @default none */
  readonly folds?: readonly SavedFold[];
  /** Whether the event store has the event. @default every event */
  readonly isStored?: (last: EventPlace) => Promise<boolean>;
}

interface StoredCheckpoint {
  readonly _id: string;
  readonly position: number;
  /** The version of the fold that made the documents. */
  readonly version?: number;
  readonly last?: EventPlace;
}

/** A part of the changes of a commit, stored before the first document changes. */
interface PendingPart {
  /** The projection and the number of the part. */
  readonly _id: string;
  /** The same for all parts of one attempt. */
  readonly attempt: string;
  readonly parts: number;
  /** The checkpoint before the commit. */
  readonly from: number;
  readonly position: number;
  readonly last: EventPlace | undefined;
  readonly changes: readonly ReadModelChange[];
}

/** A server that does not answer within this time is frozen. The URL may set other times. */
const TIMEOUTS_MS = { serverSelectionTimeoutMS: 4_000, connectTimeoutMS: 4_000, socketTimeoutMS: 4_000 };
/** Separates the collections of read models from the collection of checkpoints. */
const COLLECTION_PREFIX = 'model_';
const CHECKPOINTS = 'checkpoints';
/** A slow server stores a part in time. An attempt that fails is repeated from the first part on, and would fail each time. */
const PART_BYTES_MAX = 1024 * 1024;
const INDEXED_FIELDS = ['id', 'cluster_id', 'infra_env_id', 'host_id'];

/**
 * Read models in MongoDB (5.0 or later). A commit stores its changes as pending, then writes the documents, and the checkpoint last.
 * When it is interrupted, the pending changes are applied as they are: an event that is projected again from documents that
 * contain it would be counted twice. Every operation throws Unavailable when no server answers.
 */
export const mongodbReadModels = async (options: MongodbReadModelsOptions): Promise<ReadModels> => {
  const client = new MongoClient(options.url, {
    ...Object.fromEntries(Object.entries(TIMEOUTS_MS).filter(([name]) => !options.url.includes(`${name}=`))),
    // Without this option, the driver writes undefined members as null.
    ignoreUndefined: true,
    // A committed checkpoint must survive a power failure and a change of the primary.
    writeConcern: { w: 'majority', journal: true },
  });
  const { folds = [], isStored = async () => true } = options;
  // The hosts of a URL with `mongodb+srv` are not known yet.
  const server = `MongoDB at ${client.options.srvHost ?? client.options.hosts.join(', ')}`;
  // The driver repeats an operation on a frozen server with a new connection, which takes a minute.
  const { socketTimeoutMS = 0, serverSelectionTimeoutMS } = client.options;
  const limitMs = socketTimeoutMS && Math.max(socketTimeoutMS, serverSelectionTimeoutMS);
  const late = (): Error => new MongoOperationTimeoutError(`no answer within ${limitMs / 1_000} s`);
  const available = async <Result>(work: () => Promise<Result>, isWrite = false): Promise<Result> => {
    try {
      return await (limitMs > 0 ? settleWithin(limitMs, work(), late) : work());
    } catch (error) {
      throw explainFailure(error, server, isWrite) ?? error;
    }
  };
  await available(() => client.connect()).catch(async (error: unknown) => {
    await client.close();
    throw error;
  });
  // A document that was just committed may be missing on a secondary, which the URL may prefer.
  const database = client.db(options.database, { readPreference: 'primary' });
  const checkpoints = database.collection<StoredCheckpoint>(CHECKPOINTS);
  const pending = database.collection<PendingPart>('pending');
  const indexed = new Map<string, Promise<unknown>>();
  /** The last position of each projection that this process committed. */
  const committed = new Map<string, number>();

  const collectionNamed = (name: string) => database.collection<StoredDocument>(COLLECTION_PREFIX + name);
  const ensureIndexes = (name: string): Promise<unknown> => {
    // The key at the end of the index returns documents in the order of keys.
    const keys = INDEXED_FIELDS.map((field) => ({ key: { [pathOf(field)]: 1, _id: 1 } }));
    const created = indexed.get(name) ?? collectionNamed(name).createIndexes(keys);
    // A failed creation is retried with the next commit.
    created.catch(() => indexed.delete(name));
    indexed.set(name, created);
    return created;
  };
  const foldOf = (projection: string) => folds.find(({ name }) => name === projection);
  const storedCheckpoint = (projection: string) => available(() => checkpoints.findOne({ _id: projection }));
  const firstPart = (projection: string, from: number) =>
    available(() => pending.findOne({ _id: `${projection}/0`, from }));
  /** The documents of an earlier version are rebuilt from the start. */
  const checkpoint = async (id: string): Promise<number> => {
    const found = await storedCheckpoint(id);
    return found && (found.version ?? 0) >= (foldOf(id)?.version ?? 0) ? found.position : START_OF_STORE;
  };

  const apply = async (
    projection: string,
    { position, last }: Pick<PendingPart, 'position' | 'last'>,
    parts: readonly (readonly ReadModelChange[])[],
  ): Promise<void> => {
    // Changes of different documents are independent, so only the order within a collection matters.
    for (const changes of parts)
      for (const name of new Set(changes.map(({ collection }) => collection))) {
        const writes = changes.filter(({ collection }) => collection === name).map(toWrite);
        await available(() => ensureIndexes(name), true);
        await available(() => collectionNamed(name).bulkWrite(writes, { ordered: true }), true);
      }
    const stored = { $max: { position }, $set: { version: foldOf(projection)?.version ?? 0, last } };
    await available(() => checkpoints.updateOne({ _id: projection }, stored, { upsert: true }), true);
  };

  /** Completes the pending commit that follows the checkpoint. Without all of its parts, it has not changed a document yet. */
  const complete = async (projection: string): Promise<number> => {
    const from = await checkpoint(projection);
    const first = await firstPart(projection, from);
    if (!first) return from;
    const parts: (readonly ReadModelChange[])[] = [];
    for (let part = 0; part < first.parts; part += 1) {
      const found = await available(() => pending.findOne({ _id: `${projection}/${part}`, attempt: first.attempt }));
      if (!found) return from;
      parts.push(found.changes);
    }
    await apply(projection, first, parts);
    return first.position;
  };

  /** Whether the documents have this version, and the event store has their last event and that of the pending commit. */
  const isCurrent = async ({ name, version }: SavedFold): Promise<boolean> => {
    const found = await storedCheckpoint(name);
    if (found?.version !== version) return false;
    const next = await firstPart(name, found.position);
    for (const last of [found.last, next?.last]) if (last && !(await isStored(last))) return false;
    return true;
  };

  /** Without a checkpoint, a discard that was interrupted is repeated. */
  const discard = async ({ name, tables }: SavedFold, before?: () => Promise<void>): Promise<void> => {
    await available(() => checkpoints.deleteOne({ _id: name }), true);
    await before?.();
    await available(() => pending.deleteOne({ _id: `${name}/0` }), true);
    const names = tables.map((table) => COLLECTION_PREFIX + table.name);
    for (const found of await available(() => database.collections()))
      if (names.includes(found.collectionName)) await available(() => found.drop(), true);
    indexed.clear();
  };
  return {
    // The token of a collection has its document type. The database contains plain documents.
    get: async <Found extends object>(collection: string, key: string) =>
      (await available(() => collectionNamed(collection).findOne({ _id: key })))?.document as Found | undefined,
    find: async <Found extends object>(query: ReadModelQuery<Found>) => {
      const limit = Math.min(query.limit ?? MAX_QUERY_DOCUMENTS, MAX_QUERY_DOCUMENTS);
      // MongoDB interprets a limit of 0 as no limit.
      if (limit <= 0) return [];
      const page = { sort: toSort(query.orderBy), skip: query.offset ?? 0, limit };
      const found = collectionNamed(query.collection).find(toFilter(query.where, query.after), page);
      const documents = await available(() => found.toArray());
      return documents.map(({ _id, document }) => ({ key: _id, document: document as Found }));
    },
    count: ({ collection, where }) => available(() => collectionNamed(collection).countDocuments(toFilter(where))),
    commit: async (projection, position, changes, event) => {
      const from = await complete(projection);
      if (from < (committed.get(projection) ?? from))
        throw new Error(`${server} lost documents of the projection ${projection}, or has older ones again.`);
      if (position <= from) return;
      const last = event && { streamId: event.streamId, revision: event.revision, id: event.id };
      const parts = partsOf(changes);
      const same = { attempt: randomUUID(), parts: parts.length, from, position, last };
      for (const [part, some] of parts.entries()) {
        const filter = { _id: `${projection}/${part}` };
        await available(() => pending.replaceOne(filter, { ...same, changes: some }, { upsert: true }), true);
      }
      await apply(projection, same, parts);
      committed.set(projection, position);
    },
    checkpoint,
    resume: async (projection, beforeDiscard) => {
      const fold = foldOf(projection);
      if (!fold || (await isCurrent(fold))) return complete(projection);
      await discard(fold, beforeDiscard);
      return START_OF_STORE;
    },
    close: () => client.close(),
  };
};

/** Names of the driver's connection errors. Errors of the server have codes instead. */
const CONNECTION_ERROR =
  /^Mongo(ServerSelection|Network|NetworkTimeout|NotConnected|TopologyClosed|PoolCleared|PoolClosed|OperationTimeout)Error$/;
/** Codes of servers that stop, start or have no primary or majority: HostUnreachable, WriteConcernTimeout, PrimarySteppedDown… */
const NOT_NOW = [6, 7, 43, 64, 89, 91, 94, 133, 134, 189, 202, 211, 237, 262, 9001, 10107, 11600, 11602, 13435, 13436];
/** The driver does not convert an error of a write to a connection that was reset. */
const UNAVAILABLE_CODES: ReadonlySet<unknown> = new Set([...NOT_NOW, 'ECONNRESET', 'EPIPE']);
/** Unauthorized, AuthenticationFailed, AtlasError. */
const REFUSED_CODES: ReadonlySet<unknown> = new Set([13, 18, 8000]);
const CERTIFICATE = /certificate|self.signed|altnames/i;

/** Returns the error of the port for an error of the driver that is about the server, otherwise undefined. */
export function explainFailure(error: unknown, server: string, isWrite: boolean): Unavailable | undefined {
  // In tests, errors of the network are instances of another realm's Error.
  if (!isNativeError(error)) return undefined;
  const reason = error.message.split('\n', 1)[0] || error.name;
  const code = 'code' in error ? error.code : undefined;
  if (REFUSED_CODES.has(code) || CERTIFICATE.test(reason))
    return new Unavailable(server, reason, { isRefused: true, cause: error });
  if (!CONNECTION_ERROR.test(error.name) && !UNAVAILABLE_CODES.has(code)) return undefined;
  // No server was selected, so the request was not sent.
  const isOutcomeUnknown = isWrite && error.name !== 'MongoServerSelectionError';
  return new Unavailable(server, reason, { isOutcomeUnknown, cause: error });
}

/** Splits the changes into lists that are written together. Only one change may be larger than PART_BYTES_MAX. */
export function partsOf(changes: readonly ReadModelChange[]): readonly (readonly ReadModelChange[])[] {
  const parts: ReadModelChange[][] = [];
  let bytes = Infinity;
  for (const change of changes.map(storable)) {
    const more = BSON.calculateObjectSize(change, { ignoreUndefined: true });
    bytes += more;
    if (bytes > PART_BYTES_MAX) {
      parts.push([]);
      bytes = more;
    }
    parts.at(-1)?.push(change);
  }
  return parts;
}

const JSON_TEXTS = /"(?:[^"\\]|\\.)*"(:?)/g;
/** Hosts and users choose some names. BSON refuses a NUL in a name and the name `_bsontype`, which would stop the projection. */
const storable = (change: ReadModelChange): ReadModelChange => {
  const text = JSON.stringify(change);
  if (!/\\u0000|"_bsontype":/.test(text)) return change;
  const renamed = (name: string): string => name.replaceAll('\\u0000', '\\ufffd').replace(/^"_bsontype"/, '"bsontype"');
  return JSON.parse(text.replace(JSON_TEXTS, (part, colon) => (colon ? renamed(part) : part))) as ReadModelChange;
};

const toWrite = (change: ReadModelChange): AnyBulkWriteOperation<StoredDocument> => {
  const filter = { _id: change.key };
  if (change.kind === 'remove') return { deleteOne: { filter } };
  return { replaceOne: { filter, replacement: { document: change.document }, upsert: true } };
};
