import type { CollectionName, JsonObject, ReadModelChange } from '@muster/ports';

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

  /** The document after the changes; undefined when no change stored it or the last one removed it. */
  get<Document extends object = JsonObject>(collection: CollectionName<Document>, key: string): Document | undefined {
    const change = this.collections.get(collection)?.get(key);
    // A change is made with the token of its collection, which fixes the type of the document.
    return change?.kind === 'put' ? (change.document as Document) : undefined;
  }

  /** All documents of a collection that the changes stored. */
  documentsOf<Document extends object = JsonObject>(collection: CollectionName<Document>): readonly Document[] {
    const keys = [...(this.collections.get(collection)?.keys() ?? [])];
    return keys.flatMap((key) => this.get<Document>(collection, key) ?? []);
  }

  list(): readonly ReadModelChange[] {
    return [...this.collections.values()].flatMap((changes) => [...changes.values()]);
  }
}
