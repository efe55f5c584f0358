import {
  MAX_QUERY_DOCUMENTS,
  type ReadModelChange,
  type ReadModelQuery,
  type ReadModels,
  START_OF_STORE,
} from '@muster/ports';
import {
  type AnyBulkWriteOperation,
  type Collection,
  type Document,
  type Filter,
  MongoClient,
  type Sort,
} from 'mongodb';

/** As a document is kept: its key as the id, its fields one level down, where none of them can clash with `_id`. */
export interface StoredDocument {
  readonly _id: string;
  readonly document: Document;
}

type Condition = string | number | boolean | readonly string[];

/** `$`, `.` and NUL mean something else to the database than a field of the document. */
const FIELD = /^[^$.\0][^.\0]*$/;

export const pathOf = (field: string): string => {
  if (!FIELD.test(field))
    throw new Error(`A query cannot ask for the field ${JSON.stringify(field)}: name a top-level field.`);
  return `document.${field}`;
};

/** Equality of the whole value: the database alone would also match an element of a list. */
export const toFilter = (where: { readonly [field: string]: Condition | undefined }): Filter<StoredDocument> => {
  const conditions = Object.entries(where).map(([field, condition]) => [
    pathOf(field),
    { ...(typeof condition === 'object' ? { $in: [...condition] } : { $eq: condition }), $not: { $type: 'array' } },
  ]);
  return Object.fromEntries(conditions) as Filter<StoredDocument>;
};

export const toSort = (orderBy: { readonly field?: string; readonly descending?: boolean } | undefined): Sort =>
  orderBy?.field === undefined
    ? { _id: orderBy?.descending === true ? -1 : 1 }
    : { [pathOf(orderBy.field)]: orderBy.descending === true ? -1 : 1, _id: 1 };

export interface MongodbReadModelsOptions {
  /** `mongodb://…`; its path names the database unless `database` does. */
  readonly url: string;
  readonly database?: string;
}

interface StoredCheckpoint {
  readonly _id: string;
  readonly position: number;
}

const SERVER_TIMEOUT_MS = 5_000;
/** Read models have names of their own; this prefix keeps them apart from the bookkeeping. */
const COLLECTION_PREFIX = 'model_';
const CHECKPOINTS = 'checkpoints';
const INDEXED_FIELDS = ['id', 'cluster_id', 'infra_env_id', 'host_id'];

/**
 * Read models in MongoDB (5.0 or later). A commit writes the documents first and the checkpoint last: when it is cut short,
 * the same changes are applied once more, which ends in the same documents. Throws when no server answers.
 */
export const mongodbReadModels = async (options: MongodbReadModelsOptions): Promise<ReadModels> => {
  const client = new MongoClient(options.url, {
    ...(options.url.includes('serverSelectionTimeoutMS=') ? {} : { serverSelectionTimeoutMS: SERVER_TIMEOUT_MS }),
    // Unset members are no members; the driver would write them as null.
    ignoreUndefined: true,
    // A checkpoint that was moved must survive a power cut and a change of the primary.
    writeConcern: { w: 'majority', journal: true },
  });
  await connect(client);
  const database = client.db(options.database);
  const checkpoints = database.collection<StoredCheckpoint>(CHECKPOINTS);
  const indexed = new Map<string, Promise<unknown>>();

  const collectionNamed = (name: string): Collection<StoredDocument> =>
    database.collection<StoredDocument>(`${COLLECTION_PREFIX}${name}`);

  const ensureIndexes = (name: string): Promise<unknown> => {
    const existing = indexed.get(name);
    if (existing !== undefined) return existing;
    const created = collectionNamed(name).createIndexes(
      // With the key behind it, what is found comes in the order of keys.
      INDEXED_FIELDS.map((field) => ({ key: { [pathOf(field)]: 1, _id: 1 } })),
    );
    // Tried again with the next commit when it failed now.
    created.catch(() => indexed.delete(name));
    indexed.set(name, created);
    return created;
  };

  const checkpoint = async (projection: string): Promise<number> =>
    (await checkpoints.findOne({ _id: projection }))?.position ?? START_OF_STORE;

  return {
    // The token of a collection carries its document type, the database knows plain documents.
    get: async <Found extends object>(collection: string, key: string) =>
      (await collectionNamed(collection).findOne({ _id: key }))?.document as Found | undefined,
    find: async <Found extends object>(query: ReadModelQuery<Found>) => {
      const limit = Math.min(query.limit ?? MAX_QUERY_DOCUMENTS, MAX_QUERY_DOCUMENTS);
      // To the database a limit of 0 is no limit.
      if (limit <= 0) return [];
      const found = collectionNamed(query.collection)
        .find(toFilter(query.where))
        .sort(toSort(query.orderBy))
        .skip(query.offset ?? 0)
        .limit(limit);
      return (await found.toArray()).map(({ _id, document }) => ({ key: _id, document: document as Found }));
    },
    count: ({ collection, where }) => collectionNamed(collection).countDocuments(toFilter(where)),
    commit: async (projection, position, changes) => {
      if (position <= (await checkpoint(projection))) return;
      for (const [name, writes] of writesByCollection(changes)) {
        await ensureIndexes(name);
        await collectionNamed(name).bulkWrite(writes, { ordered: true });
      }
      await checkpoints.updateOne({ _id: projection }, { $max: { position } }, { upsert: true });
    },
    checkpoint,
    close: () => client.close(),
  };
};

/** Changes to different documents do not depend on each other, so only the order within a collection matters. */
const writesByCollection = (
  changes: readonly ReadModelChange[],
): Map<string, AnyBulkWriteOperation<StoredDocument>[]> => {
  const byCollection = new Map<string, AnyBulkWriteOperation<StoredDocument>[]>();
  for (const change of changes) {
    const writes = byCollection.get(change.collection) ?? [];
    byCollection.set(change.collection, writes);
    writes.push(toWrite(change));
  }
  return byCollection;
};

const toWrite = (change: ReadModelChange): AnyBulkWriteOperation<StoredDocument> => {
  const filter = { _id: change.key };
  if (change.kind === 'remove') return { deleteOne: { filter } };
  return { replaceOne: { filter, replacement: { document: change.document }, upsert: true } };
};

const connect = async (client: MongoClient): Promise<void> => {
  try {
    await client.connect();
  } catch (error) {
    await client.close();
    const { hosts } = client.options;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `MongoDB does not answer at ${hosts.join(', ')} (${reason}); start it there or name another address.`,
      {
        cause: error,
      },
    );
  }
};
