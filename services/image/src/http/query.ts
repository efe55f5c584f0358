import { RefusalError } from '@muster/problems';

/** As they come; a parameter that is given twice is a list. */
export type QueryParameters = { readonly [name: string]: string | readonly string[] | undefined };

export const DEFAULT_ARCHITECTURE = 'x86_64';

/** Empty when it is missing or given twice. */
export function textOf(query: QueryParameters, name: string): string {
  const value = Object.hasOwn(query, name) ? query[name] : undefined;
  return typeof value === 'string' ? value : '';
}

/** Throws RefusalError `invalid-input` when it is missing. */
export function requiredTextOf(query: QueryParameters, name: string): string {
  const value = textOf(query, name);
  if (value !== '') return value;
  throw new RefusalError({ code: 'invalid-input', reason: `The parameter ${name} is missing.`, subject: name });
}
