import type { JsonObject, ReadModelChange } from '@muster/ports';

/** Documents are plain JSON by construction; the read models' port knows them as nothing more. */
export function putOrRemove(collection: string, key: string, document: object | undefined): ReadModelChange {
  return document
    ? { kind: 'put', collection, key, document: document as JsonObject }
    : { kind: 'remove', collection, key };
}
