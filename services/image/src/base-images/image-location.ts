import { isAbsolute, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RefusalError } from '@muster/problems';

/** Where the bytes of a base image are. */
export type ImageLocation =
  { readonly kind: 'file'; readonly path: string } | { readonly kind: 'remote'; readonly url: string };

/** An http(s) URL, a file URL, or a path inside the directory. Throws RefusalError for anything else. */
export function locationOfImage(url: string, directory: string): ImageLocation {
  if (/^https?:/i.test(url)) {
    if (!URL.canParse(url)) throw unusable(url, 'it is not a URL');
    return { kind: 'remote', url };
  }
  try {
    if (/^file:/i.test(url)) return { kind: 'file', path: fileURLToPath(url) };
  } catch {
    throw unusable(url, 'it is not a file URL of this machine');
  }
  if (/^[a-z][a-z0-9+.-]*:/i.test(url)) throw unusable(url, 'only http, https and file URLs and paths are known');
  const root = resolve(directory);
  const path = resolve(root, url);
  if (isAbsolute(url) || !path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`))
    throw unusable(url, 'it leads out of IMAGE_DIRECTORY; give a file:// URL for a file elsewhere');
  return { kind: 'file', path };
}

const unusable = (url: string, why: string): RefusalError =>
  new RefusalError({
    code: 'internal',
    reason: `The url ${JSON.stringify(url)} in OS_IMAGES cannot be used: ${why}.`,
    subject: 'OS_IMAGES',
  });
