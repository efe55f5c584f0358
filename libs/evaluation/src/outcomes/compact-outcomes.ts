import type { ValidationEvent } from '@muster/contracts';
import {
  INITIAL_CLUSTER_OUTCOMES,
  initialHostOutcomes,
  nextHistory,
  type Outcome,
  type OutcomeHistory,
  type Outcomes,
} from '@muster/validation-rules';
import isEqual from 'fast-deep-equal';

/** One recorded change of the outcome of a rule, with the index of its event. */
interface Change {
  readonly index: number;
  readonly outcome: Outcome;
  readonly at: string;
}

interface Known {
  readonly outcome: Outcome | undefined;
  readonly history: OutcomeHistory | undefined;
}

/** Whether the event log contains the message of the rule as it was at some time after the first event and before the second one. */
export type IsNamed = (ruleId: string, index: number, nextIndex: number) => boolean;

/**
 * Returns for each event of one stream what has to be kept: its data, smaller data, or undefined for nothing. The first `count` events
 * may become smaller. The outcomes, their histories, the conditions, the event log and the metrics that follow from the whole stream
 * stay the same: only outcomes and conditions that a later event replaces are removed, and no change that the event log or a metric shows.
 */
export function compactOutcomes(
  events: readonly ValidationEvent[],
  count: number,
  isNamed: IsNamed = () => false,
): readonly (ValidationEvent['data'] | undefined)[] {
  const kept = events.map(({ data }): ValidationEvent['data'] | undefined => data);
  for (const [start, end] of periodsOf(events)) compactPeriod(events, kept, { start, end, count, isNamed });
  return kept;
}

/** Start and end index of each period without a reset. */
function* periodsOf(events: readonly ValidationEvent[]): Generator<readonly [start: number, end: number]> {
  let start = 0;
  for (let index = 1; index <= events.length; index += 1) {
    if (index < events.length && !isReset(events[index])) continue;
    yield [start, index];
    start = index;
  }
}

const isReset = (event: ValidationEvent | undefined): boolean =>
  event?.type === 'HostOutcomesChanged' && event.data.reset;

function compactPeriod(
  events: readonly ValidationEvent[],
  kept: (ValidationEvent['data'] | undefined)[],
  {
    start,
    end,
    count,
    isNamed,
  }: { readonly start: number; readonly end: number; readonly count: number; readonly isNamed: IsNamed },
): void {
  const first = events[start];
  if (!first) return;
  const initial: Outcomes =
    first.type === 'HostOutcomesChanged' ? initialHostOutcomes(first.data.clusterId !== '') : INITIAL_CLUSTER_OUTCOMES;
  const byRule = new Map<string, Change[]>();
  let lastConditions = -1;
  for (let index = start; index < end; index += 1) {
    const data = events[index]?.data;
    if (data?.conditions) lastConditions = index;
    for (const outcome of data?.changed ?? []) {
      const changes = byRule.get(outcome.id) ?? [];
      byRule.set(outcome.id, changes);
      changes.push({ index, outcome, at: data?.at ?? '' });
    }
  }
  // The event log does not show the first outcomes as changes, so one of them stays.
  const shownFirst = events.slice(start, end).find(({ data }) => data.changed.length > 0)?.data.changed[0];
  const isShownBefore = ({ index, outcome }: Change, next: Change): boolean =>
    outcome === shownFirst || isNamed(outcome.id, index, next.index);
  const removed = new Set<Outcome>();
  for (const [id, changes] of byRule)
    for (const outcome of replacedBy(changes, { outcome: initial.get(id), history: undefined }, isShownBefore))
      removed.add(outcome);
  for (let index = start; index < Math.min(end, count); index += 1) {
    const event = events[index];
    if (event) kept[index] = withoutRemoved(event, removed, index < lastConditions, index === start && isReset(event));
  }
}

/** Returns the outcomes whose removal changes nothing after the next change of the rule, and which are not shown before it. */
function replacedBy(
  changes: readonly Change[],
  initial: Known,
  isShownBefore: (change: Change, next: Change) => boolean,
): ReadonlySet<Outcome> {
  const removed = new Set<Outcome>();
  // Without one outcome, the outcomes beside it can become removable.
  for (let before = -1; before < removed.size;) {
    before = removed.size;
    let known = initial;
    const kept = changes.filter(({ outcome }) => !removed.has(outcome));
    for (const [at, change] of kept.entries()) {
      const after = applied(known, change);
      const next = kept[at + 1];
      const isRemovable =
        next !== undefined &&
        !isShownBefore(change, next) &&
        shownOf(known.outcome, change.outcome).length === 0 &&
        isEqual(shownOf(after.outcome, next.outcome), shownOf(known.outcome, next.outcome)) &&
        isEqual(applied(after, next), applied(known, next));
      if (isRemovable) removed.add(change.outcome);
      else known = after;
    }
  }
  return removed;
}

const applied = ({ outcome: before, history }: Known, { outcome, at }: Change): Known => ({
  outcome,
  history: before ? nextHistory(history, before, outcome, at) : history,
});

/** Returns the parts of the change that the event log and the metrics show. */
function shownOf(before: Outcome | undefined, after: Outcome): readonly string[] {
  const statuses = [before?.status ?? '', after.status];
  const isFlip = statuses.includes('success') && statuses.includes('failure');
  const isFlapping = Boolean(after.flapping);
  return [...(isFlip ? statuses : []), ...(Boolean(before?.flapping) === isFlapping ? [] : [`flapping ${isFlapping}`])];
}

function withoutRemoved(
  { data }: ValidationEvent,
  removed: ReadonlySet<Outcome>,
  areConditionsReplaced: boolean,
  isNeeded: boolean,
): ValidationEvent['data'] | undefined {
  const changed = data.changed.filter((outcome) => !removed.has(outcome));
  const conditions = areConditionsReplaced ? undefined : data.conditions;
  if (changed.length === data.changed.length && conditions === data.conditions) return data;
  const isEmpty = changed.length === 0 && !conditions && !('connectivityGroups' in data && data.connectivityGroups);
  return isEmpty && !isNeeded ? undefined : Object.assign({ ...data }, { changed, conditions });
}
