import type { EventData } from '@muster/contracts';
import { type ClusterSubject, describeStatus, type LogEntry } from './log-entry';

type Entered = EventData<'ClusterEnteredStatus'>;

/** Further entries when a cluster enters a status. */
const ALSO: { readonly [status: string]: (data: Entered, subject: ClusterSubject) => readonly LogEntry[] } = {
  error: ({ statusInfo }, { cluster }) => [
    {
      name: 'cluster_installation_failed',
      severity: 'critical',
      message: `The installation of cluster ${cluster.name} failed: ${statusInfo}`,
      props: { failure_reason: statusInfo },
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
  const { status, from, statusInfo } = data;
  return [
    {
      name: 'cluster_status_updated',
      severity: 'info',
      message: `Cluster ${subject.cluster.name}: ${describeStatus(from, status, statusInfo)}`,
      props: { cluster_status: status, status_info: statusInfo },
    },
    ...(ALSO[status]?.(data, subject) ?? []),
  ];
}
