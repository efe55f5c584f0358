import { isMap, parse, parseAllDocuments, stringify } from 'yaml';
import { applyJsonPatch, PatchError } from './json-patch';
import { MANIFEST_FOLDERS, type ManifestFile } from './manifest-file';

export type PlacedManifests =
  | { readonly kind: 'placed'; readonly files: readonly ManifestFile[] }
  | { readonly kind: 'refused'; readonly reason: string };

const PATCH = /^(.+\.(?:ya?ml|json))\.patch[^/]*$/;
const DOCUMENTS = /^(.+)\.(ya?ml)$/;
const NUMBER_DIGITS = 2;

export const isPatch = ({ fileName }: ManifestFile): boolean => PATCH.test(fileName);

/**
 * Returns the generated manifests with those of users and operators: 1. files that are empty are left out, 2. one of
 * the same name takes the place of a generated one, 3. files of several documents become one file each, 4. patches are
 * applied, in the order of their names, to the file that they name, in whichever folder it is; openshift first.
 * `token` tells files of one document apart from others of the same name.
 */
export function placeManifests(
  generated: readonly ManifestFile[],
  added: readonly ManifestFile[],
  token: string,
): PlacedManifests {
  const files = new Map(generated.map((file) => [keyOf(file), file]));
  const given = added.filter(({ content }) => content.trim() !== '');
  for (const file of given.filter((one) => !isPatch(one)))
    for (const single of splitDocuments(file, token)) files.set(keyOf(single), single);
  const patches = given
    .filter(isPatch)
    .sort(
      (a, b) =>
        MANIFEST_FOLDERS.indexOf(a.folder) - MANIFEST_FOLDERS.indexOf(b.folder) || (a.fileName < b.fileName ? -1 : 1),
    );
  for (const patch of patches) {
    const refused = applyPatch(files, patch);
    if (refused) return { kind: 'refused', reason: refused };
  }
  return { kind: 'placed', files: [...files.values()] };
}

const keyOf = ({ folder, fileName }: Pick<ManifestFile, 'folder' | 'fileName'>): string => `${folder}/${fileName}`;

/** A file that cannot be read is left as it is: the cluster says what is wrong with it. */
function splitDocuments(file: ManifestFile, token: string): readonly ManifestFile[] {
  const name = DOCUMENTS.exec(file.fileName);
  if (!name || !/^---/m.test(file.content)) return [file];
  const documents = parseAllDocuments(file.content);
  if (!Array.isArray(documents)) return [file];
  const filled = documents.filter(({ contents, errors }) => isMap(contents) && errors.length === 0);
  if (filled.length < 2) return [file];
  const [, stem = '', extension = ''] = name;
  return filled.map((document, index) => ({
    folder: file.folder,
    fileName: `${stem}-${token}-${String(index).padStart(NUMBER_DIGITS, '0')}.${extension}`,
    content: stringify(document.toJS(), { lineWidth: 0 }),
  }));
}

/** Changes `files`; the reason when it cannot be done. */
function applyPatch(files: Map<string, ManifestFile>, patch: ManifestFile): string | undefined {
  const targetName = PATCH.exec(patch.fileName)?.[1] ?? '';
  const target = MANIFEST_FOLDERS.flatMap((folder) => files.get(keyOf({ folder, fileName: targetName })) ?? [])[0];
  if (!target)
    return `The manifest ${keyOf(patch)} changes ${targetName}, and there is no such file; delete it or give it the name of one that exists.`;
  try {
    const patched = applyJsonPatch(parse(target.content), parse(patch.content));
    const isJson = target.fileName.endsWith('.json') || target.content.trimStart().startsWith('{');
    const content = isJson ? `${JSON.stringify(patched, undefined, 2)}\n` : stringify(patched, { lineWidth: 0 });
    files.set(keyOf(target), { ...target, content });
    return undefined;
  } catch (error) {
    const reason = error instanceof PatchError || error instanceof Error ? error.message : String(error);
    return `The manifest ${keyOf(patch)} cannot be applied to ${targetName}: ${reason}`;
  }
}
