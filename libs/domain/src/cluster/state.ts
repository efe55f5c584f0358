import type { ClusterSettings, MonitoredOperator, Owner, Plain } from '@muster/contracts';
import type { CountedInputs } from '../evaluated-inputs';
import { awaitsHosts, type HostSummary } from '../roles/host-summary';
import { NO_REASON, type StatusReason } from '../status-reason';

/** Statuses of a cluster, as in the v2 API. */
export const CLUSTER_STATUSES = [
  'insufficient',
  'ready',
  'error',
  'preparing-for-installation',
  'pending-for-input',
  'installing',
  'finalizing',
  'installed',
  'adding-hosts',
  'cancelled',
  'installing-pending-user-action',
  'unmonitored',
] as const;
export type ClusterStatus = (typeof CLUSTER_STATUSES)[number];

/** Statuses before an installation: settings may change. */
export const OPEN_STATUSES = ['pending-for-input', 'insufficient', 'ready'] as const satisfies readonly ClusterStatus[];

/** Statuses in which settings may change and hosts may join. */
export const UPDATABLE_STATUSES = [...OPEN_STATUSES, 'adding-hosts'] as const satisfies readonly ClusterStatus[];

/** Statuses in which hosts are being installed or the cluster is finalizing. */
export const INSTALLING_STATUSES = [
  'installing',
  'installing-pending-user-action',
  'finalizing',
] as const satisfies readonly ClusterStatus[];

/**
 * Statuses in which the controller reports finalizing stages. The last report may arrive after the cluster completed.
 */
export const STAGE_REPORT_STATUSES = [...INSTALLING_STATUSES, 'installed'] as const satisfies readonly ClusterStatus[];

export const exceptStatuses = (...excluded: readonly ClusterStatus[]): readonly ClusterStatus[] =>
  CLUSTER_STATUSES.filter((status) => !excluded.includes(status));

/**
 * The status of a cluster's stream: a v2 status, `unregistered` before its first event, or `deregistered` after its
 * last.
 */
export const CLUSTER_PHASES = ['unregistered', ...CLUSTER_STATUSES, 'deregistered'] as const;
export type ClusterPhase = (typeof CLUSTER_PHASES)[number];

export const CLUSTER_KINDS = ['Cluster', 'AddHostsCluster', 'DisconnectedCluster'] as const;
export type ClusterKind = (typeof CLUSTER_KINDS)[number];

/** The finalizing stages that the controller reports, in order. */
export const FINALIZING_STAGES = [
  'Waiting for cluster operators',
  'Adding router ca',
  'Applying olm manifests',
  'Waiting for olm operators csv initialization',
  'Waiting for olm operators csv',
  'Waiting for OLM operator setup jobs',
  'Done',
] as const;
export type FinalizingStage = (typeof FINALIZING_STAGES)[number];

export const CLUSTER_LOGS_STATES = ['requested', 'collecting', 'completed', 'timeout'] as const;

export const OPERATOR_STATUSES = ['progressing', 'available', 'failed'] as const;
export type OperatorStatus = (typeof OPERATOR_STATUSES)[number];

/** The deadlines that a cluster may have. */
export const CLUSTER_DEADLINES = [
  'preparation',
  'installation',
  'finalizing',
  'finalizing-stage',
  'log-request',
  'log-collection',
  'retention',
] as const;
export type ClusterDeadlineName = (typeof CLUSTER_DEADLINES)[number];

/**
 * Progress of the artifacts of the current attempt. `undone`: they exist, but a host registered again since, so the
 * hosts must be prepared again.
 */
export type PreparationState = 'none' | 'pending' | 'success' | 'failed' | 'undone';

export interface ClusterProgress {
  /** In percent, 0 to 100. */
  readonly total: number;
  readonly preparing: number;
  readonly installing: number;
  readonly finalizing: number;
}

/** The state of a cluster. Times are ISO 8601 UTC, empty when the event has not happened. */
export interface ClusterState extends CountedInputs {
  readonly status: ClusterPhase;
  readonly statusReason: StatusReason;
  readonly statusSince: string;
  readonly clusterId: string;
  readonly kind: ClusterKind;
  readonly imported: boolean;
  readonly owner: Plain<Owner>;
  readonly settings: Plain<ClusterSettings>;
  /** True: the machine networks are derived from hosts and VIPs. False: a user set them, or there are none. */
  readonly areNetworksDerived: boolean;
  /** Lease blocks of VIPs that DHCP allocated; empty otherwise. */
  readonly vipLeases: { readonly api: string; readonly ingress: string };
  readonly pullSecretSet: boolean;
  readonly openshiftClusterId: string;
  /** 0 before the first installation. */
  readonly attempt: number;
  readonly bootstrapHostId: string;
  readonly preparation: PreparationState;
  readonly preparationReason: string;
  readonly installStartedAt: string;
  readonly installCompletedAt: string;
  /** When a late success moved the cluster out of `error`. The deadlines of the installation count from here. */
  readonly resumedAt: string;
  readonly progress: ClusterProgress;
  readonly operators: readonly Plain<MonitoredOperator>[];
  readonly hasKubeconfig: boolean;
  /** True after the cluster entered `finalizing` in this attempt. */
  readonly hasFinalized: boolean;
  readonly finalizingStage: string;
  readonly finalizingStageStartedAt: string;
  readonly isFinalizingStageTimedOut: boolean;
  /** In `error`: the deadline that failed the cluster, or empty when hosts failed. */
  readonly failedDeadline: ClusterDeadlineName | '';
  /** Empty, requested, collecting, completed, timeout. */
  readonly logsState: string;
  readonly controllerLogsStartedAt: string;
  readonly controllerLogsCollectedAt: string;
  /** Set while the cluster is deleted and still readable. */
  readonly deregisteredAt: string;
}

