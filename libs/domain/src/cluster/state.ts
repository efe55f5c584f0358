import type { ClusterSettings, MonitoredOperator, Owner, Plain } from '@muster/contracts';
import { NO_REASON, type StatusReason } from '../status-reason';
import type { ClusterDeadlineName, ClusterKind, ClusterPhase } from './status';

/**
 * How far the artifacts of the current attempt are. `undone`: they exist, but a host registered again since, so that
 * the hosts have to be prepared once more.
 */
export type PreparationState = 'none' | 'pending' | 'success' | 'failed' | 'undone';

export interface ClusterProgress {
  /** 0 to 100. */
  readonly total: number;
  readonly preparing: number;
  readonly installing: number;
  readonly finalizing: number;
}

/** Times are ISO 8601; empty when the event has not happened. */
export interface ClusterState {
  readonly status: ClusterPhase;
  readonly statusReason: StatusReason;
  readonly statusSince: string;
  readonly clusterId: string;
  readonly kind: ClusterKind;
  readonly imported: boolean;
  readonly owner: Plain<Owner>;
  readonly settings: Plain<ClusterSettings>;
  readonly pullSecretSet: boolean;
  readonly openshiftClusterId: string;
  /** 0 before the first installation. */
  readonly attempt: number;
  readonly bootstrapHostId: string;
  readonly preparation: PreparationState;
  readonly preparationReason: string;
  readonly installStartedAt: string;
  readonly installCompletedAt: string;
  /** When a late success took the cluster out of `error`: deadlines of the installation count from here. */
  readonly resumedAt: string;
  readonly progress: ClusterProgress;
  readonly operators: readonly Plain<MonitoredOperator>[];
  readonly hasKubeconfig: boolean;
  /** True from the first time in `finalizing` in this attempt. */
  readonly hasFinalized: boolean;
  readonly finalizingStage: string;
  readonly finalizingStageStartedAt: string;
  readonly isFinalizingStageTimedOut: boolean;
  /** While in `error`: the deadline that led there, or empty when hosts failed. */
  readonly failedDeadline: ClusterDeadlineName | '';
  /** Empty, requested, collecting, completed, timeout. */
  readonly logsState: string;
  readonly controllerLogsStartedAt: string;
  readonly controllerLogsCollectedAt: string;
  /** While it was deleted and can still be looked at. */
  readonly deregisteredAt: string;
}

export const NO_PROGRESS_YET: ClusterProgress = { total: 0, preparing: 0, installing: 0, finalizing: 0 };

export const initialClusterState = (): ClusterState => ({
  status: 'unregistered',
  statusReason: NO_REASON,
  statusSince: '',
  clusterId: '',
  kind: 'Cluster',
  imported: false,
  owner: { userName: '', orgId: '', emailDomain: '' },
  settings: {},
  pullSecretSet: false,
  openshiftClusterId: '',
  attempt: 0,
  bootstrapHostId: '',
  preparation: 'none',
  preparationReason: '',
  installStartedAt: '',
  installCompletedAt: '',
  resumedAt: '',
  progress: NO_PROGRESS_YET,
  operators: [],
  hasKubeconfig: false,
  hasFinalized: false,
  finalizingStage: '',
  finalizingStageStartedAt: '',
  isFinalizingStageTimedOut: false,
  failedDeadline: '',
  logsState: '',
  controllerLogsStartedAt: '',
  controllerLogsCollectedAt: '',
  deregisteredAt: '',
});
