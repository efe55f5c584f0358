import type { OutcomeMap } from './documents';

/** Passes the gate but is never shown. */
const HIDDEN_STATUS = 'success-suppress-output';

/** Maps are never changed in place, and most reads meet the map of the read before. */
const rendered = new WeakMap<OutcomeMap, string>();

/** `validations_info`: JSON text, category to array of `{id, status, message}`, sorted by id. */
export function presentOutcomes(outcomes: OutcomeMap): string {
  const known = rendered.get(outcomes);
  if (known !== undefined) return known;
  const text = renderOutcomes(outcomes);
  rendered.set(outcomes, text);
  return text;
}

function renderOutcomes(outcomes: OutcomeMap): string {
  const categories: Record<string, { id: string; status: string; message: string }[]> = {};
  for (const id of Object.keys(outcomes).sort()) {
    const outcome = outcomes[id];
    if (!outcome || outcome.status === HIDDEN_STATUS) continue;
    const { status, message, category } = outcome;
    (categories[category] ??= []).push({ id, status, message });
  }
  return JSON.stringify(categories);
}
