import { stringify } from 'yaml';
import type { MacName } from './mac-mapping';
import { canonicalMac, textOf } from './read-nmstate';
import { isMapping, isTrue } from '../shape/shape';

/** Keys whose value is the name of an interface, wherever they stand. */
const NAMING_KEYS: ReadonlySet<string> = new Set([
  'base-iface',
  'next-hop-interface',
  'iif',
  'copy-mac-from',
  'controller',
  'primary',
  'peer',
]);
/** Keys whose value is a list of names, or of mappings with a name. */
const LISTING_KEYS: ReadonlySet<string> = new Set(['interfaces', 'port', 'ports-config']);

/**
 * The document as an nmstate policy (YAML): each mapped interface is found by its MAC address when the host reads it, and
 * the name it has there stands wherever the document named it. Nothing is left to defaults that differ between versions.
 */
export function renderNmpolicy(document: unknown, mapping: readonly MacName[]): string {
  const captured = new Map(mapping.map(({ name }, index) => [name, `{{ capture.iface${index}.interfaces.0.name }}`]));
  const capture = Object.fromEntries(
    mapping.map(({ mac }, index) => [`iface${index}`, `interfaces.mac-address == "${mac}"`]),
  );
  return stringify(
    { capture, desiredState: rename(document, captured) },
    { lineWidth: 0, aliasDuplicateObjects: false },
  );
}

function rename(value: unknown, captured: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => rename(one, captured));
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, renameUnder(key, one, captured)]));
}

function renameUnder(key: string, value: unknown, captured: ReadonlyMap<string, string>): unknown {
  if (NAMING_KEYS.has(key)) return captured.get(textOf(value)) ?? value;
  if (key === 'ipv4' || key === 'ipv6') return withExplicitAutomatics(key, value);
  if (key === 'mac-address') return canonicalMac(textOf(value));
  if (!LISTING_KEYS.has(key) || !Array.isArray(value)) return rename(value, captured);
  return value.map((one: unknown) => {
    if (!isMapping(one)) return captured.get(textOf(one)) ?? one;
    const renamed = rename(one, captured);
    const name = captured.get(textOf(one['name']));
    return isMapping(renamed) && name !== undefined ? { ...renamed, name } : renamed;
  });
}

function withExplicitAutomatics(family: string, value: unknown): unknown {
  if (!isMapping(value) || !isTrue(value['enabled'])) return value;
  return { dhcp: false, ...(family === 'ipv6' && { autoconf: false }), ...value };
}
