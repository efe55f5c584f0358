import { MAX_QUERY_DOCUMENTS, type JsonObject, type ReadModelDocument, type ReadModelQuery } from '@muster/ports';
import { documentOrder } from './document-order';
import { FieldIndex } from './field-index';

type Where = ReadModelQuery['where'];

/**
 * Documents by key, with an index for each field that was ever asked for: an answer costs what it finds, not what
 * there is. Documents are handed out as they are kept, so nobody may change one.
 */
export class Collection {
  private readonly documents = new Map<string, JsonObject>();
  private readonly indexes = new Map<string, FieldIndex>();

  get(key: string): JsonObject | undefined {
    return this.documents.get(key);
  }

  put(key: string, document: JsonObject): void {
    this.remove(key);
    this.documents.set(key, document);
    for (const index of this.indexes.values()) index.add(key, document);
  }

  remove(key: string): void {
    const document = this.documents.get(key);
    if (document === undefined) return;
    this.documents.delete(key);
    for (const index of this.indexes.values()) index.remove(key, document);
  }

  find(query: ReadModelQuery): ReadModelDocument[] {
    const found: ReadModelDocument[] = [];
    for (const key of this.candidates(query.where)) {
      const document = this.documents.get(key);
      if (document !== undefined && matches(document, query.where)) found.push({ key, document });
    }
    const offset = query.offset ?? 0;
    const limit = Math.min(query.limit ?? MAX_QUERY_DOCUMENTS, MAX_QUERY_DOCUMENTS);
    return found.sort(documentOrder(query.orderBy)).slice(offset, offset + limit);
  }

  /** The keys under the condition that leaves the fewest; every key when there is no condition. */
  private candidates(where: Where): Iterable<string> {
    let fewest: Iterable<string> = this.documents.keys();
    let fewestCount = this.documents.size;
    for (const [field, condition] of Object.entries(where)) {
      const index = this.indexOf(field);
      const values = typeof condition === 'object' ? [...new Set(condition)] : [condition];
      const sets = values.flatMap((value) => index.keysOf(value) ?? []);
      const count = sets.reduce((sum, keys) => sum + keys.size, 0);
      if (count >= fewestCount) continue;
      fewestCount = count;
      fewest = sets.length === 1 ? (sets[0] ?? []) : sets.flatMap((keys) => [...keys]);
    }
    return fewest;
  }

  private indexOf(field: string): FieldIndex {
    const existing = this.indexes.get(field);
    if (existing !== undefined) return existing;
    const index = new FieldIndex(field, this.documents);
    this.indexes.set(field, index);
    return index;
  }
}

const matches = (document: JsonObject, where: Where): boolean =>
  Object.entries(where).every(([field, condition]) => {
    const value = document[field];
    if (typeof condition !== 'object') return value === condition;
    return typeof value === 'string' && condition.includes(value);
  });
