import type { OutcomeMap } from '@muster/assisted-api';
import type { EventData } from '@muster/contracts';
import {
  durationText,
  INITIAL_CLUSTER_OUTCOMES,
  initialHostOutcomes,
  type Outcome,
  type Outcomes,
  renderClusterOutcome,
  renderHostOutcome,
} from '@muster/validation-rules';
import { changesOverrides } from '../views/outcome-view';
import type { ClusterSubject, HostSubject, LogEntry } from './event-document';

interface Change {
  readonly kind: 'failed' | 'fixed' | 'flapping_started' | 'flapping_ended';
  readonly outcome: Outcome;
  /** The part of the message after the validation id. */
  readonly text: string;
}

/**
 * Returns the changes to log: a success that became a failure, and the reverse. The first evaluation of a host or cluster is not a
 * change, and neither is a failure after a pending outcome: a clean installation would start with warnings, as with assisted-service
 * v2. The change of the status names such a failure. While a validation flaps, only the start and the end are logged.
 */
function changesOf(before: OutcomeMap, changed: readonly Outcome[], initial: Outcomes): readonly Change[] {
  if (Object.keys(before).length === 0) return [];
  return changed.flatMap((outcome): readonly Change[] => {
    const { id, status, flapping } = outcome;
    const earlier = before[id] ?? initial.get(id);
    if (flapping && !earlier?.flapping) {
      const { flips, windowSeconds, quietSeconds } = flapping;
      const text = `is flapping: it changed ${flips} times in ${durationText(windowSeconds)} and passes after ${durationText(quietSeconds)} without a change`;
      return [...turn(outcome, earlier?.status), { kind: 'flapping_started', outcome, text }];
    }
    if (earlier?.flapping && !flapping)
      return [
        ...turn(outcome, earlier.status),
        { kind: 'flapping_ended', outcome, text: `is no longer flapping: ${status}` },
      ];
    return earlier?.flapping ? [] : turn(outcome, earlier?.status);
  });
}

function turn(outcome: Outcome, earlier: string | undefined): readonly Change[] {
  const isFailing = earlier === 'success' && outcome.status === 'failure';
  if (isFailing) return [{ kind: 'failed', outcome, text: 'that used to succeed is now failing' }];
  return earlier === 'failure' && outcome.status === 'success'
    ? [{ kind: 'fixed', outcome, text: 'is now fixed' }]
    : [];
}

function entryOf(
  scope: 'host' | 'cluster',
  prefix: string,
  { kind, outcome, text }: Change,
  props: LogEntry['props'],
): LogEntry {
  const isFailure = kind === 'failed';
  const { message } = scope === 'host' ? renderHostOutcome(outcome) : renderClusterOutcome(outcome);
  return {
    name: `${scope}_validation_${kind}`,
    severity: isFailure || kind === 'flapping_started' ? 'warning' : 'info',
    message: `${prefix} '${outcome.id}' ${text}`,
    props: {
      ...props,
      validation_id: outcome.id,
      validation_msg: message,
      ...(isFailure ? { failure_message: text } : {}),
    },
  };
}

export const hostOutcomeLog = (
  { changed, reset }: EventData<'HostOutcomesChanged'>,
  { before, name }: HostSubject,
): readonly LogEntry[] =>
  reset || !before
    ? []
    : changesOf(before._outcomes, changed, initialHostOutcomes(Boolean(before.cluster_id))).map((change) =>
        entryOf('host', `Host ${name}: validation`, change, { host_name: name }),
      );

export const clusterOutcomeLog = (
  { changed }: EventData<'ClusterOutcomesChanged'>,
  { before }: ClusterSubject,
): readonly LogEntry[] =>
  changesOf(before?._outcomes ?? {}, changed, INITIAL_CLUSTER_OUTCOMES).map((change) =>
    entryOf('cluster', 'Cluster validation', change, {}),
  );

/** An override of validations, with its user and reason. */
export function overrideLog(
  { changes }: EventData<'ClusterSettingsRevised'>,
  { cluster }: Pick<ClusterSubject, 'cluster'>,
): readonly LogEntry[] {
  const record = changesOverrides(changes) ? cluster._overrides?.at(-1) : undefined;
  if (!record) return [];
  const { actor, reason, host_validation_ids: ofHosts, cluster_validation_ids: ofCluster } = record;
  const user = actor || 'An unknown user';
  const props = {
    actor,
    reason,
    host_validation_ids: [...ofHosts],
    cluster_validation_ids: [...ofCluster],
    unsupported_by_override: ofHosts.length + ofCluster.length > 0,
  };
  const because = reason ? ` Reason: ${reason}` : '';
  if (!props.unsupported_by_override)
    return [
      {
        name: 'validation_overrides_removed',
        severity: 'info',
        message: `${user} removed all validation overrides of cluster ${cluster.name}.${because}`,
        props,
      },
    ];
  const parts = [
    ...(ofHosts.length > 0 ? [`host validations: ${ofHosts.join(', ')}`] : []),
    ...(ofCluster.length > 0 ? [`cluster validations: ${ofCluster.join(', ')}`] : []),
  ];
  return [
    {
      name: 'validation_overrides_set',
      severity: 'warning',
      message: `${user} overrides validations of cluster ${cluster.name} (${parts.join('; ')}). The cluster is unsupported.${because}`,
      props,
    },
  ];
}
