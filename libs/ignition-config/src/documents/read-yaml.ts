import { Buffer } from 'node:buffer';
import {
  CST,
  type Document,
  isScalar,
  Lexer,
  LineCounter,
  parseAllDocuments,
  type ScalarTag,
  stringify,
  type Tags,
  visit,
} from 'yaml';

/** Maximum levels of lists and mappings. Schemas of custom resources have about 40. */
export const YAML_DEPTH_MAX = 100;
/** Maximum uses of anchors in one text. Each may represent a large part of the document. */
export const YAML_ALIASES_MAX = 100;

/** The reason why a text cannot be parsed. */
export interface YamlFault {
  /** A sentence. */
  readonly reason: string;
  /** Counted from 1. */
  readonly line: number;
}

export type ReadYaml =
  | { readonly kind: 'read'; readonly documents: readonly Document[]; readonly lines: LineCounter }
  | { readonly kind: 'refused'; readonly fault: YamlFault };

/**
 * Parses every document of a user's text in time that is linear in its length. Depth and aliases are counted before the
 * parser runs, because it is recursive. Duplicate keys are found with a set, because the parser compares all pairs.
 */
export function readYaml(text: string): ReadYaml {
  const refused = (reason: string, line: number): ReadYaml => ({ kind: 'refused', fault: { reason, line } });
  const limit = textFault(text);
  if (limit) return refused(limit.reason, limit.line);
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, {
    lineCounter: lines,
    customTags: (tags) => [...tags, BINARY_TEXT],
    logLevel: 'silent',
    prettyErrors: false,
    uniqueKeys: false,
  });
  const documents = Array.isArray(parsed) ? parsed : [];
  for (const document of documents) {
    const [error] = document.errors;
    if (error) return refused(`The text is not YAML: ${error.message}.`, lines.linePos(error.pos[0]).line);
    const duplicate = duplicateKey(document);
    if (duplicate) return refused(`The key '${duplicate.key}' occurs twice.`, lines.linePos(duplicate.offset).line);
  }
  return { kind: 'read', documents, lines };
}

/** The plain value of a document. Undefined when an alias refers to nothing or too many values follow from aliases. */
export function toPlain(document: Document): { readonly value: unknown } | undefined {
  try {
    return { value: document.toJS({ maxAliasCount: YAML_ALIASES_MAX }) };
  } catch {
    return undefined;
  }
}

const BINARY = 'tag:yaml.org,2002:binary';
/** The texts that the decoder of go-yaml accepts. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Bytes are read as text, as in go-yaml. The tag of the parser returns a part of memory that many values share, and after a copy the writer
 * would write all of it.
 */
const BINARY_TEXT: ScalarTag = {
  tag: BINARY,
  resolve: (source, onError) => {
    const digits = source.replace(/[\r\n]/g, '');
    if (!BASE64.test(digits)) onError('!!binary must be base64');
    return Buffer.from(digits, 'base64').toString();
  },
};

const INT = 'tag:yaml.org,2002:int';
const FLOAT = 'tag:yaml.org,2002:float';
/** Types of YAML 1.1 that go-yaml does not have, or whose notation is different there. */
const REPLACED: ReadonlySet<string> = new Set([
  BINARY,
  INT,
  FLOAT,
  // The reader adds it. The writer writes a key << in quotes, because it is not a merge.
  'tag:yaml.org,2002:merge',
  'tag:yaml.org,2002:timestamp',
  'tag:yaml.org,2002:omap',
  'tag:yaml.org,2002:pairs',
  'tag:yaml.org,2002:set',
]);

