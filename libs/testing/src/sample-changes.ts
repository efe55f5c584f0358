import type { JsonObject, ReadModelChange } from '@muster/ports';

export const put = (key: string, document: JsonObject, collection = 'hosts'): ReadModelChange => ({
  kind: 'put',
  collection,
  key,
  document,
});

export const remove = (key: string, collection = 'hosts'): ReadModelChange => ({ kind: 'remove', collection, key });
