import { countValues, errorMessage, isKeyOf, memberAt, textAt } from '@muster/schema';
import {
  parseAsKubernetes,
  readYaml,
  severalDocuments,
  stringifyAsJson,
  stringifyForKubernetes,
  toPlain,
} from '../documents/read-yaml';
import { MANIFEST_FOLDERS, type ManifestFile } from './manifests-input';

/** One operation of RFC 6902. `path` and `from`: the tokens of their pointers. */
interface Operation {
  readonly op: keyof typeof OPERATIONS;
  readonly path: readonly string[];
  readonly from: readonly string[];
  readonly value: unknown;
}
type Apply = (document: unknown, operation: Operation, copyOf: (value: unknown) => unknown) => unknown;
type Container = { [key: string]: unknown } | unknown[];

/** An operation that cannot be applied. The message contains its number and the reason. */
export class PatchError extends Error {}

/** Maximum number of values that the operations of a patch copy. A few operations could double a document again and again. */
export const COPIED_VALUES_MAX = 10_000;

/**
 * Returns the document after the operations of an RFC 6902 patch, in order. The arguments are not changed.
 * @throws PatchError
 */
export function applyJsonPatch(document: unknown, patch: unknown): unknown {
  let left = COPIED_VALUES_MAX;
  const copyOf = (value: unknown): unknown => {
    left -= countValues(value, left);
    if (left < 0) throw new PatchError(`the operations copy more than ${COPIED_VALUES_MAX} values.`);
    return structuredClone(value);
  };
  return operationsOf(patch).reduce<unknown>(
    (patched, operation, index) => numbered(index, () => OPERATIONS[operation.op](patched, operation, copyOf)),
    structuredClone(document),
  );
}

/** Returns the operations of a patch. Whether they can be applied depends on the document. @throws PatchError */
export function operationsOf(patch: unknown): readonly Operation[] {
  if (!Array.isArray(patch)) throw new PatchError('a patch must be a list of operations.');
  return patch.map((given: unknown, index) =>
    numbered(index, () => {
      const path = tokensOf(memberAt(given, 'path'), 'path');
      const op = memberAt(given, 'op');
      if (typeof op !== 'string' || !isKeyOf(OPERATIONS, op))
        throw new PatchError(
          `op ${JSON.stringify(op)} is not supported. Supported: ${Object.keys(OPERATIONS).join(', ')}.`,
        );
      const from = op === 'move' || op === 'copy' ? tokensOf(memberAt(given, 'from'), 'from') : [];
      const value = memberAt(given, 'value');
      if (VALUED.has(op) && value === undefined) throw new PatchError('value is missing. Write null as value: null.');
      return { op, path, from, value };
    }),
  );
}

/** Adds the number of the operation to its fault. */
function numbered<Result>(index: number, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof PatchError) throw new PatchError(`operation ${index + 1}: ${error.message}`);
    throw error;
  }
}

const OPERATIONS = {
  add: (document, { path, value }) => add(document, path, structuredClone(value)),
  remove: (document, { path }) => remove(document, path),
  replace: (document, { path, value }) => {
    read(document, path);
    return add(path.length === 0 ? document : remove(document, path), path, structuredClone(value));
  },
  move: (document, { path, from }) => {
    const moved = read(document, from);
    return add(remove(document, from), path, moved);
  },
  copy: (document, { path, from }, copyOf) => add(document, path, copyOf(read(document, from))),
  test: (document, { path, value }) => {
    if (!isAlike(read(document, path), value)) throw new PatchError(`the value at /${path.join('/')} is different.`);
    return document;
  },
} as const satisfies { readonly [op: string]: Apply };

const VALUED: ReadonlySet<string> = new Set(['add', 'replace', 'test'] satisfies (keyof typeof OPERATIONS)[]);