/** An integer of go-yaml. It is a bigint where a number would lose digits. */
const KUBERNETES_INT: ScalarTag = {
  tag: INT,
  default: true,
  identify: (value) => typeof value === 'bigint' || Number.isInteger(value),
  test: /^(?:[-+]_*)?(?:\d[\d_]*|0_*[xX][\da-fA-F_]+|0_*[oO][0-7_]+|0_*[bB][01_]+)$/,
  resolve: (source) => {
    const [, sign = '', digits = ''] = /^([-+]?)(.*)$/.exec(source.replaceAll('_', '')) ?? [];
    if (/^0[xob]$/i.test(digits)) return source;
    // Digits 8 and 9 make it a decimal number, as in go-yaml.
    const value = BigInt(digits.replace(/^0(?=[0-7]+$)/, '0o'));
    const signed = sign === '-' ? -value : value;
    return Number.isSafeInteger(Number(signed)) ? Number(signed) : signed;
  },
  stringify: ({ value }) => String(value),
};

/** A floating-point number of go-yaml, which has no sexagesimal numbers. */
const KUBERNETES_FLOAT: ScalarTag = {
  tag: FLOAT,
  default: true,
  identify: (value) => typeof value === 'number',
  // Each underscore matches in one place only, so that the time is linear in the length.
  test: /^(?:(?:[-+]_*)?\d[\d_]*(?:\.[\d_]*)?|[-+]_*\._*\d[\d_]*|\.\d+)(?:[eE]_*(?:[-+]_*)?\d[\d_]*)?$/,
  resolve: (source) => {
    const value = Number(source.replaceAll('_', ''));
    return Number.isFinite(value) ? value : source;
  },
  stringify: ({ value }) => String(value),
};

/**
 * Kubernetes, the machine-config operator and the installer read YAML with go-yaml v2: 0644 is octal, and yes and on are
 * true. YAML 1.2, the default of the parser, has neither.
 */
const AS_KUBERNETES = {
  schema: 'yaml-1.1',
  customTags: (tags: Tags): Tags => [
    ...tags.filter((tag) => typeof tag === 'string' || !REPLACED.has(tag.tag)),
    'floatNaN',
    BINARY_TEXT,
    KUBERNETES_INT,
    KUBERNETES_FLOAT,
  ],
  resolveKnownTags: false,
} as const;

/**
 * Returns the plain value of a document with the scalars that Kubernetes reads. An integer is a bigint where a number
 * would lose digits. The last of several equal keys applies. A marker without a document, which tools add, is ignored.
 * @throws Error when the text is not one YAML document
 */
export function parseAsKubernetes(text: string): unknown {
  const parsed = parseAllDocuments(text, {
    ...AS_KUBERNETES,
    merge: true,
    logLevel: 'error',
    // The parser compares all pairs of keys otherwise.
    uniqueKeys: false,
  });
  const all = Array.isArray(parsed) ? parsed : [];
  const error = all.flatMap(({ errors }) => errors)[0];
  if (error) throw error;
  const documents = all.filter(({ contents }) => !(isScalar(contents) && contents.value === null && !contents.source));
  if (documents.length > 1) throw new Error(severalDocuments(documents.length));
  return documents[0]?.toJS({ maxAliasCount: YAML_ALIASES_MAX }) ?? null;
}

/** Returns the fault of a text that must be one document. */
export const severalDocuments = (count: number): string =>
  `the text has ${count} documents. Write each of them to a file of its own.`;

/** Characters that go-yaml refuses, or reads as line breaks. */
export const UNREADABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;
/** A text of several lines whose first one begins with a tab, or is blank. From its first line, go-yaml determines the indentation. */
const UNCLEAR_INDENTATION = /[|>][-+]?\n(?:[ \n]*\t| +\n)/;
const FOR_KUBERNETES = { ...AS_KUBERNETES, compat: 'yaml-1.1', lineWidth: 0 } as const;

/** Returns YAML text from which Kubernetes and other readers of YAML 1.1 read the same value. */
export function stringifyForKubernetes(value: unknown = null): string {
  const text = stringify(value, FOR_KUBERNETES);
  if (text.search(UNREADABLE) < 0 && !UNCLEAR_INDENTATION.test(text)) return text;
  const quoted = stringify(value, {
    ...FOR_KUBERNETES,
    defaultStringType: 'QUOTE_DOUBLE',
    doubleQuotedMinMultiLineLength: Infinity,
  });
  return withEscapes(quoted, UNREADABLE);
}

