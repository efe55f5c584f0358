import type { JsonObject, JsonValue } from '@muster/ports';

/** Properties from their text: an object, or a list of keys and values in turn. What is neither is left out. */
export function parseEventProps(text: string | undefined): JsonObject | undefined {
  if (!text) return undefined;
  let props: JsonValue;
  try {
    props = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  if (Array.isArray(props)) return fromPairs(props);
  return typeof props === 'object' && props !== null ? props : undefined;
}

function fromPairs(items: readonly JsonValue[]): JsonObject | undefined {
  if (items.length === 0 || items.length % 2 !== 0) return undefined;
  const pairs: [string, JsonValue][] = [];
  for (let index = 0; index < items.length; index += 2) {
    const key = items[index];
    if (typeof key !== 'string') return undefined;
    pairs.push([key, items[index + 1] ?? null]);
  }
  return Object.fromEntries(pairs);
}
