import type { OutcomeMap } from '@muster/assisted-api';
import type { EventData } from '@muster/contracts';
import type { ClusterSubject, HostSubject, LogEntry } from './log-entry';

type Changed = EventData<'HostOutcomesChanged'>['changed'];

/** The change of one outcome. `phrase` completes "validation 'x' …" in the texts of assisted-service v2, which scripts wait for. */
interface Change {
  readonly kind: 'failed' | 'fixed' | 'flapping_started' | 'flapping_ended';
  readonly id: string;
  readonly phrase: string;
  /** Why the validation has this outcome. */
  readonly reason: string;
}

/** The first outcome of a validation has no entry; later ones have when they become a failure, or a success after a failure. */
function resultChanges(before: OutcomeMap, changed: Changed): readonly Change[] {
  return changed.flatMap(({ id, status, message }): Change[] => {
    const earlier = before[id]?.status;
    if (earlier === undefined) return [];
    if (status === 'failure' && earlier !== 'failure') {
      const phrase = earlier === 'success' ? 'that used to succeed is now failing' : 'is now failing';
      return [{ kind: 'failed', id, phrase, reason: message }];
    }
    return status === 'success' && earlier === 'failure'
      ? [{ kind: 'fixed', id, phrase: 'is now fixed', reason: message }]
      : [];
  });
}

/** While a validation is flapping only the begin and the end of the flapping have entries. */
function flappingChanges(before: OutcomeMap, changed: Changed): readonly Change[] {
  return changed.flatMap(({ id, status, message, history }): Change[] => {
    const [flapped, flapping] = [before[id]?.flaps === true, history?.flapping];
    if (flapping && !flapped) {
      const { flips, windowSeconds, quietSeconds } = flapping;
      const phrase = `is flapping: it changed ${flips} times in ${duration(windowSeconds)} and passes after ${duration(quietSeconds)} without a change`;
      return [{ kind: 'flapping_started', id, phrase, reason: message }];
    }
    return flapped && !flapping
      ? [{ kind: 'flapping_ended', id, phrase: `is no longer flapping: ${status}`, reason: message }]
      : [];
  });
}

const SECONDS_PER_MINUTE = 60;
const duration = (seconds: number): string =>
  seconds % SECONDS_PER_MINUTE === 0 ? `${seconds / SECONDS_PER_MINUTE} minutes` : `${seconds} seconds`;

const changesOf = (before: OutcomeMap, changed: Changed): readonly Change[] => [
  ...resultChanges(before, changed),
  ...flappingChanges(before, changed),
];

function entryOf(scope: 'host' | 'cluster', prefix: string, change: Change, props: LogEntry['props']): LogEntry {
  const { kind, id, phrase, reason } = change;
  const isFailure = kind === 'failed';
  return {
    name: `${scope}_validation_${kind}`,
    severity: isFailure || kind === 'flapping_started' ? 'warning' : 'info',
    message: `${prefix} '${id}' ${phrase}`,
    props: {
      ...props,
      validation_id: id,
      validation_msg: reason,
      ...(isFailure ? { failure_message: phrase } : {}),
    },
  };
}

export const hostOutcomeLog = (
  { changed }: EventData<'HostOutcomesChanged'>,
  { before, name }: HostSubject,
): readonly LogEntry[] =>
  changesOf(before?._outcomes ?? {}, changed).map((change) =>
    entryOf('host', `Host ${name}: validation`, change, { host_name: name }),
  );

export const clusterOutcomeLog = (
  { changed }: EventData<'ClusterOutcomesChanged'>,
  { before }: ClusterSubject,
): readonly LogEntry[] =>
  changesOf(before?._outcomes ?? {}, changed).map((change) => entryOf('cluster', 'Cluster validation', change, {}));
