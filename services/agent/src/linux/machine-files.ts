import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { turnToStart } from './command';

/**
 * The files in which the Linux kernel describes the machine. No method throws: a value that cannot be read is absent.
 */
export interface MachineFiles {
  /** Trimmed text. */
  text(path: string): string | undefined;
  bytes(path: string): Buffer | undefined;
  /** The first `count` bytes of a file or device; undefined when it is shorter, or does not answer in time. */
  firstBytes(path: string, count: number): Promise<Buffer | undefined>;
  /** Names in a folder, sorted. */
  list(path: string): readonly string[];
  exists(path: string): boolean;
  /** The target of a symbolic link, unchanged. */
  link(path: string): string | undefined;
  /** The path with all links resolved. */
  resolved(path: string): string | undefined;
}

/** A broken disk answers after minutes, and the agent must poll meanwhile. A slow virtual medium answers earlier. */
const ANSWER_MS_MAX = 20_000;

/** `root` contains /proc, /sys, /dev and /run: `/`, or a folder of a test. */
export function createMachineFiles(root: string, answerMsMax = ANSWER_MS_MAX): MachineFiles {
  const at = (path: string): string => join(root, path);
  /** Devices whose read has not ended. They are not read again. */
  const hanging = new Set<string>();
  /** A program reads the device: a read that never ends would occupy one of the few threads for all files and names of this process. */
  const answerInTime: MachineFiles['firstBytes'] = async (path, count) => {
    if (hanging.has(path)) return undefined;
    await turnToStart();
    const answer = new Promise<Buffer | undefined>((resolve) => {
      const child = spawn('head', ['-c', String(count), at(path)], { stdio: ['ignore', 'pipe', 'ignore'] });
      child.once('error', () => undefined);
      const chunks: Buffer[] = [];
      child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
      const limit = setTimeout(() => {
        hanging.add(path);
        child.stdout.destroy();
        // The end of the agent does not wait for the device.
        child.unref();
        resolve(undefined);
      }, answerMsMax);
      child.once('close', () => {
        clearTimeout(limit);
        hanging.delete(path);
        const bytes = Buffer.concat(chunks);
        resolve(bytes.length === count ? bytes : undefined);
      });
    });
    // The file system with the program may be on a medium that was removed.
    return answer.catch(() => undefined);
  };
  /** Answers to come. Several steps ask for the discovery medium at the same time. */
  const awaited = new Map<string, Promise<Buffer | undefined>>();
  const firstBytes: MachineFiles['firstBytes'] = (path, count) => {
    const key = `${path} ${count}`;
    const answer = awaited.get(key) ?? answerInTime(path, count).finally(() => awaited.delete(key));
    awaited.set(key, answer);
    return answer;
  };
  const bytes = (path: string): Buffer | undefined => attempt(() => readFileSync(at(path)));
  return {
    bytes,
    firstBytes,
    text: (path) => bytes(path)?.toString('utf8').trim(),
    list: (path) => attempt(() => readdirSync(at(path)).sort()) ?? [],
    exists: (path) => existsSync(at(path)),
    link: (path) => attempt(() => readlinkSync(at(path))),
    resolved: (path) => attempt(() => realpathSync(at(path))),
  };
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
