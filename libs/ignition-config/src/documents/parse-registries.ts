import { isObject } from '@muster/schema';
import { parse } from 'smol-toml';
import type { RegistryMirror } from '../install-config/install-config-input';

export type ParsedRegistries =
  | { readonly kind: 'parsed'; readonly mirrors: readonly RegistryMirror[] }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Returns the mirrors and other locations in a registries.conf (TOML, containers-registries.conf(5) version 2). Refuses a text that is not
 * TOML or has no `[[registry]]`, because it is probably another file, and one that the container programs of hosts do not load: then a host
 * reads no image at all.
 */
export function parseRegistries(text: string): ParsedRegistries {
  let document: unknown;
  try {
    document = parse(text);
  } catch (error) {
    const [reason = 'unreadable'] = error instanceof Error ? error.message.split('\n') : [];
    return { kind: 'refused', reason: `The text is not TOML: ${reason}` };
  }
  const registries = isObject(document) ? document['registry'] : undefined;
  if (!Array.isArray(registries) || registries.length === 0)
    return { kind: 'refused', reason: 'The document has no [[registry]].' };
  for (const [index, registry] of registries.entries()) {
    const fault = faultIn(registry) ?? conflictOf(registry, registries);
    if (fault) return { kind: 'refused', reason: `Table ${index + 1} of [[registry]]: ${fault}.` };
  }
  const applied = new Map<string, unknown>();
  for (const registry of registries) if (!applied.has(sourceOf(registry))) applied.set(sourceOf(registry), registry);
  return { kind: 'parsed', mirrors: [...applied.values()].flatMap(ruleOf) };
}

const sourceOf = (registry: unknown): string => textOf(registry, 'prefix') || textOf(registry, 'location');

const PULLS: ReadonlySet<string> = new Set(['', 'all', 'digest-only', 'tag-only']);

function faultIn(registry: unknown): string | undefined {
  const [location, prefix] = [textOf(registry, 'location'), textOf(registry, 'prefix')];
  const mirrors = mirrorsOf(registry);
  const places = [location, prefix, ...mirrors.map((mirror) => textOf(mirror, 'location'))];
  const withScheme = places.find((place) => /^https?:\/\//.test(place));
  if (withScheme !== undefined) return `"${withScheme}" must not begin with http:// or https://`;
  if (location === '' && !prefix.startsWith('*.')) return 'the location is missing';
  if (/^\*\..*[/@:]/.test(sourceOf(registry))) return `"${sourceOf(registry)}" must have the form *.example.com`;
  if (textOf(registry, 'pull-from-mirror') !== '') return 'pull-from-mirror belongs to a mirror';
  for (const mirror of mirrors) {
    const pull = textOf(mirror, 'pull-from-mirror');
    if (textOf(mirror, 'location') === '') return 'the location of a mirror is missing';
    if (!PULLS.has(pull)) return `pull-from-mirror must be all, digest-only or tag-only, not "${pull}"`;
    if (pull !== '' && isSet(registry, 'mirror-by-digest-only'))
      return 'mirror-by-digest-only and pull-from-mirror exclude each other';
  }
  return undefined;
}

/** Tables of one location with different prefixes must agree on how it is contacted. */
function conflictOf(registry: unknown, all: readonly unknown[]): string | undefined {
  const location = textOf(registry, 'location') || sourceOf(registry);
  const same = all.filter((other) => (textOf(other, 'location') || sourceOf(other)) === location);
  const flag = ['insecure', 'blocked'].find((name) =>
    same.some((other) => isSet(other, name) !== isSet(registry, name)),
  );
  return flag && `the tables of "${location}" must have the same value of ${flag}`;
}

/** Returns the rule of a table that changes where images are read. A location that differs from the prefix replaces it. */
function ruleOf(registry: unknown): readonly RegistryMirror[] {
  const location = textOf(registry, 'location');
  const source = sourceOf(registry);
  const isBlocked = isSet(registry, 'blocked');
  const isMoved = location !== '' && location !== source;
  const places = mirrorsOf(registry).map((mirror) => textOf(mirror, 'location'));
  const mirrors = [...places, ...(isMoved && !isBlocked ? [location] : [])];
  const neverContactSource = isBlocked || isMoved;
  if (mirrors.length === 0 && !neverContactSource) return [];
  return [{ source, mirrors, ...(neverContactSource && { neverContactSource }) }];
}

function mirrorsOf(registry: unknown): readonly unknown[] {
  const mirrors = isObject(registry) ? registry['mirror'] : undefined;
  return Array.isArray(mirrors) ? mirrors : [];
}

const isSet = (registry: unknown, flag: string): boolean => isObject(registry) && registry[flag] === true;

/** Returns the text of a field without slashes at its end. */
function textOf(value: unknown, field: string): string {
  const found = isObject(value) ? value[field] : undefined;
  return typeof found === 'string' ? found.replace(/\/+$/, '') : '';
}

/**
 * Returns whether an image or repository belongs to a registry, which is a host with an optional path. The match must end at a
 * separator of the name.
 */
export const isInRegistry = (name: string, registry: string): boolean => {
  const prefix = registry.replace(/\/+$/, '');
  return name.startsWith(prefix) && /^(?:$|[/:@])/.test(name.slice(prefix.length)) && !name.includes('..');
};

/** Other characters could change the host or the path of a request. */
const MIRROR_NAME = /^[\w.:/[\]-]+$/;

/**
 * Separates the mirrors of a cluster that may supply a release from the others. A rule without a permitted mirror does not apply, so
 * that the rules of the service do.
 */
export function usableMirrors(
  rules: readonly RegistryMirror[],
  permittedMirrors: 'any' | readonly string[],
): { readonly usable: readonly RegistryMirror[]; readonly refused: readonly string[] } {
  if (permittedMirrors === 'any') return { usable: rules, refused: [] };
  const isUsable = (mirror: string): boolean =>
    MIRROR_NAME.test(mirror) && permittedMirrors.some((registry) => isInRegistry(mirror, registry));
  const usable = rules
    .map((rule) => ({ ...rule, mirrors: rule.mirrors.filter(isUsable) }))
    .filter(({ mirrors }, index) => mirrors.length > 0 || rules[index]?.mirrors.length === 0);
  const refused = new Set(rules.flatMap(({ mirrors }) => mirrors.filter((mirror) => !isUsable(mirror))));
  return { usable, refused: [...refused] };
}