/** Programs refuse them in YAML, or read them as line breaks. The writer does not escape them. */
const CONTROL = /[\u007f-\u009f]/g;

/** The writer puts texts with control characters in double quotes, where an escape stands for the character. */
export const withoutControls = (yaml: string): string => withEscapes(yaml, CONTROL);

const HEXADECIMAL = 16;
const ESCAPE_DIGITS = 4;

/** Returns a text with an escape in place of each character that the pattern matches. */
export const withEscapes = (text: string, characters: RegExp): string =>
  text.replace(
    characters,
    (character) => `\\u${character.charCodeAt(0).toString(HEXADECIMAL).padStart(ESCAPE_DIGITS, '0')}`,
  );

/** Returns JSON text with all digits of a bigint, which JSON.stringify refuses. */
export const stringifyAsJson = (value: unknown): string =>
  stringify(value ?? null, {
    schema: 'json',
    aliasDuplicateObjects: false,
    collectionStyle: 'flow',
    defaultKeyType: 'QUOTE_DOUBLE',
    defaultStringType: 'QUOTE_DOUBLE',
    lineWidth: 0,
  });

/** Counts depth and aliases on the tokens of the text. The lexer is neither recursive nor does it look back. */
function textFault(text: string): YamlFault | undefined {
  let line = 1;
  let column = 0;
  let aliases = 0;
  let flowDepth = 0;
  /** Columns of the open lists and mappings, ascending. */
  let columns: number[] = [];
  for (const token of new Lexer().lex(text)) {
    const type = CST.tokenType(token);
    if (type === 'alias') aliases += 1;
    if (type === 'flow-map-start' || type === 'flow-seq-start') flowDepth += 1;
    if (type === 'flow-map-end' || type === 'flow-seq-end') flowDepth = Math.max(0, flowDepth - 1);
    if (type === 'doc-start' || type === 'doc-end') {
      columns = [];
      flowDepth = 0;
    }
    const isContent = !SPACE.has(type);
    if (isContent && flowDepth === 0) {
      while ((columns.at(-1) ?? -1) > column) columns.pop();
      if ((columns.at(-1) ?? -1) < column) columns.push(column);
    }
    if (aliases > YAML_ALIASES_MAX) return { reason: `More than ${YAML_ALIASES_MAX} aliases are not supported.`, line };
    if (columns.length + flowDepth > YAML_DEPTH_MAX)
      return { reason: `More than ${YAML_DEPTH_MAX} levels of lists and mappings are not supported.`, line };
    if (isMarker(type)) continue;
    const lastBreak = token.lastIndexOf('\n');
    if (lastBreak < 0) column += token.length;
    else {
      for (let at = token.indexOf('\n'); at >= 0; at = token.indexOf('\n', at + 1)) line += 1;
      column = token.length - lastBreak - 1;
    }
  }
  return undefined;
}

const SPACE: ReadonlySet<string | null> = new Set([
  'byte-order-mark',
  'doc-mode',
  'flow-error-end',
  'scalar',
  'space',
  'newline',
  'comment',
  'comma',
  'flow-map-end',
  'flow-seq-end',
]);

/** Returns true for control tokens of the lexer, which are not part of the text. */
export const isMarker = (type: string | null): boolean =>
  type === 'doc-mode' || type === 'flow-error-end' || type === 'scalar';

function duplicateKey(document: Document): { readonly key: string; readonly offset: number } | undefined {
  let found: { readonly key: string; readonly offset: number } | undefined;
  visit(document, {
    Map: (_, map) => {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        if (!isScalar(key) || key.value === '<<') continue;
        const name = `${typeof key.value}:${String(key.value)}`;
        if (seen.has(name)) {
          found = { key: String(key.value).slice(0, 64), offset: key.range?.[0] ?? 0 };
          return visit.BREAK;
        }
        seen.add(name);
      }
      return undefined;
    },
  });
  return found;
}
