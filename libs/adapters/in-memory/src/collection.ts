import {
  MAX_QUERY_DOCUMENTS,
  type JsonObject,
  type ReadModelConditions,
  type ReadModelDocument,
  type ReadModelQuery,
} from '@muster/ports';
import { documentOrder } from './document-order';
import { byText, FieldsIndex, type KeyLists } from './fields-index';

/**
 * Documents by key, with an index for each combination of fields that was ever asked for: an answer costs what it shows,
 * a count nothing, whatever there is. Documents are returned without a copy, so callers must not change them.
 */
export class Collection {
  private readonly documents = new Map<string, JsonObject>();
  private readonly indexes = new Map<string, FieldsIndex>();

  get(key: string): JsonObject | undefined {
    return this.documents.get(key);
  }

  put(key: string, document: JsonObject): void {
    const before = this.documents.get(key);
    this.documents.set(key, document);
    for (const index of this.indexes.values()) index.follow(key, before, document);
  }

  remove(key: string): void {
    const before = this.documents.get(key);
    if (before === undefined) return;
    this.documents.delete(key);
    for (const index of this.indexes.values()) index.follow(key, before, undefined);
  }

  find(query: ReadModelQuery): ReadModelDocument[] {
    const { offset = 0, orderBy } = query;
    const limit = Math.min(query.limit ?? MAX_QUERY_DOCUMENTS, MAX_QUERY_DOCUMENTS);
    const lists = this.listsOf(query.where);
    if (orderBy?.field === undefined)
      return this.documentsOf(pageOf(lists, offset, offset + limit, orderBy?.descending === true));
    const { field, descending } = orderBy;
    return this.documentsOf(lists.flat())
      .sort(documentOrder({ field, descending }))
      .slice(offset, offset + limit);
  }

  count({ where }: ReadModelConditions): number {
    if (Object.keys(where).length === 0) return this.documents.size;
    return this.listsOf(where).reduce((sum, { length }) => sum + length, 0);
  }

  private documentsOf(keys: readonly string[]): ReadModelDocument[] {
    return keys.flatMap((key) => {
      const document = this.documents.get(key);
      return document === undefined ? [] : [{ key, document }];
    });
  }

  private listsOf(where: ReadModelQuery['where']): KeyLists {
    const fields = Object.keys(where).sort(byText);
    return fields.length === 0 ? [[...this.documents.keys()].sort(byText)] : this.indexOf(fields).listsOf(where);
  }

  private indexOf(fields: readonly string[]): FieldsIndex {
    const name = JSON.stringify(fields);
    const existing = this.indexes.get(name);
    if (existing !== undefined) return existing;
    const index = new FieldsIndex(fields, this.documents);
    this.indexes.set(name, index);
    return index;
  }
}

/** The keys from `begin` to before `end` of all lists together, without looking at more of any than can be among them. */
function pageOf(lists: KeyLists, begin: number, end: number, descending: boolean): readonly string[] {
  const first = lists.map((keys) => (descending ? keys.slice(Math.max(keys.length - end, 0)) : keys.slice(0, end)));
  const keys = first.length === 1 ? (first[0] ?? []) : first.flat().sort(byText);
  return descending ? keys.reverse().slice(begin, end) : keys.slice(begin, end);
}
