import { isObject, jsonFault, keptByObject, type Members } from '@muster/schema';
import { KindGuard, type TObject, type TSchema } from '@sinclair/typebox';
import { certificatesFault, splitCertificates } from '../documents/certificates';
import { extentFault } from '../documents/values';
import { faultOf, INSTALL_CONFIG } from './check-install-config';
import type { InstallConfig } from './install-config-input';

export const MAX_OVERRIDE_CHARACTERS = 1_048_576;
const MAX_DEPTH = 32;

export type OverriddenInstallConfig =
  | { readonly kind: 'merged'; readonly config: InstallConfig }
  /** The reason contains the field. */
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Returns the config merged with the JSON text of a user: mappings field by field, lists by index up to the length of
 * the override's list, other values by replacement. As in assisted-service v2, null removes lists and optional sections
 * and changes nothing else. Only fields of an install-config are allowed. The certificates of
 * trust bundles are joined, because the installer refuses other text after them.
 */
export function overrideInstallConfig(config: InstallConfig, overrides: string): OverriddenInstallConfig {
  const parsed = parseInstallConfigOverride(overrides);
  if (parsed.kind === 'refused') return parsed;
  const merged = mergeMappings(config, parsed.override);
  const problem = faultOf(merged);
  if (problem !== undefined) return { kind: 'refused', reason: `With install_config_overrides, ${problem}.` };
  return { kind: 'merged', config: withJoinedTrust(config, parsed.override, merged) };
}

export type ParsedInstallConfigOverride =
  { readonly kind: 'parsed'; readonly override: InstallConfig } | { readonly kind: 'refused'; readonly reason: string };

/**
 * Checks an override without the config. An empty text is an empty override. The names of fields are found in any case,
 * as in assisted-service v2, and returned as in an install-config. Names in labels and platforms are not changed.
 */
export function parseInstallConfigOverride(text: string): ParsedInstallConfigOverride {
  if (text.length > MAX_OVERRIDE_CHARACTERS)
    return refuse(`it has ${text.length} characters. Allowed: at most ${MAX_OVERRIDE_CHARACTERS}.`);
  if (text.trim() === '') return { kind: 'parsed', override: {} };
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    return refuse(`it is not JSON: ${jsonFault(error)}.`);
  }
  if (!isObject(given)) return refuse('it must be a JSON object.');
  const extent = extentFault(given);
  if (extent) return refuse(extent);
  if (depthOf(given) > MAX_DEPTH) return refuse(`it is nested more than ${MAX_DEPTH} levels deep.`);
  const override = withKnownNames(INSTALL_CONFIG, [given]);
  const problem = faultOf(override);
  if (problem !== undefined) return refuse(`${problem}.`);
  return { kind: 'parsed', override };
}

/** As `parseInstallConfigOverride`. Reads the certificates too, which may take 0.5 s. */
export function checkInstallConfigOverride(text: string): ParsedInstallConfigOverride {
  const parsed = parseInstallConfigOverride(text);
  const bundle = parsed.kind === 'parsed' && parsed.override['additionalTrustBundle'];
  const fault = typeof bundle === 'string' && bundle !== '' ? certificatesFault(bundle) : undefined;
  return fault === undefined ? parsed : refuse(`additionalTrustBundle must be a list of PEM certificates: ${fault}`);
}

const refuse = (reason: string): ParsedInstallConfigOverride => ({
  kind: 'refused',
  reason: `install_config_overrides cannot be used: ${reason}`,
});

/**
 * Returns the mappings as one, with the names of the schema. Of values with the same name, the last one is used, and
 * mappings are joined, as Go does. Each value is visited once.
 */
function withKnownNames(schema: TObject, mappings: readonly Members[]): InstallConfig {
  const names = namesOf(schema);
  const values = new Map<string, unknown[]>();
  for (const [name, value] of mappings.flatMap((mapping) => Object.entries(mapping))) {
    const known = names.get(name.toLowerCase()) ?? name;
    const ofName = values.get(known);
    if (ofName) ofName.push(value);
    else values.set(known, [value]);
  }
  return Object.fromEntries(
    [...values].map(([name, ofName]) => [name, valueWithKnownNames(schema.properties[name], ofName)]),
  );
}

function valueWithKnownNames(schema: TSchema | undefined, values: readonly unknown[]): unknown {
  const value = values.at(-1);
  if (KindGuard.IsArray(schema) && Array.isArray(value))
    return value.map((item: unknown) => valueWithKnownNames(schema.items, [item]));
  return KindGuard.IsObject(schema) && isObject(value) ? withKnownNames(schema, values.filter(isObject)) : value;
}

/** Returns the names of the members by their names in lower case. */
const namesOf = keptByObject(
  ({ properties }: TObject): ReadonlyMap<string, string> =>
    new Map(Object.keys(properties).map((name) => [name.toLowerCase(), name])),
);

/** Sections that every config has. */
const REQUIRED_SECTIONS: ReadonlySet<string> = new Set(['metadata', 'networking', 'controlPlane', 'platform', 'bmc']);

const staysWithNull = (field: string, value: unknown): boolean =>
  value !== undefined && (typeof value !== 'object' || REQUIRED_SECTIONS.has(field));

function merge(base: unknown, override: unknown): unknown {
  if (Array.isArray(override)) {
    const before: readonly unknown[] = Array.isArray(base) ? base : [];
    return override.map((item: unknown, index) => (before[index] === undefined ? item : merge(before[index], item)));
  }
  return isObject(override) ? mergeMappings(isObject(base) ? base : {}, override) : override;
}

function mergeMappings(base: Members, override: Members): InstallConfig {
  const fields = new Map(Object.entries(base));
  for (const [field, value] of Object.entries(override))
    if (value !== null || !staysWithNull(field, fields.get(field))) fields.set(field, merge(fields.get(field), value));
  return Object.fromEntries(fields);
}

function depthOf(value: unknown, limit = MAX_DEPTH + 1): number {
  if (limit === 0 || typeof value !== 'object' || value === null) return 0;
  // A list may have more entries than a function call may have arguments.
  return 1 + Object.values(value).reduce<number>((deepest, one) => Math.max(deepest, depthOf(one, limit - 1)), 0);
}

function withJoinedTrust(config: InstallConfig, override: InstallConfig, merged: InstallConfig): InstallConfig {
  const bundles = [override, config]
    .map((one) => one['additionalTrustBundle'])
    .filter((one) => typeof one === 'string');
  const certificates = [...new Set(bundles.flatMap(splitCertificates))];
  return certificates.length === 0
    ? merged
    : { ...merged, additionalTrustBundle: certificates.map((certificate) => `${certificate}\n`).join('') };
}
