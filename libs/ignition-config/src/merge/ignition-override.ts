import type { Refusal } from '@muster/problems';
import { errorMessage, formatPlace, formatViolation, isObject, type Place } from '@muster/schema';
import type { IgnitionConfig } from '../config/ignition-config';
import { fromDataUrl } from '../config/ignition-file';
import { extentFault } from '../documents/values';
import {
  DISTINCT_LISTS,
  ENTRY_RULES,
  LATER_MEMBERS,
  MEMBERS_OF_A_FORMAT,
  parseIgnitionConfig,
} from './ignition.schema';

/**
 * Returns the line, counted from 1, on which the value at `path` begins in a JSON text. Undefined when the value does
 * not exist. The text must be valid JSON of limited depth. It is read once, from the start.
 */
export function jsonLineOf(text: string, path: Place): number | undefined {
  const offset = offsetOf(text, path);
  return offset === undefined ? undefined : lineAt(text, offset);
}

export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

function offsetOf(text: string, path: Place): number | undefined {
  let at = skipBlanks(text, 0);
  for (const step of path) {
    const found: number | undefined = memberOf(text, at, step);
    if (found === undefined) return undefined;
    at = found;
  }
  return at;
}

/**
 * Returns the offset of a member of the list or object at `at`. Of several members with one name the last one counts,
 * as in JSON.parse.
 */
function memberOf(text: string, start: number, step: string | number): number | undefined {
  const isObject = text[start] === '{';
  if (!isObject && text[start] !== '[') return undefined;
  let found: number | undefined;
  let at = skipBlanks(text, start + 1);
  for (let index = 0; text[at] !== ']' && text[at] !== '}'; index += 1) {
    let name: string | number = index;
    if (isObject) {
      const end = endOfString(text, at);
      name = String(JSON.parse(text.slice(at, end)));
      // The colon follows the name.
      at = skipBlanks(text, skipBlanks(text, end) + 1);
    }
    if (name === step) found = at;
    at = skipBlanks(text, endOfValue(text, at));
    if (text[at] === ',') at = skipBlanks(text, at + 1);
  }
  return found;
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length;) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (depth === 0 && (character === ',' || character === ']' || character === '}')) return at;
    else {
      if (character === '[' || character === '{') depth += 1;
      if (character === ']' || character === '}') depth -= 1;
      at += 1;
    }
    if (depth === 0 && (character === ']' || character === '}' || character === '"')) return at;
  }
  return text.length;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function skipBlanks(text: string, start: number): number {
  let at = start;
  while (at < text.length && ' \t\r\n'.includes(text[at] ?? 'x')) at += 1;
  return at;
}

/** Versions of the specification that an override may have. */
export const OVERRIDE_SPEC_VERSIONS: readonly string[] = ['3.0.0', '3.1.0', '3.2.0', '3.3.0', '3.4.0'];

/** No valid config is nested deeper. */
const NESTING_MAX = 16;
/** Maximum number of problems in one message. */
const PROBLEMS_REPORTED_MAX = 5;

export type ParsedOverride =
  | { readonly kind: 'parsed'; readonly config: IgnitionConfig }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

interface Problem {
  readonly place: Place;
  /** A sentence that begins with the path. */
  readonly sentence: string;
}

/**
 * Parses a user's override (JSON text) and checks it against the specification: types, names, paths, URLs, duplicate
 * entries, and sections that its version does not have. A refusal contains path and line.
 */
export function parseIgnitionOverride(text: string, subject: string): ParsedOverride {
  const refuse = (reason: string, allowed?: readonly string[]): ParsedOverride => ({
    kind: 'refused',
    refusal: { code: 'invalid-input', reason: `${subject} cannot be used: ${reason}`, subject, allowed },
  });
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch (error) {
    return refuse(`it is not JSON (${describeSyntax(text, error)}).`);
  }
  if (!isObject(config)) return refuse('it is not a JSON object.');
  const extent = extentFault(config);
  if (extent) return refuse(extent);
  const ignition = config['ignition'];
  const version = isObject(ignition) ? ignition['version'] : undefined;
  if (typeof version !== 'string' || !OVERRIDE_SPEC_VERSIONS.includes(version)) {
    return refuse('ignition.version must name a supported version of the spec.', OVERRIDE_SPEC_VERSIONS);
  }
  if (isDeeperThan(config, NESTING_MAX)) return refuse(`it is nested deeper than ${NESTING_MAX} levels.`);
  const parsed = parseIgnitionConfig(config);
  const violations = parsed.kind === 'invalid' ? parsed.violations : [];
  const problems = [
    ...violations.map((violation) => ({ place: violation.place, sentence: `${formatViolation(violation)}.` })),
    ...problemsOf(config, Number(version.split('.')[1])),
  ];
  return parsed.kind === 'valid' && problems.length === 0
    ? { kind: 'parsed', config: parsed.value }
    : refuse(describe(text, problems));
}

/** Returns the problem of a user's override, or undefined when it can be used. */
export function ignitionOverrideProblem(text: string, subject = 'ignition_config_override'): Refusal | undefined {
  const parsed = parseIgnitionOverride(text, subject);
  return parsed.kind === 'refused' ? parsed.refusal : undefined;
}

/** Returns the certificate authorities that a config contains, as PEM. Empty when it contains none. */
export const authoritiesOf = (config: IgnitionConfig | undefined): string =>
  (config?.ignition.security?.tls?.certificateAuthorities ?? [])
    .map(({ source }) => fromDataUrl(source) ?? '')
    .filter(Boolean)
    .join('\n');

