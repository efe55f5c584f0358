import { errorMessage } from '@muster/schema';
import { parseAsKubernetes, readYaml, toPlain, YAML_ALIASES_MAX } from '../documents/read-yaml';
import { isPatch, operationsOf } from './place-manifests';

/** Maximum size of one manifest after base64 decoding, in bytes. */
export const MANIFEST_BYTES_MAX = 1_048_576;
/** Each document becomes a file of the bootstrap host. */
const DOCUMENTS_MAX = 1_000;
const NAME = /^[^/]*\.(?:json|ya?ml(?:\.patch_?[a-zA-Z0-9_]*)?)$/;
/** File systems accept 255 bytes. The installer splits manifests and adds a suffix of up to 16 bytes. */
const NAME_BYTES_MAX = 239;
const STEM = /^[^.]*/;
/** Users unpack manifests on Windows, too. It refuses these characters, and the names of devices with any extension. */
const FORBIDDEN = /[<>:"|?*]/;
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:\.|$)/i;

/** YAML has no control characters except tabs and line breaks, and the parser of the installer refuses them. */
const CONTROL = /[^\P{Cc}\t\n\r\u0085]/u;

export type ManifestFault =
  /** The name is not a valid file name. */
  { readonly kind: 'unusable-name'; readonly reason: string } | { readonly kind: 'invalid'; readonly reason: string };

/** Returns the reason why a file with this name cannot be a manifest, or undefined. */
export function manifestNameFault(fileName: string): ManifestFault | undefined {
  const unusable = (why: string): ManifestFault => ({
    kind: 'unusable-name',
    reason: `file_name '${fileName.slice(0, 128)}' ${why}.`,
  });
  if (fileName === '') return { kind: 'unusable-name', reason: 'file_name is empty.' };
  if (/[/\\\0]/.test(fileName)) return unusable('contains a path separator. Use the name of the file only');
  if (new TextEncoder().encode(fileName).length > NAME_BYTES_MAX)
    return unusable(`has more than ${NAME_BYTES_MAX} bytes`);
  if (/\p{Cc}/u.test(fileName)) return unusable('contains a control character');
  if (/\s/.test(fileName)) return unusable('contains a blank');
  if (fileName.startsWith('.') || STEM.exec(fileName)?.[0] === '') return unusable('begins with a dot');
  if (FORBIDDEN.test(fileName)) return unusable('contains one of < > : " | ? *, which some file systems refuse');
  if (DEVICE.test(fileName)) return unusable('is the name of a device on Windows. Use another name');
  if (NAME.test(fileName)) return undefined;
  return {
    kind: 'invalid',
    reason: `file_name '${fileName.slice(0, 128)}' must end in .json, .yaml or .yml, or in .yaml.patch or .yml.patch with an optional suffix.`,
  };
}

/** Returns the reason and the line why the text cannot be a manifest with this name, or undefined. */
export function manifestContentFault(fileName: string, content: string): ManifestFault | undefined {
  const invalid = (reason: string): ManifestFault => ({ kind: 'invalid', reason: `${fileName}: ${reason}` });
  if (fileName.endsWith('.json')) {
    try {
      JSON.parse(content);
      return undefined;
    } catch (error) {
      return invalid(`The text is not JSON: ${error instanceof Error ? error.message : 'unreadable'}.`);
    }
  }
  const control = content.search(CONTROL);
  if (control >= 0)
    return invalid(`The text contains a control character (line ${content.slice(0, control).split('\n').length}).`);
  const read = readYaml(content);
  if (read.kind === 'refused') return invalid(`${read.fault.reason.replace(/\.$/, '')} (line ${read.fault.line}).`);
  const { length } = read.documents;
  if (length > DOCUMENTS_MAX)
    return invalid(
      `The text has ${length} documents. Allowed: at most ${DOCUMENTS_MAX}. Divide it into several files.`,
    );
  if (!read.documents.every(toPlain))
    return invalid(`An alias cannot be resolved, or more than ${YAML_ALIASES_MAX} values follow from aliases.`);
  const fault = isPatch({ fileName }) && content.trim() !== '' ? patchFault(content) : undefined;
  return fault === undefined ? undefined : invalid(`The patch cannot be applied: ${fault}`);
}

function patchFault(content: string): string | undefined {
  try {
    operationsOf(parseAsKubernetes(content));
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}
