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

/**
 * Writes the patch into a copy that the caller has just made, `patched({ ...host }, …)`: a spread that meets one shape only
 * is several times faster than a general one, and every event of a replay comes through here. For the same reason documents
 * have all their members from the start, unset ones as `undefined`, and lose none.
 */
export function patched<Document extends { readonly updated_at: string; readonly _position: number }>(
  copy: Document,
  patch: Patch<Document>,
  occurrence: Occurrence,
): Document {
  const next = copy as { -readonly [Member in keyof Document]: Document[Member] };
  for (const member in patch) next[member] = patch[member] as Document[typeof member];
  next.updated_at = occurrence.at;
  next._position = occurrence.position;
  return next;
}
