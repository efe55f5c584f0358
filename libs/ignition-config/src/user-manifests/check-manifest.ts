import { parseAllDocuments } from 'yaml';

/** Decoded. */
export const MANIFEST_BYTES_MAX = 1_048_576;
const ALIASES_MAX = 100;
const NAME = /^[^/]*\.(?:json|ya?ml(?:\.patch_?[a-zA-Z0-9_]*)?)$/;
const STEM = /^[^.]*/;

export type ManifestFault =
  /** The name itself cannot be a file's. */
  { readonly kind: 'unusable-name'; readonly reason: string } | { readonly kind: 'invalid'; readonly reason: string };

/** Why a file of that name cannot be a manifest; undefined when it can. */
export function manifestNameFault(fileName: string): ManifestFault | undefined {
  const unusable = (why: string): ManifestFault => ({
    kind: 'unusable-name',
    reason: `file_name "${fileName.slice(0, 128)}" ${why}.`,
  });
  if (/[/\\\0]/.test(fileName)) return unusable('leads to another folder; name the file only');
  if (/\s/.test(fileName)) return unusable('has a blank in it');
  if (fileName.startsWith('.') || STEM.exec(fileName)?.[0] === '') return unusable('begins with a dot');
  if (NAME.test(fileName)) return undefined;
  return {
    kind: 'invalid',
    reason: `file_name "${fileName.slice(0, 128)}" has to end in .json, .yaml or .yml, or in .patch and a suffix after one of the latter two.`,
  };
}

/** Why the text cannot be the manifest of that name, with the line; undefined when it can. */
export function manifestContentFault(fileName: string, content: string): ManifestFault | undefined {
  const invalid = (reason: string): ManifestFault => ({ kind: 'invalid', reason: `${fileName}: ${reason}` });
  if (fileName.endsWith('.json')) {
    try {
      JSON.parse(content);
      return undefined;
    } catch (error) {
      return invalid(`this is no JSON: ${error instanceof Error ? error.message : 'unreadable'}.`);
    }
  }
  const documents = parseAllDocuments(content, { logLevel: 'silent' });
  if (!Array.isArray(documents)) return undefined;
  for (const document of documents) {
    const [error] = document.errors;
    if (error) return invalid(`this is no YAML: ${error.message.replace(/:\n[\s\S]*$/, '')}.`);
    try {
      document.toJS({ maxAliasCount: ALIASES_MAX });
    } catch {
      return invalid(`more than ${ALIASES_MAX} uses of an alias are not taken.`);
    }
  }
  return undefined;
}
