import type { OutcomeMap } from '@muster/assisted-api';
import type { EventData } from '@muster/contracts';
import type { ClusterSubject, HostSubject, LogEntry } from './log-entry';

type Changed = EventData<'HostOutcomesChanged'>['changed'];

interface Turn {
  readonly kind: 'failed' | 'fixed';
  readonly id: string;
  readonly message: string;
  readonly words: string;
}

/** A rule's first verdict is no news; later ones are when they turn to a failure, or from a failure to success. */
function turns(before: OutcomeMap, changed: Changed): readonly Turn[] {
  return changed.flatMap(({ id, status, message }): Turn[] => {
    const earlier = before[id]?.status;
    if (earlier === undefined) return [];
    if (status === 'failure' && earlier !== 'failure') {
      const words = earlier === 'success' ? 'used to pass and now fails' : 'fails';
      return [{ kind: 'failed', id, message, words }];
    }
    return status === 'success' && earlier === 'failure' ? [{ kind: 'fixed', id, message, words: 'passes now' }] : [];
  });
}

export function hostOutcomeLog(
  { changed }: EventData<'HostOutcomesChanged'>,
  { before, name }: HostSubject,
): readonly LogEntry[] {
  return turns(before?._outcomes ?? {}, changed).map(({ kind, id, message, words }): LogEntry =>
    kind === 'failed'
      ? {
          name: 'host_validation_failed',
          severity: 'warning',
          message: `Validation "${id}" of host ${name} ${words}: ${message}`,
          props: { host_name: name, validation_id: id, failure_message: message },
        }
      : {
          name: 'host_validation_fixed',
          severity: 'info',
          message: `Validation "${id}" of host ${name} ${words}.`,
          props: { host_name: name, validation_id: id },
        },
  );
}

export function clusterOutcomeLog(
  { changed }: EventData<'ClusterOutcomesChanged'>,
  { before }: ClusterSubject,
): readonly LogEntry[] {
  return turns(before?._outcomes ?? {}, changed).map(({ kind, id, message, words }): LogEntry =>
    kind === 'failed'
      ? {
          name: 'cluster_validation_failed',
          severity: 'warning',
          message: `Validation "${id}" of the cluster ${words}: ${message}`,
          props: { validation_id: id, validation_msg: message, failure_message: words },
        }
      : {
          name: 'cluster_validation_fixed',
          severity: 'info',
          message: `Validation "${id}" of the cluster ${words}.`,
          props: { validation_id: id, validation_msg: message },
        },
  );
}
