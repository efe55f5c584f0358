import type { JsonValue, ReadModelDocument } from '@muster/ports';

type Compare = (left: ReadModelDocument, right: ReadModelDocument) => number;

const byKey: Compare = (left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0);

/** The order of an answer by a field: ties by key, ascending. */
export const documentOrder = ({ field, descending }: { field: string; descending?: boolean }): Compare => {
  const sign = descending === true ? -1 : 1;
  return (left, right) => sign * compareValues(left.document[field], right.document[field]) || byKey(left, right);
};

/** Nothing, numbers, text, structures, truth: the order in which databases of documents sort kinds of values. */
const KINDS = ['undefined', 'number', 'string', 'object', 'boolean'];
const kindOf = (value: JsonValue | undefined): number => KINDS.indexOf(value === null ? 'undefined' : typeof value);

const compareValues = (left: JsonValue | undefined, right: JsonValue | undefined): number => {
  const kinds = kindOf(left) - kindOf(right);
  if (kinds !== 0) return kinds;
  if (left === null || left === undefined || right === null || right === undefined) return 0;
  return left < right ? -1 : left > right ? 1 : 0;
};
