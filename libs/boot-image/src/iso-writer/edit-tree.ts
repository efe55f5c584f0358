import { BootImageError } from '../boot-image.error';
import { latin1, utf8Bytes } from '../binary';
import type { ByteSource } from '../byte-source';
import { splitPath, toIsoName } from '../iso/iso-names';
import type { IsoDirectory, IsoFile, IsoNode, RecordShape } from './iso-tree';

const NAME_BYTES_MAX = 200;

/** By path with long names. `undefined` removes a file; content replaces one or adds it. */
export type TreeEdits = ReadonlyMap<string, ByteSource | undefined>;

/** The tree with some files other than they were. Throws `file_not_found` for what is removed and is not there. */
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

/** Like the first file beside it, so that owner, permissions and dates look as those of the others. */
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

/** Like the first directory beside it. Undefined when there is none to be like. */
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
