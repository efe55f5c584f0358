import type { Refusal } from '@muster/problems';
import { LineCounter, parseDocument } from 'yaml';
import type { IgnitionConfig } from '../config/ignition-config';
import { formatPath, isMapping, type Path } from '../shape/shape';
import { DISTINCT_LISTS, IGNITION_SHAPE, LATER_MEMBERS } from './ignition-shape';

/** Spec versions that an override may be written in. */
export const OVERRIDE_SPEC_VERSIONS: readonly string[] = ['3.0.0', '3.1.0', '3.2.0', '3.3.0', '3.4.0'];

/** No config of the spec is nested deeper; what is, is not meant to be read. */
const NESTING_MAX = 16;
/** More than a person reads at once. */
const PROBLEMS_REPORTED_MAX = 5;

export type ParsedOverride =
  | { readonly kind: 'parsed'; readonly config: IgnitionConfig }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

interface Problem {
  readonly path: Path;
  readonly problem: string;
}

/**
 * Reads what a person wants on top of a rendered config (JSON text) and checks it against the spec: types, names, paths,
 * URLs, entries that stand twice, and sections that its version does not have. Each refusal names place and line.
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
  if (!isMapping(config)) return refuse('it is not a JSON object.');
  const ignition = config['ignition'];
  const version = isMapping(ignition) ? ignition['version'] : undefined;
  if (typeof version !== 'string' || !OVERRIDE_SPEC_VERSIONS.includes(version)) {
    return refuse('ignition.version must name a supported version of the spec.', OVERRIDE_SPEC_VERSIONS);
  }
  if (isDeeperThan(config, NESTING_MAX)) return refuse(`it is nested deeper than ${NESTING_MAX} levels.`);
  const problems = problemsOf(config, Number(version.split('.')[1]));
  return problems.length > 0
    ? refuse(describe(text, problems))
    : { kind: 'parsed', config: config as unknown as IgnitionConfig };
}

type Json = { readonly [name: string]: unknown };

function problemsOf(config: Json, minor: number): readonly Problem[] {
  const problems: Problem[] = [];
  const report = (path: Path, problem: string): void => void problems.push({ path, problem });
  IGNITION_SHAPE(config, [], report);
  for (const { path, sinceMinor } of LATER_MEMBERS) {
    if (minor < sinceMinor && at(config, path) !== undefined)
      report(path, `${path.join('.')} is part of the spec from version 3.${sinceMinor}.0 on only.`);
  }
  for (const { lists, key } of DISTINCT_LISTS) {
    const seen = new Map<unknown, Path>();
    for (const list of lists) {
      const entries = at(config, list);
      if (!Array.isArray(entries)) continue;
      entries.forEach((entry: unknown, index) => {
        const name = isMapping(entry) ? entry[key] : undefined;
        const other = seen.get(name);
        const place = [...list, index];
        if (typeof name !== 'string') return;
        if (other) report(place, `${key} ${name.slice(0, 200)} stands at ${formatPath(other)} already.`);
        else seen.set(name, place);
      });
    }
  }
  return problems;
}

const at = (config: Json, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, name) => (isMapping(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    config,
  );

/** Lines are looked for only when there is something to say. */
function describe(text: string, problems: readonly Problem[]): string {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, uniqueKeys: false });
  const told = problems.slice(0, PROBLEMS_REPORTED_MAX).map(({ path, problem }) => {
    const node = document.getIn(path, true) as { readonly range?: readonly number[] | null } | undefined;
    const offset = node?.range?.[0];
    const line = offset === undefined ? '' : `line ${counter.linePos(offset).line}, `;
    return `${line}${formatPath(path) || 'the document'}: ${problem}`;
  });
  const more = problems.length - told.length;
  return `${told.join(' ')}${more > 0 ? ` And ${more} more.` : ''}`;
}

/** Engines tell a position; people count lines. */
function describeSyntax(text: string, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const offset = Number(/position (\d+)/.exec(message)?.[1] ?? NaN);
  if (Number.isNaN(offset)) return message;
  const before = text.slice(0, offset).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${message}`;
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}