const NO_PROGRESS_YET: ClusterProgress = { total: 0, preparing: 0, installing: 0, finalizing: 0 };

export const NO_VIP_LEASES: ClusterState['vipLeases'] = { api: '', ingress: '' };

/** The members that each installation sets again. */
export const NO_INSTALLATION_YET = {
  preparationReason: '',
  resumedAt: '',
  progress: NO_PROGRESS_YET,
  hasKubeconfig: false,
  hasFinalized: false,
  finalizingStage: '',
  finalizingStageStartedAt: '',
  isFinalizingStageTimedOut: false,
  failedDeadline: '',
  logsState: '',
  controllerLogsStartedAt: '',
  controllerLogsCollectedAt: '',
} as const satisfies Partial<ClusterState>;

export const initialClusterState = (): ClusterState => ({
  status: 'unregistered',
  statusReason: NO_REASON,
  statusSince: '',
  clusterId: '',
  kind: 'Cluster',
  imported: false,
  owner: { userName: '', orgId: '', emailDomain: '' },
  settings: {},
  areNetworksDerived: false,
  vipLeases: NO_VIP_LEASES,
  pullSecretSet: false,
  openshiftClusterId: '',
  attempt: 0,
  bootstrapHostId: '',
  preparation: 'none',
  installStartedAt: '',
  installCompletedAt: '',
  ...NO_INSTALLATION_YET,
  operators: [],
  deregisteredAt: '',
  inputsRevision: 0,
});

/**
 * Share of each part in the total, in percent. The remainder is added at completion: only an installed cluster has 100.
 */
export const PROGRESS_WEIGHTS = { preparing: 10, installing: 70, finalizing: 15 } as const;
const ALL = 100;

const weighed = (part: keyof typeof PROGRESS_WEIGHTS, percentage: number): number =>
  (PROGRESS_WEIGHTS[part] * percentage) / ALL;

/** Returns the progress after hosts and artifacts are prepared. */
export function progressPrepared(progress: ClusterProgress): ClusterProgress {
  return { ...progress, preparing: ALL, total: Math.max(progress.total, PROGRESS_WEIGHTS.preparing) };
}

/** Returns the progress after a report of a host. The total does not decrease when a host starts its stages again. */
export function progressInstalling(
  progress: ClusterProgress,
  stagesReached: number,
  stagesTotal: number,
): ClusterProgress {
  const installing = stagesTotal === 0 ? 0 : Math.min(ALL, Math.floor((ALL * stagesReached) / stagesTotal));
  const total =
    Math.floor(weighed('installing', installing)) +
    Math.floor(weighed('preparing', progress.preparing) + weighed('finalizing', progress.finalizing));
  return { ...progress, installing, total: Math.max(progress.total, total) };
}

/** Returns the progress after an operator report. A report that would decrease the total changes nothing. */
export function progressFinalizing(
  progress: ClusterProgress,
  operators: readonly Plain<MonitoredOperator>[],
): ClusterProgress {
  if (operators.length === 0) return progress;
  const finalizing = Math.floor((ALL * operators.filter(isOperatorDone).length) / operators.length);
  const total =
    Math.floor(weighed('finalizing', finalizing)) +
    Math.floor(weighed('preparing', progress.preparing) + weighed('installing', progress.installing));
  return total < progress.total ? progress : { ...progress, finalizing, total };
}

export function progressComplete(progress: ClusterProgress): ClusterProgress {
  return { ...progress, finalizing: ALL, total: ALL };
}

/**
 * Returns whether the operator has a final status. Built-in operators must be available. For an optional operator, a
 * failure is final too.
 */
export function isOperatorDone({ operatorType, status }: Plain<MonitoredOperator>): boolean {
  return status === 'available' || (operatorType === 'olm' && status === 'failed');
}

export type ClusterCompletion = 'complete' | 'operators-failed' | 'workers-missing' | 'incomplete';

/** Returns how far the installation is complete. Without monitored operators, only the kubeconfig counts. */
export function completionOf(state: ClusterState, hosts: HostSummary): ClusterCompletion {
  if (hosts.total === 0 || awaitsHosts(hosts) || !state.hasKubeconfig || !state.operators.every(isOperatorDone))
    return 'incomplete';
  if (failedOperators(state).length > 0) return 'operators-failed';
  return hosts.installed.workers < hosts.effectiveWorkers ? 'workers-missing' : 'complete';
}

/** Returns the names of the optional operators that failed. */
export function failedOperators(state: ClusterState): readonly string[] {
  return state.operators
    .filter(({ operatorType, status }) => operatorType === 'olm' && status === 'failed')
    .map(({ name }) => name);
}
