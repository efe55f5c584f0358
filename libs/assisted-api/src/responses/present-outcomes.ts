import {
  completeClusterOutcomes,
  completeHostOutcomes,
  INITIAL_CLUSTER_OUTCOMES,
  initialHostOutcomes,
  type Outcome,
  type Outcomes,
  type RenderedOutcome,
  renderClusterOutcome,
  renderHostOutcome,
  SUPPRESSED,
} from '@muster/validation-rules';
import type { OutcomeMap } from './documents';

/** Renders all outcomes of one kind of subject. Most reads get the map of the previous read, which is never changed in place. */
function renderer(
  complete: (recorded: Outcomes) => readonly Outcome[],
  render: (outcome: Outcome) => RenderedOutcome,
): (recorded: OutcomeMap) => string {
  const rendered = new WeakMap<OutcomeMap, string>();
  return (recorded) => {
    const known = rendered.get(recorded);
    if (known !== undefined) return known;
    const text = toText(complete(new Map(Object.entries(recorded))), render);
    rendered.set(recorded, text);
    return text;
  };
}

/** Returns `validations_info`: JSON text, category to array of `{id, status, message}`, sorted by id. */
function toText(outcomes: readonly Outcome[], render: (outcome: Outcome) => RenderedOutcome): string {
  const categories: Record<string, { id: string; status: string; message: string }[]> = {};
  for (const outcome of [...outcomes].sort((first, second) => (first.id < second.id ? -1 : 1))) {
    if (outcome.status === SUPPRESSED) continue;
    const { id, status, message, category } = render(outcome);
    (categories[category] ??= []).push({ id, status, message });
  }
  return JSON.stringify(categories);
}

/**
 * Returns the message of a recorded or initial outcome by rule id. Undefined for an unknown rule and for a validation that passes
 * meanwhile, whose message would contradict the reason that names it.
 */
export const hostOutcomeMessages =
  (recorded: OutcomeMap, isBound: boolean) =>
  (id: string): string | undefined => {
    const outcome = recorded[id] ?? initialHostOutcomes(isBound).get(id);
    return outcome && outcome.status !== 'success' ? renderHostOutcome(outcome).message : undefined;
  };

/** As `hostOutcomeMessages`, for a cluster. */
export const clusterOutcomeMessages =
  (recorded: OutcomeMap) =>
  (id: string): string | undefined => {
    const outcome = recorded[id] ?? INITIAL_CLUSTER_OUTCOMES.get(id);
    return outcome && outcome.status !== 'success' ? renderClusterOutcome(outcome).message : undefined;
  };

/** `validations_info` of a cluster. */
export const presentClusterOutcomes = renderer(completeClusterOutcomes, renderClusterOutcome);

const presentBound = renderer((recorded) => completeHostOutcomes(recorded, true), renderHostOutcome);
const presentUnbound = renderer((recorded) => completeHostOutcomes(recorded, false), renderHostOutcome);

/** `validations_info` of a host. Rules that need a cluster are left out while the host is not bound. */
export const presentHostOutcomes = (recorded: OutcomeMap, isBound: boolean): string =>
  isBound ? presentBound(recorded) : presentUnbound(recorded);
