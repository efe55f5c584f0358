import { clusterOutcomeMessages, type EventSeverity } from '@muster/assisted-api';
import type { ClusterEvent, EventData } from '@muster/contracts';
import { explainClusterStatus, NO_REASON, renderClusterStatus } from '@muster/domain';
import { type ClusterSubject, describeStatus, type LogEntry, type LogRows, setOrRemoved } from './event-document';
import { overrideLog } from './validation-log';

type Entered = EventData<'ClusterEnteredStatus'>;

/** Additional entries when a cluster enters a status. */
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

const line = (
  name: string,
  severity: EventSeverity,
  message: string,
  props: LogEntry['props'] = {},
): readonly LogEntry[] => [{ name, severity, message, props }];

export const CLUSTER_LOG: LogRows<ClusterEvent, ClusterSubject> = {
  // assisted-service v2 has this text, and scripts wait for it.
  ClusterRegistered: ({ kind }) =>
    line('cluster_registration_succeeded', 'info', 'Successfully registered cluster', { cluster_kind: kind }),
  ClusterDeregistered: (_data, { cluster }) =>
    line('cluster_deregistered', 'info', `Cluster ${cluster.name} was deleted.`),
  ClusterSettingsRevised: revisionLog,
  VipsDerived: ({ apiVips, ingressVips }, { cluster }) =>
    line(
      'api_ingress_vip_updated',
      'info',
      `Cluster ${cluster.name}: API address ${apiVips.join(', ') || 'none'}, ingress address ${ingressVips.join(', ') || 'none'}.`,
      { api_vip: apiVips[0] ?? '', ingress_vip: ingressVips[0] ?? '' },
    ),
  ClusterEnteredStatus: clusterStatusLog,
  InstallationPreparationStarted: (_data, { cluster }) =>
    ignoresValidations(cluster)
      ? line(
          'validations_ignored',
          'info',
          `The installation of cluster ${cluster.name} ignores some validations. The cluster may not work.`,
        )
      : [],
  InstallationPrepared: (_data, { cluster }) =>
    line(
      'cluster_prepare_installation_started',
      'info',
      `The installation artifacts of cluster ${cluster.name} are ready.`,
    ),
  InstallationPreparationFailed: ({ reason }, { cluster }) =>
    line(
      'prepare_installation_failed',
      'warning',
      `The preparation of the installation of cluster ${cluster.name} failed: ${reason}`,
      { error: reason },
    ),
  FinalizingStageReached: ({ stage }, { cluster }) =>
    line('cluster_finalizing_stage_updated', 'info', `Cluster ${cluster.name} reached stage "${stage}".`, {
      finalizing_stage: stage,
    }),
  FinalizingStageTimedOut: ({ stage, minutes }, { cluster }) =>
    line(
      'finalizing_stage_timed_out',
      'warning',
      `Cluster ${cluster.name} has been in stage "${stage}" for more than the expected ${minutes} minutes.`,
      { stage, minutes },
    ),
  OperatorStatusReported: ({ name, status, statusInfo }, { before }) =>
    before?.monitored_operators.find((operator) => operator.name === name)?.status === status
      ? []
      : line(
          'cluster_operator_status',
          'info',
          `Operator ${name} is ${status}${statusInfo ? `: ${statusInfo}` : '.'}`,
          {
            operator_name: name,
            status,
            status_info: statusInfo,
          },
        ),
  ClusterDeadlinePassed: ({ deadline }, { cluster }) =>
    deadline === 'preparation'
      ? line(
          'installation_preparing_timed_out',
          'warning',
          `The preparation of the installation of cluster ${cluster.name} timed out. Start the installation again.`,
          { reason: deadline },
        )
      : [],
  InstallationCancelled: (_data, { cluster }) =>
    line('cluster_installation_canceled', 'info', `The installation of cluster ${cluster.name} was cancelled.`),
  ClusterReset: (_data, { cluster }) =>
    line('cluster_installation_reset', 'info', `The installation of cluster ${cluster.name} was reset.`),
  ClusterLogsCollected: ({ logsType }, { cluster }) =>
    logsType === 'controller'
      ? line('cluster_logs_uploaded', 'info', `The logs of cluster ${cluster.name} were uploaded.`)
      : [],
};

/** Returns the event for the version in the release image of a cluster. */
export function releaseLog(
  { coreosVersion, releaseImage, version }: EventData<'ReleaseRead'>,
  { cluster }: ClusterSubject,
): readonly LogEntry[] {
  const coreos = coreosVersion ? ` It installs CoreOS ${coreosVersion}.` : '';
  return line('release_read', 'info', `Release ${version} of cluster ${cluster.name} was read.${coreos}`, {
    release_image: releaseImage,
    version,
    coreos_version: coreosVersion,
  });
}

/** Only the begin of a wait has an entry. */
export function queueLog(
  { ahead, minute }: EventData<'PreparationQueued'>,
  { cluster }: ClusterSubject,
): readonly LogEntry[] {
  if (minute > 1) return [];
  const message = `The preparation of cluster ${cluster.name} waits for ${ahead} others, which run the installer first.`;
  return line('preparation_queued', 'info', message, { ahead });
}

/** The last entry of a cluster. */
export function retentionLog({ name }: ClusterSubject['cluster']): readonly LogEntry[] {
  const message = `Cluster ${name} was permanently deleted after the retention period. Its events are kept.`;
  return line('clusters_permanently_deleted', 'info', message, { message });
}

function revisionLog(
  data: EventData<'ClusterSettingsRevised'>,
  { cluster, before }: ClusterSubject,
): readonly LogEntry[] {
  const { changes } = data;
  const overrides = changes?.installConfigOverrides;
  const proxyOf = ({ http_proxy, https_proxy, no_proxy }: ClusterSubject['cluster']): string =>
    JSON.stringify([http_proxy, https_proxy, no_proxy]);
  // A changed password is visible only as a changed name of the sealed proxy.
  const hasChanged = before && (proxyOf(before) !== proxyOf(cluster) || changes?.proxy?.sealedAs);
  return [
    ...(changes?.proxy && hasChanged
      ? line('proxy_settings_changed', 'info', `The proxy settings of cluster ${cluster.name} changed.`)
      : []),
    ...(overrides
      ? line(
          'install_config_applied',
          'info',
          `The install-config overrides of cluster ${cluster.name} were ${setOrRemoved(overrides.document?.digest)}.`,
        )
      : []),
    ...overrideLog(data, { cluster }),
  ];
}

const ignoresValidations = (cluster: ClusterSubject['cluster']): boolean =>
  [cluster.ignored_host_validations, cluster.ignored_cluster_validations].some(
    (list) => list !== undefined && list !== '[]',
  );
