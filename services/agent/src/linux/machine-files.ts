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

/** The files in which a Linux kernel describes its machine. Nothing here throws: what cannot be read is absent. */
export interface MachineFiles {
  /** Trimmed text. */
  text(path: string): string | undefined;
  bytes(path: string): Buffer | undefined;
  /** The beginning of a file or device that holds at least that much. */
  firstBytes(path: string, count: number): Buffer | undefined;
  /** Names in a folder, sorted. */
  list(path: string): readonly string[];
  exists(path: string): boolean;
  /** Where a link points to, as it is written. */
  link(path: string): string | undefined;
  /** The path without links. */
  resolved(path: string): string | undefined;
}

/** `root` is where /proc, /sys, /dev and /run are found: `/`, or a folder that a test has laid out. */
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

/** Mounts of whole file systems. A bind mount shows a folder of a file system that is mounted elsewhere, so it is left out. */
export function readMounts(files: MachineFiles): readonly Mount[] {
  const mountInfo = files.text('/proc/self/mountinfo');
  if (mountInfo === undefined) return mountsIn(files.text('/proc/mounts') ?? '');
  return mountInfo.split('\n').flatMap((line) => {
    const [own = '', shared = ''] = line.split(' - ');
    const [, , , folder, target] = own.split(' ').map(unescaped);
    const [type, source] = shared.split(' ').map(unescaped);
    // A subvolume of btrfs has a folder of its own and is no bind mount.
    return source && target && (folder === '/' || type === 'btrfs') ? [{ source, target }] : [];
  });
}

const mountsIn = (text: string): readonly Mount[] =>
  text.split('\n').flatMap((line) => {
    const [source, target] = line.split(' ').map(unescaped);
    return source && target ? [{ source, target }] : [];
  });

const unescaped = (text: string): string => text.replace(/\\040/g, ' ');
