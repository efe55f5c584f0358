import { malformed } from '../boot-image.error';
import { concatBytes, roundUp, utf8Bytes } from '../binary';
import { gzip } from '../cpio/gzip';
import { CPIO_DIRECTORY, CPIO_REGULAR_FILE, CPIO_SYMLINK, type CpioEntry, writeCpio } from '../cpio/newc';

const FILE_TYPE_MASK = 0o170000;
const DIRECTORY_MODE = CPIO_DIRECTORY | 0o755;

/** A file that a ramdisk puts into the booting system. */
export interface RamdiskFile {
  /** Absolute, such as `/etc/assisted/network/host0/mac_interface.ini`. */
  readonly path: string;
  /** Permissions, such as 0o600; with the type bits of a symbolic link the content is its target. */
  readonly mode: number;
  readonly content: string | Uint8Array;
}

/**
 * The files with the directories that lead to them: gzip of newc, padded with zeros to a multiple of 4 bytes so that another
 * can follow. Same files, same bytes. Throws `malformed` for a path that is not absolute, leads elsewhere or comes twice.
 */
export function createRamdisk(files: readonly RamdiskFile[]): Uint8Array {
  const entries = new Map<string, CpioEntry>();
  for (const { path, mode, content } of files) {
    const names = namesOf(path);
    for (let depth = 1; depth < names.length; depth += 1) {
      const directory = names.slice(0, depth).join('/');
      const known = entries.get(directory);
      if (known && (known.mode & FILE_TYPE_MASK) !== CPIO_DIRECTORY)
        throw malformed('ramdisk', `/${directory} is a file`);
      if (!known) entries.set(directory, { name: directory, mode: DIRECTORY_MODE, data: new Uint8Array() });
    }
    const name = names.join('/');
    if (entries.has(name)) throw malformed('ramdisk', `${path} comes twice`);
    const type = mode & FILE_TYPE_MASK;
    if (type !== 0 && type !== CPIO_REGULAR_FILE && type !== CPIO_SYMLINK)
      throw malformed('ramdisk', `${path} is neither a file nor a link`);
    entries.set(name, {
      name,
      mode: type === 0 ? CPIO_REGULAR_FILE | mode : mode,
      data: typeof content === 'string' ? utf8Bytes(content) : content,
    });
  }
  return padded(gzip(writeCpio([...entries.values()])));
}

/** Followed by zeros up to a multiple of 4 bytes: where the kernel looks for the next archive. */
export function padded(archive: Uint8Array): Uint8Array {
  return concatBytes([archive, new Uint8Array(roundUp(archive.length, 4) - archive.length)]);
}

function namesOf(path: string): string[] {
  const [first, ...names] = path.split('/');
  const isFit = first === '' && names.length > 0 && names.every((name) => !['', '.', '..'].includes(name));
  if (!isFit || Array.from(path).some((character) => character < ' '))
    throw malformed('ramdisk', `${JSON.stringify(path.slice(0, 200))} is not an absolute path`);
  return names;
}
