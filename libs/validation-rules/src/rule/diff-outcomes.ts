import type { Outcome } from './rule';

export interface OutcomeChanges {
  readonly changed: Outcome[];
  /** Ids that had an outcome and have none now. */
  readonly withdrawn: string[];
}

const FIELDS = ['status', 'message', 'category', 'measured', 'required', 'remedy'] as const;

/** What must be stored so that `before` becomes `after`. Both empty: nothing changed. */
export function diffOutcomes(before: readonly Outcome[], after: readonly Outcome[]): OutcomeChanges {
  const known = new Map(before.map((outcome) => [outcome.id, outcome]));
  const changed = after.filter((outcome) => {
    const old = known.get(outcome.id);
    return !old || FIELDS.some((field) => old[field] !== outcome[field]) || hasOtherHistory(old, outcome);
  });
  const current = new Set(after.map(({ id }) => id));
  return { changed, withdrawn: before.map(({ id }) => id).filter((id) => !current.has(id)) };
}

const hasOtherHistory = ({ history: old }: Outcome, { history: now }: Outcome): boolean =>
  old?.since !== now?.since || old?.flips !== now?.flips || old?.flapping?.since !== now?.flapping?.since;

/** The outcomes after the changes, in order of id: the same facts give the same list however they arrived. */
export function applyOutcomeChanges(before: readonly Outcome[], changes: OutcomeChanges): Outcome[] {
  const outcomes = new Map(before.map((outcome) => [outcome.id, outcome]));
  for (const id of changes.withdrawn) outcomes.delete(id);
  for (const outcome of changes.changed) outcomes.set(outcome.id, outcome);
  return [...outcomes.values()].sort((first, second) => (first.id < second.id ? -1 : 1));
}
