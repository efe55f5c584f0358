import { isAbsolute, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RefusalError } from '@muster/problems';

/** Where the file of an image is: a file URL, or a path inside the directory. Throws RefusalError for anything else. */
export function pathOfImage(url: string, directory: string): string {
  if (/^https?:/i.test(url)) {
    throw new RefusalError({
      code: 'not-supported',
      reason: `Fetching base images over the network is not built yet: download ${url} and name the file in OS_IMAGES.`,
      subject: 'OS_IMAGES',
    });
  }
  try {
    if (/^file:/i.test(url)) return fileURLToPath(url);
  } catch {
    throw unusable(url, 'it is not a file URL of this machine');
  }
  if (/^[a-z][a-z0-9+.-]*:/i.test(url)) throw unusable(url, 'only file URLs and paths are known');
  const root = resolve(directory);
  const path = resolve(root, url);
  if (isAbsolute(url) || !path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`))
    throw unusable(url, 'it leads out of IMAGE_DIRECTORY; give a file:// URL for a file elsewhere');
  return path;
}

const unusable = (url: string, why: string): RefusalError =>
  new RefusalError({
    code: 'internal',
    reason: `The url ${JSON.stringify(url)} in OS_IMAGES cannot be used: ${why}.`,
    subject: 'OS_IMAGES',
  });
