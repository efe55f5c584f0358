import { RefusalError } from '@muster/problems';
import type { BaseKind } from '../base-images/os-image-catalogue';

/** Parsed query parameters. A repeated parameter is a list. */
export type QueryParameters = { readonly [name: string]: string | readonly string[] | undefined };

export const DEFAULT_ARCHITECTURE = 'x86_64';

/** Returns an empty text when the parameter is missing or repeated. */
export function textOf(query: QueryParameters, name: string): string {
  const value = Object.hasOwn(query, name) ? query[name] : undefined;
  return typeof value === 'string' ? value : '';
}

/**
 * Returns an empty text when the parameter is missing.
 * @throws RefusalError `invalid-input` when the parameter is repeated
 */
export function singleTextOf(query: QueryParameters, name: string): string {
  if (!Object.hasOwn(query, name) || !Array.isArray(query[name])) return textOf(query, name);
  throw new RefusalError({ code: 'invalid-input', reason: `The parameter ${name} is repeated.`, subject: name });
}

/** @throws RefusalError `invalid-input` when the parameter is missing or repeated */
export function requiredTextOf(query: QueryParameters, name: string): string {
  const value = singleTextOf(query, name);
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

/** @throws RefusalError `not-found` for an unknown file name */
export function typeOfFile(file: string): ImageType {
  const type = TYPES_OF_FILES.get(file);
  if (type) return type;
  throw new RefusalError({
    code: 'not-found',
    reason: `An image has no file ${file.slice(0, 64)}.`,
    allowed: [...TYPES_OF_FILES.keys()],
  });
}

/** @throws RefusalError `invalid-input` for an unknown type */
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

/** Returns the type of the base image for an image type. */
export const baseKindOf = (type: ImageType): BaseKind => (type === 'disconnected-iso' ? type : 'full-iso');
