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

interface Unrest {
  readonly kind: 'flapping_started' | 'flapping_ended';
  readonly id: string;
  readonly words: string;
}

/** While it lasts no turn is told: that it began and that it is over is all there is to say. */
function unrest(before: OutcomeMap, changed: Changed): readonly Unrest[] {
  return changed.flatMap(({ id, status, history }): Unrest[] => {
    const [flapped, flapping] = [before[id]?.flaps === true, history?.flapping];
    if (flapping && !flapped) {
      const { flips, windowSeconds, quietSeconds } = flapping;
      const words = `comes and goes: it turned ${flips} times within ${descriptions(windowSeconds)}, and passes again once it has held for ${descriptions(quietSeconds)}`;
      return [{ kind: 'flapping_started', id, words }];
    }
    return flapped && !flapping ? [{ kind: 'flapping_ended', id, words: `is steady again: ${status}` }] : [];
  });
}

const SECONDS_PER_MINUTE = 60;
const descriptions = (seconds: number): string =>
  seconds % SECONDS_PER_MINUTE === 0 ? `${seconds / SECONDS_PER_MINUTE} minutes` : `${seconds} seconds`;

const severityOf = ({ kind }: Turn | Unrest): LogEntry['severity'] =>
  kind === 'failed' || kind === 'flapping_started' ? 'warning' : 'info';

export function hostOutcomeLog(
  { changed }: EventData<'HostOutcomesChanged'>,
  { before, name }: HostSubject,
): readonly LogEntry[] {
  const outcomes = before?._outcomes ?? {};
  return [
    ...turns(outcomes, changed).map((turn): LogEntry => {
      const isFailure = turn.kind === 'failed';
      return {
        name: `host_validation_${turn.kind}`,
        severity: severityOf(turn),
        message: `Validation "${turn.id}" of host ${name} ${turn.words}${isFailure ? `: ${turn.message}` : '.'}`,
        props: {
          host_name: name,
          validation_id: turn.id,
          ...(isFailure ? { failure_message: turn.message } : {}),
        },
      };
    }),
    ...unrest(outcomes, changed).map((one): LogEntry => ({
      name: `host_validation_${one.kind}`,
      severity: severityOf(one),
      message: `Validation "${one.id}" of host ${name} ${one.words}.`,
      props: { host_name: name, validation_id: one.id },
    })),
  ];
}

export function clusterOutcomeLog(
  { changed }: EventData<'ClusterOutcomesChanged'>,
  { before }: ClusterSubject,
): readonly LogEntry[] {
  const outcomes = before?._outcomes ?? {};
  return [
    ...turns(outcomes, changed).map((turn): LogEntry => {
      const isFailure = turn.kind === 'failed';
      return {
        name: `cluster_validation_${turn.kind}`,
        severity: severityOf(turn),
        message: `Validation "${turn.id}" of the cluster ${turn.words}${isFailure ? `: ${turn.message}` : '.'}`,
        props: {
          validation_id: turn.id,
          validation_msg: turn.message,
          ...(isFailure ? { failure_message: turn.words } : {}),
        },
      };
    }),
    ...unrest(outcomes, changed).map((one): LogEntry => ({
      name: `cluster_validation_${one.kind}`,
      severity: severityOf(one),
      message: `Validation "${one.id}" of the cluster ${one.words}.`,
      props: { validation_id: one.id },
    })),
  ];
}
