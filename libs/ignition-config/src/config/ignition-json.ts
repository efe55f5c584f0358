import type { IgnitionConfig } from './ignition-config';

/** The config as JSON text with the members of every object in order of name: same config, same bytes. */
export function toIgnitionJson(config: IgnitionConfig): string {
  return JSON.stringify(config, (_, value: unknown) => (isObject(value) ? sorted(value) : value));
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(value: { readonly [name: string]: unknown }): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