type Json = { readonly [name: string]: unknown };

/** Problems that a schema cannot express: members of later versions, duplicate entries, and a missing format. */
function problemsOf(config: Json, minor: number): readonly Problem[] {
  const problems: Problem[] = [];
  const report = (place: Place, problem: string): void =>
    void problems.push({ place, sentence: `${formatPlace(place)}: ${problem}` });
  for (const { path, sinceMinor } of LATER_MEMBERS) {
    if (minor < sinceMinor && at(config, path) !== undefined)
      report(path, `${path.join('.')} requires version 3.${sinceMinor}.0 or later of the spec.`);
  }
  for (const { lists, key } of DISTINCT_LISTS) {
    const seen = new Map<unknown, Place>();
    for (const list of lists) {
      const entries = at(config, list);
      if (!Array.isArray(entries)) continue;
      entries.forEach((entry: unknown, index) => {
        const name = isObject(entry) ? entry[key] : undefined;
        const other = seen.get(name);
        const place = [...list, index];
        if (typeof name !== 'string') return;
        if (other)
          report(place, `${key} ${name.slice(0, 200)} occurs at ${formatPlace(other)} too. Remove one of them.`);
        else seen.set(name, place);
      });
    }
  }
  for (const { list, fault } of ENTRY_RULES)
    for (const { place, entry } of entriesAt(config, list)) {
      const [member, problem] = fault(entry) ?? [];
      if (problem !== undefined) report(member ? [...place, member] : place, problem);
    }
  for (const list of UNIT_LISTS)
    for (const { place, entry } of entriesAt(config, list)) {
      const fault = typeof entry['contents'] === 'string' ? unitFault(entry['contents']) : undefined;
      if (fault) report([...place, 'contents'], fault);
    }
  for (const member of ['httpProxy', 'httpsProxy']) {
    const place = ['ignition', 'proxy', member];
    const url = at(config, place);
    // The URL may contain a password, so the message does not repeat it.
    if (typeof url === 'string' && !(/^https?:\/\//i.test(url) && URL.canParse(url)))
      report(
        place,
        'the URL of a proxy must begin with http:// or https:// and have special characters in percent-encoding.',
      );
  }
  const filesystems = at(config, ['storage', 'filesystems']);
  (Array.isArray(filesystems) ? filesystems : []).forEach((entry: unknown, index) => {
    const named = isObject(entry) && !entry['format'] && MEMBERS_OF_A_FORMAT.find((name) => isGiven(entry[name]));
    if (named) report(['storage', 'filesystems', index], `format is required together with ${named}.`);
  });
  return problems;
}

const UNIT_LISTS = [['systemd', 'units'] as const, ['systemd', 'units', 'dropins'] as const];
const UNIT_LINE_BYTES_MAX = 2_048;

/** Returns the first line that Ignition cannot read. It reads less than systemd does. */
function unitFault(contents: string): string | undefined {
  let [isContinued, isInSection] = [false, false];
  for (const [index, line] of contents.split('\n').entries()) {
    const refused = (reason: string): string => `line ${index + 1} of the unit ${reason}`;
    if (new TextEncoder().encode(line).length > UNIT_LINE_BYTES_MAX)
      return refused(`has more than ${UNIT_LINE_BYTES_MAX} bytes. Divide it with a backslash at the end of a line.`);
    const text = line.trim();
    const isSkipped = isContinued || text === '' || /^[#;]/.test(text);
    isContinued = text.endsWith('\\');
    if (isSkipped) continue;
    if (text.startsWith('[')) {
      if (!/^\[[^\]]*\]$/.test(text)) return refused('must be a section, such as [Service].');
      isInSection = true;
    } else if (isInSection && !text.includes('=')) return refused('has no "=".');
  }
  return undefined;
}

/** Returns the entries of a list, or of a list in each entry of a list, with their places. */
function entriesAt(
  config: Json,
  [section, list, inner]: (typeof ENTRY_RULES)[number]['list'],
): readonly { readonly place: Place; readonly entry: Json }[] {
  const entriesIn = (value: unknown, place: Place): readonly { readonly place: Place; readonly entry: Json }[] =>
    (Array.isArray(value) ? value : []).flatMap((entry: unknown, index) =>
      isObject(entry) ? [{ place: [...place, index], entry }] : [],
    );
  const outer = entriesIn(at(config, [section, list]), [section, list]);
  return inner === undefined ? outer : outer.flatMap(({ place, entry }) => entriesIn(entry[inner], [...place, inner]));
}

const isGiven = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));

const at = (config: Json, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    config,
  );

function describe(text: string, problems: readonly Problem[]): string {
  const shown = problems.slice(0, PROBLEMS_REPORTED_MAX).map(({ place, sentence }) => {
    const line = jsonLineOf(text, place);
    return `${line === undefined ? '' : `line ${line}, `}${sentence}`;
  });
  const more = problems.length - shown.length;
  return `${shown.join(' ')}${more > 0 ? ` And ${more} more.` : ''}`;
}

/** Returns the message of the JSON parser with line and column instead of an offset. */
function describeSyntax(text: string, error: unknown): string {
  const message = errorMessage(error);
  const offset = Number(/position (\d+)/.exec(message)?.[1] ?? NaN);
  if (Number.isNaN(offset)) return message;
  const column = offset - text.lastIndexOf('\n', offset - 1);
  return `line ${lineAt(text, offset)}, column ${column}: ${message}`;
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}
