import { RefusalError } from '@muster/problems';
import type { BaseKind } from '../base-images/os-image-catalogue';

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

const TYPES = ['full-iso', 'minimal-iso', 'disconnected-iso'] as const;
export type ImageType = (typeof TYPES)[number];

const TYPES_OF_FILES: ReadonlyMap<string, ImageType> = new Map([
  ['full.iso', 'full-iso'],
  ['minimal.iso', 'minimal-iso'],
  ['disconnected.iso', 'disconnected-iso'],
]);

/** Throws RefusalError: 404 for a file there is not. */
export function typeOfFile(file: string): ImageType {
  const type = TYPES_OF_FILES.get(file);
  if (type) return type;
  throw new RefusalError({
    code: 'not-found',
    reason: `An image has no file ${file.slice(0, 64)}.`,
    allowed: [...TYPES_OF_FILES.keys()],
  });
}

/** Throws RefusalError: 400 for a type there is not. */
export function typeOfName(name: string): ImageType {
  const type = TYPES.find((known) => known === name);
  if (type) return type;
  throw new RefusalError({
    code: 'invalid-input',
    reason: name === '' ? 'The parameter type is missing.' : `Image type ${name.slice(0, 64)} is not supported.`,
    subject: 'type',
    allowed: TYPES,
  });
}

/** What an image of a type is made from. */
export const baseKindOf = (type: ImageType): BaseKind => (type === 'disconnected-iso' ? type : 'full-iso');
