import type { Mark } from '@muster/assisted-api';

/** What lasted from when to when; without an end it still does. */
export interface Span {
  readonly name: string;
  readonly from: string;
  readonly to: string | null;
  readonly seconds: number;
}

/** Final statuses. */
const ENDS: ReadonlySet<string> = new Set([
  'installed',
  'added-to-existing-cluster',
  'error',
  'cancelled',
  'resetting',
  'resetting-pending-user-action',
  'deregistered',
]);

/** Each mark lasts until the next one; the last one until now, and not at all where it is an end. */
export function statusSpans(marks: readonly Mark[], now: string): readonly Span[] {
  return marks.map(({ name, at }, index) => {
    const next = marks[index + 1]?.at ?? (ENDS.has(name) ? at : null);
    return span(name, at, next, now);
  });
}

/** A stage lasts until the next one, or until the host's or the cluster's status says that it is over. */
export function stageSpans(stages: readonly Mark[], statuses: readonly Mark[], now: string): readonly Span[] {
  return stages.map(({ name, at }, index) => {
    const over = statuses.find((status) => status.at >= at && ENDS.has(status.name))?.at;
    const ends = [stages[index + 1]?.at, over].filter((end) => end !== undefined).sort();
    return span(name, at, ends[0] ?? null, now);
  });
}

function span(name: string, from: string, to: string | null, now: string): Span {
  const seconds = Math.max(0, (Date.parse(to ?? now) - Date.parse(from)) / 1_000);
  return { name, from, to, seconds };
}