function tokensOf(pointer: unknown, member: string): readonly string[] {
  if (typeof pointer !== 'string' || (pointer !== '' && !pointer.startsWith('/')))
    throw new PatchError(`${member} must be a JSON pointer such as /spec/replicas.`);
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function read(document: unknown, tokens: readonly string[]): unknown {
  return tokens.reduce((at, token) => {
    if (!isContainer(at) || !Object.hasOwn(at, token))
      throw new PatchError(`the document has no value at /${tokens.join('/')}.`);
    return Array.isArray(at) ? at[Number(token)] : at[token];
  }, document);
}

function add(document: unknown, tokens: readonly string[], value: unknown): unknown {
  const last = tokens.at(-1);
  if (last === undefined) return value;
  const parent = read(document, tokens.slice(0, -1));
  if (!isContainer(parent)) throw new PatchError(`/${tokens.join('/')} is not in an object or a list.`);
  if (!Array.isArray(parent)) define(parent, last, value);
  else parent.splice(last === '-' ? parent.length : indexIn(parent, last, parent.length), 0, value);
  return document;
}

function remove(document: unknown, tokens: readonly string[]): unknown {
  const last = tokens.at(-1);
  if (last === undefined) return undefined;
  read(document, tokens);
  const parent = read(document, tokens.slice(0, -1));
  if (!isContainer(parent)) return document;
  if (Array.isArray(parent)) parent.splice(indexIn(parent, last, parent.length - 1), 1);
  else delete parent[last];
  return document;
}

/** Works for names such as __proto__, for which an assignment would set the prototype. */
const define = (parent: object, name: string, value: unknown): void =>
  void Object.defineProperty(parent, name, { value, enumerable: true, configurable: true, writable: true });

function indexIn(list: readonly unknown[], token: string, max: number): number {
  if (!/^(0|[1-9]\d{0,8})$/.test(token) || Number(token) > max)
    throw new PatchError(`${token} is not an index of a list with ${list.length} entries.`);
  return Number(token);
}

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

function isAlike(a: unknown, b: unknown): boolean {
  if (!isContainer(a) || !isContainer(b)) return a === b;
  const [one, other] = [Object.keys(a), Object.keys(b)];
  return (
    Array.isArray(a) === Array.isArray(b) &&
    one.length === other.length &&
    one.every((key) => Object.hasOwn(b, key) && isAlike(read(a, [key]), read(b, [key])))
  );
}

export type PlacedManifests =
  | { readonly kind: 'placed'; readonly files: readonly ManifestFile[] }
  | { readonly kind: 'refused'; readonly reason: string };

const PATCH = /^(.+\.(?:ya?ml|json))\.patch[^/.]*$/;
const DOCUMENTS = /^(.+)\.(ya?ml)$/;
const NUMBER_DIGITS = 2;

export const isPatch = ({ fileName }: Pick<ManifestFile, 'fileName'>): boolean => PATCH.test(fileName);

/**
 * Returns the generated manifests with those of users and operators: 1. empty files are omitted, 2. a file replaces a
 * generated one with the same name, 3. files with several documents become one file per document, 4. patches are
 * applied in the order of their names to the file with their name, in any folder, openshift first. `token` separates
 * files of one document from others with the same name.
 */
export function placeManifests(
  generated: readonly ManifestFile[],
  added: readonly ManifestFile[],
  token: string,
): PlacedManifests {
  const files = new Map(generated.map((file) => [keyOf(file), file]));
  const given = added.filter(({ content }) => content.trim() !== '');
  const divided = new Map<string, number>();
  for (const file of given.filter((one) => !isPatch(one))) {
    const documents = splitDocuments(file, token);
    if (documents.length > 1) {
      files.delete(keyOf(file));
      divided.set(keyOf(file), documents.length);
    }
    for (const single of documents) files.set(keyOf(single), single);
    if (files.size > PLACED_FILES_MAX) return { kind: 'refused', reason: TOO_MANY_FILES };
  }
  const patches = given
    .filter(isPatch)
    .sort(
      (a, b) =>
        MANIFEST_FOLDERS.indexOf(a.folder) - MANIFEST_FOLDERS.indexOf(b.folder) || (a.fileName < b.fileName ? -1 : 1),
    );
  for (const patch of patches) {
    const refused = applyPatch(files, divided, patch);
    if (refused) return { kind: 'refused', reason: refused };
  }
  return { kind: 'placed', files: [...files.values()] };
}

/** Maximum number of files after the division. More do not fit into the config of the bootstrap host. */
const PLACED_FILES_MAX = 10_000;
const TOO_MANY_FILES = `The manifests of the cluster have more than ${PLACED_FILES_MAX} documents. Delete manifests and start the installation again.`;

const keyOf = ({ folder, fileName }: Pick<ManifestFile, 'folder' | 'fileName'>): string => `${folder}/${fileName}`;

/** Begins a document, in block scalars too. */
const MARKER = /^---(?=[ \t]|$)/m;
const DIRECTIVE = /^%/m;
/** A line with more than a comment, a marker or the end of a document. */
const CONTENT = /^(?!(?:---|\.\.\.|\ufeff)?[ \t]*(?:#|$))./m;

/**
 * The text of each document is kept, because the values of a parsed document may be read differently after they are
 * written again. A file with directives is not changed: they apply to the document that follows.
 */
function splitDocuments(file: ManifestFile, token: string): readonly ManifestFile[] {
  const name = DOCUMENTS.exec(file.fileName);
  if (!name || DIRECTIVE.test(file.content)) return [file];
  const [first = '', ...others] = file.content.split(MARKER, PLACED_FILES_MAX + 2);
  const documents = [first, ...others.map(withoutBlankMarker)].filter((text) => CONTENT.test(text));
  if (documents.length < 2) return [file];
  const [, stem = '', extension = ''] = name;
  return documents.map((content, index) => ({
    folder: file.folder,
    fileName: `${stem}-${token}-${String(index).padStart(NUMBER_DIGITS, '0')}.${extension}`,
    content,
  }));
}

/** The marker stays before content on its line, which may be a tag or the head of a block scalar. */
function withoutBlankMarker(afterMarker: string): string {
  const restOfLine = /^[ \t]*(?:\r\n|\n|\r|$)/.exec(afterMarker)?.[0];
  return restOfLine === undefined ? `---${afterMarker}` : afterMarker.slice(restOfLine.length);
}

/** Changes `files`. `divided`: documents by file. Returns the reason when the patch cannot be applied. */
function applyPatch(
  files: Map<string, ManifestFile>,
  divided: ReadonlyMap<string, number>,
  patch: ManifestFile,
): string | undefined {
  const targetName = PATCH.exec(patch.fileName)?.[1] ?? '';
  const keys = MANIFEST_FOLDERS.map((folder) => keyOf({ folder, fileName: targetName }));
  const refused = (reason: string): string =>
    `The manifest ${keyOf(patch)} cannot be applied to ${targetName}: ${reason}`;
  const target = keys.flatMap((key) => files.get(key) ?? [])[0];
  const [count] = keys.flatMap((key) => divided.get(key) ?? []);
  if (!target && count !== undefined) return refused(severalDocuments(count));
  if (!target)
    return `The manifest ${keyOf(patch)} changes ${targetName}, which does not exist. Delete the patch, or rename it after an existing file.`;
  try {
    const patched = applyJsonPatch(parseAsKubernetes(target.content), parseAsKubernetes(patch.content));
    const isJson = target.fileName.endsWith('.json') || target.content.trimStart().startsWith('{');
    const content = isJson ? stringifyAsJson(patched) : stringifyForKubernetes(patched);
    files.set(keyOf(target), { ...target, content });
    return undefined;
  } catch (error) {
    return refused(errorMessage(error));
  }
}

/** Returns the names of the machine-config pools in the manifests. A manifest that cannot be parsed has none. */
export function poolNamesIn(manifests: readonly ManifestFile[]): readonly string[] {
  const objects = manifests.flatMap(({ content }): readonly unknown[] => {
    const read = readYaml(content);
    return read.kind === 'read' ? read.documents.map((document) => toPlain(document)?.value) : [];
  });
  return objects.flatMap((object) =>
    textAt(object, 'kind') === 'MachineConfigPool' ? (textAt(object, 'metadata', 'name') ?? []) : [],
  );
}
