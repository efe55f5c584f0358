import { latin1, utf8Bytes } from '../binary';
import { BootImageError, malformed } from '../boot-image.error';
import { type ByteSource, sliceSource } from '../byte-source';
import { collectSystemUse, type DirectoryRecord, rockRidgeName, splitPath, toIsoName } from '../iso/directory-record';
import { type IsoImage, readRecords, toEntry } from '../iso/iso-image';

const DEPTH_MAX = 8;
const NODES_MAX = 10_000;
const FLAG_MORE_EXTENTS = 128;
/** Directories that Rock Ridge moved because they were nested too deep. Live images have none. */
const RELOCATIONS: readonly string[] = ['CL', 'PL', 'RE'];

/** The content of a directory record, except the position of the bytes. */
export interface RecordShape {
  /** As stored, with version: `KARGS.JSO;1`. */
  readonly identifier: string;
  readonly flags: number;
  /** 7 bytes. */
  readonly recordedAt: Uint8Array;
  /** Complete Rock Ridge and other extension fields. */
  readonly systemUse: readonly Uint8Array[];
}

export interface IsoFile extends RecordShape {
  readonly kind: 'file';
  readonly name: string;
  /** One part, except for files of more than 4 GiB. */
  readonly parts: readonly FilePart[];
}

export interface FilePart {
  readonly content: ByteSource;
  /** Position of these bytes in the original image. Absent for new bytes. */
  readonly originalOffset?: number;
}

export interface IsoDirectory extends RecordShape {
  readonly kind: 'directory';
  readonly name: string;
  readonly self: RecordShape;
  readonly parent: RecordShape;
  readonly children: readonly IsoNode[];
}

export type IsoNode = IsoFile | IsoDirectory;

/**
 * Reads all directories of an image with their records.
 * @throws BootImageError `malformed`
 */
export async function readIsoTree(image: IsoImage): Promise<IsoDirectory> {
  const { source } = image;
  let seen = 0;
  const shape = async ({ identifier, flags, recordedAt, systemUse }: DirectoryRecord): Promise<RecordShape> => {
    const fields = await collectSystemUse(source, systemUse);
    if (fields.some((field) => RELOCATIONS.includes(latin1(field.subarray(0, 2)))))
      throw malformed('the file system', 'relocated directories, which cannot be written again');
    return {
      identifier,
      flags: flags & ~FLAG_MORE_EXTENTS,
      recordedAt: Uint8Array.from(recordedAt),
      systemUse: fields,
    };
  };
  const readChildren = async (directory: ReturnType<typeof toEntry>, own: RecordShape, name: string, depth: number) => {
    if (depth > DEPTH_MAX) throw malformed(name, `more than ${DEPTH_MAX} directories deep`);
    const records = await readRecords(source, directory);
    const [selfRecord, parentRecord] = records;
    if (!selfRecord?.isSelfOrParent || !parentRecord?.isSelfOrParent)
      throw malformed(name === '' ? 'the root directory' : name, 'it does not begin with itself and its parent');
    const children: IsoNode[] = [];
    let pending: DirectoryRecord[] = [];
    for (const record of records.slice(2)) {
      seen += 1;
      if (seen > NODES_MAX) throw malformed('the file system', `more than ${NODES_MAX} entries`);
      pending.push(record);
      if (record.hasMoreExtents) continue;
      children.push(await readNode(record, pending, depth));
      pending = [];
    }
    const [self, parent] = [await shape(selfRecord), await shape(parentRecord)];
    return { ...own, kind: 'directory', name, self, parent, children } satisfies IsoDirectory;
  };
  const readNode = async (
    record: DirectoryRecord,
    parts: readonly DirectoryRecord[],
    depth: number,
  ): Promise<IsoNode> => {
    const name = (await rockRidgeName(source, record.systemUse)) ?? record.isoName;
    const own = await shape(record);
    if (record.isDirectory) return readChildren(toEntry(name, [record]), own, name, depth + 1);
    return {
      ...own,
      kind: 'file',
      name,
      parts: parts.map(({ offset, length }) => ({
        content: sliceSource(source, length === 0 ? 0 : offset, length),
        originalOffset: offset,
      })),
    };
  };
  const root: RecordShape = { identifier: '\0', flags: 2, recordedAt: new Uint8Array(7), systemUse: [] };
  return readChildren(image.root, root, '', 0);
}

