import { isObject, type Members } from '@muster/schema';
import { isCertificateList } from '../documents/certificates';
import { faultOf } from './check-install-config';
import type { InstallConfig } from './install-config-input';

export const MAX_OVERRIDE_CHARACTERS = 1_048_576;
const MAX_DEPTH = 32;

export type OverriddenInstallConfig =
  | { readonly kind: 'merged'; readonly config: InstallConfig }
  /** The reason contains the field. */
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Returns the config merged with the JSON text of a user: mappings field by field, lists by index up to the length of
 * the override's list, other values by replacement. Only fields of an install-config are allowed. Trust bundles are
 * concatenated.
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

/** Checks an override without the config. An empty text is an empty override. */
export function parseInstallConfigOverride(text: string): ParsedInstallConfigOverride {
  const refuse = (reason: string): ParsedInstallConfigOverride => ({
    kind: 'refused',
    reason: `install_config_overrides cannot be used: ${reason}`,
  });
  if (text.length > MAX_OVERRIDE_CHARACTERS)
    return refuse(`it has ${text.length} characters. Allowed: at most ${MAX_OVERRIDE_CHARACTERS}.`);
  if (text.trim() === '') return { kind: 'parsed', override: {} };
  let override: unknown;
  try {
    override = JSON.parse(text);
  } catch (error) {
    return refuse(`it is not JSON: ${error instanceof Error ? error.message : 'unreadable'}.`);
  }
  if (!isObject(override)) return refuse('it must be a JSON object.');
  if (depthOf(override) > MAX_DEPTH) return refuse(`it is nested more than ${MAX_DEPTH} levels deep.`);
  const problem = faultOf(override);
  if (problem !== undefined) return refuse(`${problem}.`);
  const bundle = override['additionalTrustBundle'];
  if (typeof bundle === 'string' && bundle !== '' && !isCertificateList(bundle))
    return refuse('additionalTrustBundle must be a list of PEM certificates.');
  return { kind: 'parsed', override };
}

function merge(base: unknown, override: unknown): unknown {
  if (Array.isArray(override)) {
    const before: readonly unknown[] = Array.isArray(base) ? base : [];
    return override.map((item: unknown, index) => (before[index] === undefined ? item : merge(before[index], item)));
  }
  return isObject(override) ? mergeMappings(isObject(base) ? base : {}, override) : override;
}

function mergeMappings(base: Members, override: Members): InstallConfig {
  const fields = new Map(Object.entries(base));
  for (const [field, value] of Object.entries(override)) fields.set(field, merge(fields.get(field), value));
  return Object.fromEntries(fields);
}

function depthOf(value: unknown, limit = MAX_DEPTH + 1): number {
  if (limit === 0 || typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map((one) => depthOf(one, limit - 1)));
}

function withJoinedTrust(config: InstallConfig, override: InstallConfig, merged: InstallConfig): InstallConfig {
  const bundles = [override, config]
    .map((one) => one['additionalTrustBundle'])
    .filter((one) => typeof one === 'string');
  const trust = [...new Set(bundles.map((bundle) => bundle.trim()))].filter((bundle) => bundle !== '');
  return trust.length === 0
    ? merged
    : { ...merged, additionalTrustBundle: trust.map((bundle) => `${bundle}\n`).join('') };
}
