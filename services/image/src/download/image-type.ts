import { RefusalError } from '@muster/problems';

export type ImageType = 'full-iso';

const TYPES = ['full-iso', 'minimal-iso', 'disconnected-iso'];
const TYPES_OF_FILES: { readonly [file: string]: string } = {
  'full.iso': 'full-iso',
  'minimal.iso': 'minimal-iso',
  'disconnected.iso': 'disconnected-iso',
};

/** Throws RefusalError: 404 for a file there is not, 501 for one that is not built yet. */
export function typeOfFile(file: string): ImageType {
  const type = Object.hasOwn(TYPES_OF_FILES, file) ? TYPES_OF_FILES[file] : undefined;
  if (type) return builtType(type);
  throw new RefusalError({
    code: 'not-found',
    reason: `There is no file ${file.slice(0, 64)} of an image.`,
    allowed: Object.keys(TYPES_OF_FILES),
  });
}

/** Throws RefusalError: 400 for a type there is not, 501 for one that is not built yet. */
export function typeOfName(name: string): ImageType {
  if (TYPES.includes(name)) return builtType(name);
  throw new RefusalError({
    code: 'invalid-input',
    reason: name === '' ? 'The parameter type is missing.' : `There is no image type ${name.slice(0, 64)}.`,
    subject: 'type',
    allowed: TYPES,
  });
}

function builtType(type: string): ImageType {
  if (type === 'full-iso') return type;
  throw new RefusalError({
    code: 'not-supported',
    reason: `Images of type ${type} are not built yet; use full-iso.`,
    subject: 'type',
    allowed: ['full-iso'],
  });
}