const NAME_BYTES_MAX = 200;

/** By path with long names. `undefined` removes a file. Content replaces or adds a file. */
export type TreeEdits = ReadonlyMap<string, ByteSource | undefined>;

/**
 * Returns the tree with the changes.
 * @throws BootImageError `file_not_found` when a file to remove does not exist
 */
export function editTree(root: IsoDirectory, edits: TreeEdits): IsoDirectory {
  return [...edits].reduce((tree, [path, content]) => editAt(tree, splitPath(path), content, path), root);
}

export function fileIn(root: IsoDirectory, path: string): IsoFile | undefined {
  let node: IsoNode | undefined = root;
  for (const name of splitPath(path))
    node = node?.kind === 'directory' ? node.children.find((child) => child.name === name) : undefined;
  return node?.kind === 'file' ? node : undefined;
}

function editAt(
  directory: IsoDirectory,
  [name = '', ...rest]: readonly string[],
  content: ByteSource | undefined,
  path: string,
): IsoDirectory {
  const index = directory.children.findIndex((child) => child.name === name);
  const known = directory.children[index];
  if (rest.length > 0) {
    const next = known ?? (content && newDirectory(directory, name));
    if (next?.kind !== 'directory') throw new BootImageError({ code: 'file_not_found', path });
    const edited = editAt(next, rest, content, path);
    return {
      ...directory,
      children: known ? directory.children.with(index, edited) : [...directory.children, edited],
    };
  }
  if (known?.kind === 'directory' || (!known && !content)) throw new BootImageError({ code: 'file_not_found', path });
  if (!content) return { ...directory, children: directory.children.filter((child) => child !== known) };
  if (known) return { ...directory, children: directory.children.with(index, { ...known, parts: [{ content }] }) };
  return { ...directory, children: [...directory.children, newFile(directory, name, content)] };
}

/** Copies owner, permissions and dates from the first file in the directory. */
function newFile(directory: IsoDirectory, name: string, content: ByteSource): IsoFile {
  const sibling = directory.children.find(({ kind }) => kind === 'file') ?? directory.children[0];
  const isoName = toIsoName(name);
  return {
    ...named(sibling ?? { ...directory, systemUse: [] }, name),
    kind: 'file',
    name,
    identifier: `${isoName}${isoName.includes('.') ? '' : '.'};1`,
    flags: 0,
    parts: [{ content }],
  };
}

/** Copies the attributes of the first directory in the directory. Undefined when there is none. */
function newDirectory(directory: IsoDirectory, name: string): IsoDirectory | undefined {
  const sibling = directory.children.find((child) => child.kind === 'directory');
  return sibling && { ...sibling, ...named(sibling, name), name, identifier: toIsoName(name), children: [] };
}

function named({ flags, recordedAt, systemUse }: RecordShape, name: string): Omit<RecordShape, 'identifier'> {
  const bytes = utf8Bytes(name);
  const isLong = systemUse.some(isName) && bytes.length <= NAME_BYTES_MAX;
  const nameField = Uint8Array.from([0x4e, 0x4d, 5 + bytes.length, 1, 0, ...bytes]);
  return {
    flags,
    recordedAt,
    systemUse: isLong ? [...systemUse.filter((field) => !isName(field)), nameField] : systemUse,
  };
}

const isName = (field: Uint8Array): boolean => latin1(field.subarray(0, 2)) === 'NM';
