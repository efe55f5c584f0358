import { createHash } from 'node:crypto';

/** One text per document: keys in byte order, no spaces. */
export function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part) ? sortedByKey(part) : part,
  );
}

function sortedByKey(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([first], [second]) => (first < second ? -1 : 1)));
}

/** `sha256:<64 hex>`, as the object store names bodies. */
export function digestOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
