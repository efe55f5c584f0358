import type { Refusal } from '@muster/problems';
import type { IgnitionConfig } from '../config/ignition-config';

/** Spec versions that an override may be written in. */
export const OVERRIDE_SPEC_VERSIONS: readonly string[] = ['3.0.0', '3.1.0', '3.2.0', '3.3.0', '3.4.0'];

/** No config of the spec is nested deeper; what is, is not meant to be read. */
const NESTING_MAX = 16;

export type ParsedOverride =
  | { readonly kind: 'parsed'; readonly config: IgnitionConfig }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** Lists whose entries need a name, and how it is called. A path has to be absolute. */
const NAMED_LISTS = [
  ['storage', 'files', 'path'],
  ['storage', 'directories', 'path'],
  ['storage', 'links', 'path'],
  ['systemd', 'units', 'name'],
  ['passwd', 'users', 'name'],
  ['passwd', 'groups', 'name'],
] as const;

/**
 * Reads what a person wants on top of a rendered config (JSON text). Checks the version, that sections are objects and
 * that entries of lists are named; the rest of the schema is left to Ignition.
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
    return refuse(`it is not JSON (${error instanceof Error ? error.message : String(error)}).`);
  }
  if (!isObject(config)) return refuse('it is not a JSON object.');
  const ignition = config['ignition'];
  const version = isObject(ignition) ? ignition['version'] : undefined;
  if (typeof version !== 'string' || !OVERRIDE_SPEC_VERSIONS.includes(version)) {
    return refuse('ignition.version must name a supported version of the spec.', OVERRIDE_SPEC_VERSIONS);
  }
  const flaw = isDeeperThan(config, NESTING_MAX) ? `it is nested deeper than ${NESTING_MAX} levels.` : findFlaw(config);
  return flaw ? refuse(flaw) : { kind: 'parsed', config: config as unknown as IgnitionConfig };
}

function findFlaw(config: JsonLike): string | undefined {
  for (const [section, list, name] of NAMED_LISTS) {
    const parent = config[section];
    if (parent !== undefined && !isObject(parent)) return `${section} is not an object.`;
    const entries = isObject(parent) ? parent[list] : undefined;
    if (entries === undefined) continue;
    if (!Array.isArray(entries)) return `${section}.${list} is not a list.`;
    const unnamed = entries.findIndex((entry) => !isNamed(entry, name));
    if (unnamed !== -1) return `${section}.${list}[${unnamed}] has no ${name === 'path' ? 'absolute path' : 'name'}.`;
  }
  return undefined;
}

function isNamed(entry: unknown, name: 'path' | 'name'): boolean {
  const value = isObject(entry) ? entry[name] : undefined;
  return typeof value === 'string' && (name === 'path' ? value.startsWith('/') : value !== '');
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}

type JsonLike = { readonly [name: string]: unknown };
function isObject(value: unknown): value is JsonLike {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
