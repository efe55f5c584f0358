import type { Document, Filter, Sort } from 'mongodb';

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
