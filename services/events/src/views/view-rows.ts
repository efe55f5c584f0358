/** What a row knows of an event besides its data. */
export interface Occurrence {
  readonly position: number;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** A user name, `agent:<hostId>` or `service:<name>`. */
  readonly actor: string;
}

/** Members that change; `undefined` removes one. */
export type Patch<Document> = { readonly [Member in keyof Document]?: Document[Member] | undefined };

/** One pure row per event type: what the fact changes in the document. A missing row does not compile. */
export type ViewRows<Event extends { readonly type: string; readonly data: unknown }, Document> = {
  readonly [Type in Event['type']]: (
    document: Document,
    data: Extract<Event, { readonly type: Type }>['data'],
    occurrence: Occurrence,
  ) => Patch<Document>;
};

/** The fact changes nothing that this document shows. */
export const unchanged = (): Record<string, never> => ({});

/** Unset optional members are left out of documents, and so of answers. */
export const orAbsent = (text: string): string | undefined => text || undefined;

/** A shallow copy with the patch; members that did not change are shared with the document before. */
export function applyPatch<Document extends { readonly updated_at: string; readonly _position: number }>(
  document: Document,
  patch: Patch<Document>,
  occurrence: Occurrence,
): Document {
  const next = { ...document, ...patch, updated_at: occurrence.at, _position: occurrence.position } as Document;
  for (const member in patch) if (patch[member] === undefined) delete next[member];
  return next;
}
