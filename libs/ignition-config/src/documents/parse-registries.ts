import { isObject } from '@muster/schema';
import { parse } from 'smol-toml';
import type { RegistryMirror } from '../install-config/install-config-input';

export type ParsedRegistries =
  | { readonly kind: 'parsed'; readonly mirrors: readonly RegistryMirror[] }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Returns the mirrors and other locations in a registries.conf (TOML, containers-registries.conf(5) version 2). Refuses a text that is not
 * TOML or has no `[[registry]]`, because it is probably another file.
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
  return { kind: 'parsed', mirrors: registries.flatMap(ruleOf) };
}

/** Returns the rule of a table that changes where images are read. A location that differs from the prefix replaces it. */
function ruleOf(registry: unknown): readonly RegistryMirror[] {
  const location = textOf(registry, 'location');
  const source = textOf(registry, 'prefix') || location;
  const isBlocked = isObject(registry) && registry['blocked'] === true;
  const isMoved = location !== '' && location !== source;
  const mirrors = [...placesOf(registry), ...(isMoved && !isBlocked ? [location] : [])];
  const neverContactSource = isBlocked || isMoved;
  if (source === '' || (mirrors.length === 0 && !neverContactSource)) return [];
  return [{ source, mirrors, ...(neverContactSource && { neverContactSource }) }];
}

function placesOf(registry: unknown): readonly string[] {
  const mirrors = isObject(registry) ? registry['mirror'] : undefined;
  if (!Array.isArray(mirrors)) return [];
  return mirrors.map((mirror: unknown) => textOf(mirror, 'location')).filter((location) => location !== '');
}

function textOf(value: unknown, field: string): string {
  const found = isObject(value) ? value[field] : undefined;
  return typeof found === 'string' ? found : '';
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
