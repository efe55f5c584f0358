import { malformed } from '../boot-image.error';
import type { ByteSource } from '../byte-source';
import { parseDirectory, type DirectoryRecord } from './directory-record';
import { fileSource, toEntry, type IsoEntry } from './iso-entry';
import { toIsoName } from './iso-names';
import { rockRidgeName } from './rock-ridge';

const DIRECTORY_BYTES_MAX = 1024 * 1024;
const DEPTH_MAX = 32;
const ENTRIES_MAX = 10_000;

/** The entries of one directory, without itself and its parent. */
export async function readDirectory(source: ByteSource, directory: IsoEntry): Promise<IsoEntry[]> {
  const records = await readRecords(source, directory);
  const entries: IsoEntry[] = [];
  let pending: DirectoryRecord[] = [];
  for (const record of records) {
    if (record.isSelfOrParent) continue;
    pending.push(record);
    if (record.hasMoreExtents) continue;
    entries.push(toEntry((await rockRidgeName(source, record.systemUse)) ?? record.isoName, pending));
    pending = [];
  }
  if (pending.length > 0) throw malformed(nameOf(directory), 'the last file announces a further part that is missing');
  return entries;
}

/** The records of a directory as stored, itself and its parent among them. */
export async function readRecords(source: ByteSource, directory: IsoEntry): Promise<DirectoryRecord[]> {
  if (!directory.isDirectory) throw malformed(nameOf(directory), 'not a directory');
  if (directory.size > DIRECTORY_BYTES_MAX)
    throw malformed(nameOf(directory), `a directory of ${directory.size} bytes`);
  return parseDirectory(await fileSource(source, directory).read(0, directory.size));
}

const nameOf = ({ name }: IsoEntry): string => (name === '' ? 'the root directory' : name);

/** The long name decides; 8.3 names are tried after, as written and as a level 1 writer would have shortened them. */
export function pick(entries: readonly IsoEntry[], component: string): IsoEntry | undefined {
  const by = (matches: (entry: IsoEntry) => boolean) => entries.find(matches);
  return (
    by(({ name }) => name === component) ??
    by(({ isoName }) => isoName.toUpperCase() === component.toUpperCase()) ??
    by(({ isoName }) => isoName === toIsoName(component))
  );
}

/** Every file below a directory, as path and entry. */
export async function* walk(
  source: ByteSource,
  root: IsoEntry,
): AsyncGenerator<{ readonly path: string; readonly entry: IsoEntry }, void, undefined> {
  const waiting = [{ path: '', entry: root, depth: 0 }];
  let seen = 0;
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    // Bounds, because a hostile directory can contain itself.
    if (next.depth > DEPTH_MAX) throw malformed(next.path, `more than ${DEPTH_MAX} directories deep`);
    for (const entry of await readDirectory(source, next.entry)) {
      seen += 1;
      if (seen > ENTRIES_MAX) throw malformed('the file system', `more than ${ENTRIES_MAX} entries`);
      const path = `${next.path}/${entry.name}`;
      if (entry.isDirectory) waiting.push({ path, entry, depth: next.depth + 1 });
      else yield { path, entry };
    }
  }
}
