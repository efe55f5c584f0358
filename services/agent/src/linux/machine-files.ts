import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
} from 'node:fs';
import { join } from 'node:path';

/**
 * The files in which the Linux kernel describes the machine. No method throws: a value that cannot be read is absent.
 */
export interface MachineFiles {
  /** Trimmed text. */
  text(path: string): string | undefined;
  bytes(path: string): Buffer | undefined;
  /** The first `count` bytes of a file or device; undefined when it is shorter. */
  firstBytes(path: string, count: number): Buffer | undefined;
  /** Names in a folder, sorted. */
  list(path: string): readonly string[];
  exists(path: string): boolean;
  /** The target of a symbolic link, unchanged. */
  link(path: string): string | undefined;
  /** The path with all links resolved. */
  resolved(path: string): string | undefined;
}

/** `root` contains /proc, /sys, /dev and /run: `/`, or a folder of a test. */
export function createMachineFiles(root: string): MachineFiles {
  const at = (path: string): string => join(root, path);
  const bytes = (path: string): Buffer | undefined => attempt(() => readFileSync(at(path)));
  return {
    bytes,
    firstBytes: (path, count) => attempt(() => readStart(at(path), count)),
    text: (path) => bytes(path)?.toString('utf8').trim(),
    list: (path) => attempt(() => readdirSync(at(path)).sort()) ?? [],
    exists: (path) => existsSync(at(path)),
    link: (path) => attempt(() => readlinkSync(at(path))),
    resolved: (path) => attempt(() => realpathSync(at(path))),
  };
}

function readStart(path: string, count: number): Buffer | undefined {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(count);
    return readSync(file, bytes, 0, count, 0) === count ? bytes : undefined;
  } finally {
    closeSync(file);
  }
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

export interface Mount {
  readonly source: string;
  readonly target: string;
}

/**
 * Returns the mounts of whole file systems. A bind mount shows a folder of a file system that is mounted elsewhere, so
 * it is omitted.
 */
export function readMounts(files: MachineFiles): readonly Mount[] {
  const mountInfo = files.text('/proc/self/mountinfo');
  if (mountInfo === undefined) return mountsIn(files.text('/proc/mounts') ?? '');
  return mountInfo.split('\n').flatMap((line) => {
    const [own = '', shared = ''] = line.split(' - ');
    const [, , , folder, target] = own.split(' ').map(unescaped);
    const [type, source] = shared.split(' ').map(unescaped);
    // A subvolume of btrfs has a folder too, but is not a bind mount.
    return source && target && (folder === '/' || type === 'btrfs') ? [{ source, target }] : [];
  });
}

const mountsIn = (text: string): readonly Mount[] =>
  text.split('\n').flatMap((line) => {
    const [source, target] = line.split(' ').map(unescaped);
    return source && target ? [{ source, target }] : [];
  });

const unescaped = (text: string): string => text.replace(/\\040/g, ' ');
