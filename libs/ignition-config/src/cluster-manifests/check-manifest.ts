import { errorMessage, jsonFault } from '@muster/schema';
import { CST, Lexer } from 'yaml';
import {
  isMarker,
  parseAsKubernetes,
  readYaml,
  toPlain,
  YAML_ALIASES_MAX,
  type YamlFault,
} from '../documents/read-yaml';
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
const NONCHARACTER = /[\ufffe\uffff]/;

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
      return invalid(`The text is not JSON: ${jsonFault(error)}.`);
    }
  }
  const atLine = ({ reason, line }: YamlFault): ManifestFault =>
    invalid(`${reason.replace(/\.$/, '')} (line ${line}).`);
  const lineOf = (index: number): number => lineBreaksOf(content.slice(0, index)) + 1;
  const control = content.search(CONTROL);
  if (control >= 0) return atLine({ reason: 'The text contains a control character', line: lineOf(control) });
  const noncharacter = content.search(NONCHARACTER);
  if (noncharacter >= 0)
    return atLine({ reason: 'The text contains the noncharacter U+FFFE or U+FFFF', line: lineOf(noncharacter) });
  const read = readYaml(content);
  if (read.kind === 'refused') return atLine(read.fault);
  const refused = kubernetesFault(content);
  if (refused) return atLine(refused);
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

interface Token {
  /** As in the library, with the types `plain` and `block` for scalars without quotes. */
  readonly type: string | null;
  readonly source: string;
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 0. */
  readonly column: number;
  /** The header of a block scalar. */
  readonly header: string;
}

const BLANK: ReadonlySet<string | null> = new Set(['space', 'newline']);
/** A value may begin after them. */
const BEFORE_VALUE: ReadonlySet<string | null> = new Set(['seq-item-ind', 'explicit-key-ind']);

function* tokensOf(text: string): Generator<Token> {
  let [line, column, header, isScalar] = [1, 0, '', false];
  for (const source of new Lexer().lex(text)) {
    const type = isScalar ? (header === '' ? 'plain' : 'block') : CST.tokenType(source);
    isScalar = type === 'scalar';
    if (isMarker(type)) continue;
    yield { type, source, line, column, header };
    if (type === 'block-scalar-header') header = source;
    else if (!BLANK.has(type) && type !== 'comment') header = '';
    const breaks = lineBreaksOf(source);
    line += breaks;
    column = breaks > 0 ? source.length - source.lastIndexOf('\n') - 1 : column + source.length;
  }
}

const lineBreaksOf = (text: string): number => text.split('\n').length - 1;

/** Returns what go-yaml refuses although YAML 1.2 permits it: tabs in the indentation, an escape, and directives. */
function kubernetesFault(content: string): YamlFault | undefined {
  let [flowDepth, isIndentation] = [0, true];
  /** The type of the last token that is not blank. */
  let before: string | null = null;
  for (const token of tokensOf(content)) {
    const { type, line, source } = token;
    if (type === 'flow-map-start' || type === 'flow-seq-start') flowDepth += 1;
    if (type === 'flow-map-end' || type === 'flow-seq-end') flowDepth -= 1;
    const mayBegin = flowDepth === 0 && (isIndentation || BEFORE_VALUE.has(before));
    if (type === 'space' && mayBegin && hasRefusedTab(token, before)) return { reason: TAB, line };
    const [beforeTab] = (type === 'block' && !/\d/.test(token.header) && TAB_IN_BLOCK.exec(source)) || [];
    if (beforeTab !== undefined) return { reason: TAB, line: line + lineBreaksOf(beforeTab) };
    const [beforeSlash] = (type === 'double-quoted-scalar' && ESCAPED_SLASH.exec(source)) || [];
    if (beforeSlash !== undefined) return { reason: SLASH, line: line + lineBreaksOf(beforeSlash) };
    if (type === 'directive-line' && !DIRECTIVE.test(source))
      return {
        reason: `Kubernetes does not support the directive '${source.slice(0, DIRECTIVE_SHOWN)}'. It supports %YAML 1.1 and %TAG`,
        line,
      };
    if (type === 'newline') isIndentation = true;
    else if (type !== 'space') [isIndentation, before] = [false, type];
  }
  return undefined;
}

const TAB = 'The indentation contains a tab, which Kubernetes refuses';
/** A block scalar without a given indentation, which its first line with text determines. */
const TAB_IN_BLOCK = /^[ \r\n]*\t/;
const SLASH = 'The text contains the escape \\/, which Kubernetes refuses';
/** JSON and YAML 1.2 have this escape. */
const ESCAPED_SLASH = /^(?:[^\\]|\\[^/])*\\\//;
const DIRECTIVE = /^%(?:YAML[ \t]+1\.1|TAG)(?![^ \t])/;
const DIRECTIVE_SHOWN = 32;

/** After a scalar without quotes, which may continue in the next line, a tab is refused only at the beginning of that line. */
const hasRefusedTab = ({ source, column }: Token, before: string | null): boolean => {
  const tab = source.indexOf('\t');
  return tab >= 0 && (before !== 'plain' || column + tab === 0);
};
