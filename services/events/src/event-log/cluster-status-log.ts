import { clusterOutcomeMessages } from '@muster/assisted-api';
import type { EventData } from '@muster/contracts';
import { explainClusterStatus, NO_REASON, renderClusterStatus } from '@muster/domain';
import { type ClusterSubject, describeStatus, type LogEntry } from './log-entry';

type Entered = EventData<'ClusterEnteredStatus'>;

/** Further entries when a cluster enters a status. */
const ALSO: { readonly [status: string]: (data: Entered, subject: ClusterSubject) => readonly LogEntry[] } = {
  error: ({ statusReason = NO_REASON }, { cluster }) => [
    {
      name: 'cluster_installation_failed',
      severity: 'critical',
      message: `The installation of cluster ${cluster.name} failed: ${renderClusterStatus(statusReason)}`,
      props: { failure_reason: renderClusterStatus(statusReason) },
    },
  ],
  installed: (_data, { cluster }) => {
    const failed = cluster.monitored_operators
      .filter((operator) => operator.operator_type === 'olm' && operator.status === 'failed')
      .map(({ name }) => name)
      .join(', ');
    const degraded: readonly LogEntry[] = failed
      ? [
          {
            name: 'cluster_degraded_OLM_operators_failed',
            severity: 'warning',
            message: `Cluster ${cluster.name} is installed. These operators failed: ${failed}.`,
            props: { failed_operators: failed },
          },
        ]
      : [];
    return [
      ...degraded,
      {
        name: 'cluster_installation_completed',
        severity: 'info',
        message: `Cluster ${cluster.name} is installed.`,
      },
    ];
  },
};

export function clusterStatusLog(data: Entered, subject: ClusterSubject): readonly LogEntry[] {
  const { status, from, statusReason = NO_REASON } = data;
  const info = renderClusterStatus(statusReason);
  const why = explainClusterStatus(statusReason, clusterOutcomeMessages(subject.cluster._outcomes));
  return [
    {
      name: 'cluster_status_updated',
      severity: 'info',
      message: `Cluster ${subject.cluster.name}: ${describeStatus(from, status, why)}`,
      props: { cluster_status: status, status_info: info },
    },
    ...(ALSO[status]?.(data, subject) ?? []),
  ];
}
