import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fromDataUrl, type IgnitionConfig, type IgnitionFile, type IgnitionUnit } from '@muster/ignition-config';

const UNIT_FOLDER = '/etc/systemd/system';
const MODE_DEFAULT = 0o644;

/** Parts of a config that a simulated machine does not support. They are refused instead of ignored. */
const NOT_APPLIED = ['disks', 'raid', 'filesystems', 'luks'];

/**
 * Writes the files of a config into a folder with the rules of Ignition.
 * @throws when Ignition would fail
 */
export function applyIgnition({ storage, systemd, passwd }: IgnitionConfig, root: string): void {
  const left = Object.keys(storage ?? {}).filter((name) => NOT_APPLIED.includes(name));
  if (left.length > 0) throw new Error(`A simulated machine has no ${left.join(', ')} that Ignition could make.`);
  for (const file of storage?.files ?? []) writeFile(file, root);
  for (const unit of systemd?.units ?? []) writeUnit(unit, root);
  for (const { name, sshAuthorizedKeys = [] } of passwd?.users ?? [])
    if (sshAuthorizedKeys.length > 0)
      write(`/home/${name}/.ssh/authorized_keys.d/ignition`, `${sshAuthorizedKeys.join('\n')}\n`, 0o600, root);
}

function writeFile({ path, mode = MODE_DEFAULT, overwrite, contents }: IgnitionFile, root: string): void {
  const place = placeOf(path, root);
  if (existsSync(place) && !overwrite && contents?.source !== undefined)
    throw new Error(`Ignition would not write ${path}: it is there already and may not be overwritten.`);
  const text = contents?.source === undefined ? '' : fromDataUrl(contents.source);
  if (text === undefined) throw new Error(`The contents of ${path} are no data URL that could be read.`);
  write(path, text, mode, root);
}

function writeUnit({ name, contents, enabled, dropins = [] }: IgnitionUnit, root: string): void {
  if (contents !== undefined) write(`${UNIT_FOLDER}/${name}`, contents, MODE_DEFAULT, root);
  for (const dropin of dropins) write(`${UNIT_FOLDER}/${name}.d/${dropin.name}`, dropin.contents, MODE_DEFAULT, root);
  if (!enabled) return;
  const wants = placeOf(`${UNIT_FOLDER}/multi-user.target.wants/${name}`, root);
  mkdirSync(dirname(wants), { recursive: true });
  if (!isThere(wants)) symlinkSync(`${UNIT_FOLDER}/${name}`, wants);
}

function write(path: string, text: string, mode: number, root: string): void {
  const place = placeOf(path, root);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, text);
  chmodSync(place, mode);
}

/**
 * Returns the path inside the folder.
 * @throws for a path outside of it
 */
function placeOf(path: string, root: string): string {
  if (!path.startsWith('/') || path.split('/').includes('..'))
    throw new Error(`${path} is not a path that Ignition accepts.`);
  return join(root, path);
}

const isThere = (path: string): boolean => {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
};

/** Folders that represent the file systems of simulated machines. */
export interface ScratchRoots {
  /** Returns an empty folder. The previous content is removed. */
  fresh(hostId: string, system: 'live' | 'installed'): string;
  /** Returns the path of the folder, whether or not it exists. */
  of(hostId: string, system: 'live' | 'installed'): string;
  remove(): void;
}

export function createScratchRoots(): ScratchRoots {
  let base: string | undefined;
  const of: ScratchRoots['of'] = (hostId, system) => {
    base ??= mkdtempSync(join(tmpdir(), 'muster-roots-'));
    return join(base, `${hostId}-${system}`);
  };
  return {
    of,
    fresh: (hostId, system) => {
      const root = of(hostId, system);
      rmSync(root, { recursive: true, force: true });
      mkdirSync(root);
      return root;
    },
    remove: () => {
      if (base) rmSync(base, { recursive: true, force: true });
      base = undefined;
    },
  };
}
