import type { ClusterEvent, EventData } from '@muster/contracts';
import { unknownEvent } from '@muster/decision';
import { NO_REASON } from '../status-reason';
import { mergeClusterSettings } from './settings';
import {
  CLUSTER_DEADLINES,
  CLUSTER_KINDS,
  CLUSTER_STATUSES,
  type ClusterDeadlineName,
  type ClusterKind,
  type ClusterState,
  type ClusterStatus,
  NO_INSTALLATION_YET,
  NO_VIP_LEASES,
} from './state';

/** Events that change what validations read of a cluster. */
const INPUTS: ReadonlySet<string> = new Set<ClusterEvent['type']>([
  'ClusterRegistered',
  'ClusterSettingsRevised',
  'MachineNetworksDerived',
  'VipsDerived',
  'ClusterReset',
  'ClusterOpenedForHosts',
]);

/** Returns the state after one more event. */
export function evolveCluster(state: ClusterState, event: ClusterEvent): ClusterState {
  const after = withEvent(state, event);
  return INPUTS.has(event.type) ? { ...after, inputsRevision: state.inputsRevision + 1 } : after;
}

function withEvent(state: ClusterState, event: ClusterEvent): ClusterState {
  switch (event.type) {
    case 'ClusterRegistered':
      return registered(state, event.data);
    case 'ClusterSettingsRevised':
      return {
        ...state,
        settings: mergeClusterSettings(state.settings, event.data.changes ?? {}),
        areNetworksDerived: state.areNetworksDerived && !event.data.changes?.machineNetworks,
        vipLeases: event.data.changes?.apiVips ? NO_VIP_LEASES : state.vipLeases,
        pullSecretSet: state.pullSecretSet || event.data.pullSecretReplaced,
        operators: event.data.monitoredOperators?.items ?? state.operators,
      };
    case 'MachineNetworksDerived':
      return {
        ...state,
        settings: { ...state.settings, machineNetworks: { items: event.data.cidrs } },
        areNetworksDerived: event.data.cidrs.length > 0,
      };
    case 'VipsDerived':
      return {
        ...withVips(state, event.data.apiVips, event.data.ingressVips),
        vipLeases: { api: event.data.apiVipLease ?? '', ingress: event.data.ingressVipLease ?? '' },
      };
    case 'ClusterEnteredStatus':
      return entered(state, event.data);
    case 'ClusterStatusExplained':
      return { ...state, statusReason: event.data.statusReason ?? NO_REASON };
    case 'InstallationPreparationStarted':
      return {
        ...withoutInstallation(state),
        attempt: event.data.attempt,
        bootstrapHostId: event.data.bootstrapHostId,
        preparation: 'pending',
        installStartedAt: event.data.at,
      };
    case 'InstallationPrepared':
      return {
        ...state,
        preparation: 'success',
        preparationReason: '',
        openshiftClusterId: event.data.openshiftClusterId,
      };
    case 'InstallationPreparationFailed':
      return { ...state, preparation: 'failed', preparationReason: event.data.reason };
    case 'InstallationPreparationUndone':
      return { ...state, preparation: 'undone', preparationReason: event.data.reason };
    case 'ClusterProgressed':
      return {
        ...state,
        progress: {
          total: event.data.totalPercentage,
          preparing: event.data.preparingForInstallationStagePercentage,
          installing: event.data.installingStagePercentage,
          finalizing: event.data.finalizingStagePercentage,
        },
      };
    case 'FinalizingStageReached':
      return {
        ...state,
        finalizingStage: event.data.stage,
        finalizingStageStartedAt: event.data.at,
        isFinalizingStageTimedOut: false,
      };
    case 'FinalizingStageTimedOut':
      return { ...state, isFinalizingStageTimedOut: true };
    case 'OperatorStatusReported':
      return {
        ...state,
        operators: state.operators.map((one) => (one.name === event.data.name ? { ...one, ...event.data } : one)),
      };
    case 'KubeconfigCompleted':
      return { ...state, hasKubeconfig: true };
    case 'InstallationCancelled':
      // Artifacts of the previous attempt must not count for the next attempt.
      return { ...state, preparation: 'none', preparationReason: '' };
    case 'ClusterReset':
      return reset(state);
    case 'ClusterOpenedForHosts':
      return {
        ...state,
        kind: 'AddHostsCluster',
        settings: { ...state.settings, apiVipDnsName: event.data.apiVipDnsName },
      };
    case 'ClusterLogsReported':
      return {
        ...state,
        logsState: event.data.logsState,
        controllerLogsStartedAt:
          event.data.logsState === 'requested' ? event.data.at : state.controllerLogsStartedAt || event.data.at,
      };
    case 'ClusterLogsCollected':
      return event.data.logsType === 'controller' ? { ...state, controllerLogsCollectedAt: event.data.at } : state;
    case 'ClusterDeadlinePassed':
      // This event is for users only. Its effects are separate events. The end of the retention of a deleted cluster
      // has no effect.
      return event.data.deadline === 'retention' ? { ...state, deregisteredAt: '' } : state;
    case 'ClusterDeregistered':
      return { ...state, status: 'deregistered', deregisteredAt: event.data.at };
    default:
      return unknownEvent(state, event);
  }
}

function registered(state: ClusterState, data: EventData<'ClusterRegistered'>): ClusterState {
  return {
    ...state,
    status: toStatus(data.status),
    statusReason: data.statusReason ?? NO_REASON,
    statusSince: data.at,
    clusterId: data.clusterId,
    kind: toKind(data.kind),
    imported: data.imported,
    owner: data.owner ?? state.owner,
    settings: data.settings ?? {},
    pullSecretSet: data.pullSecretSet,
    openshiftClusterId: data.openshiftClusterId,
    operators: data.monitoredOperators,
  };
}

const ENDS: ReadonlySet<string> = new Set<ClusterStatus>(['installed', 'error', 'cancelled']);

function entered(state: ClusterState, data: EventData<'ClusterEnteredStatus'>): ClusterState {
  const status = toStatus(data.status);
  const isFinalizing = status === 'finalizing';
  return {
    ...state,
    status,
    statusReason: data.statusReason ?? NO_REASON,
    statusSince: data.at,
    failedDeadline: status === 'error' ? toDeadline(data.deadline) : '',
    installCompletedAt: ENDS.has(status) ? data.at : state.installCompletedAt,
    resumedAt: data.from === 'error' && isFinalizing ? data.at : state.resumedAt,
    hasFinalized: state.hasFinalized || isFinalizing,
    ...(isFinalizing && state.finalizingStage !== ''
      ? { finalizingStageStartedAt: data.at, isFinalizingStageTimedOut: false }
      : {}),
  };
}

/** The start and end of an installation stay readable until the next installation starts. */
function reset(state: ClusterState): ClusterState {
  const isSingleNode = state.settings.controlPlaneCount === 1;
  const bare = {
    ...withoutInstallation(state),
    preparation: 'none',
    openshiftClusterId: '',
    bootstrapHostId: '',
  } as const;
  // The VIPs of the single node were its own address, which may change before the next attempt.
  return isSingleNode ? withVips(bare, [], []) : bare;
}

function withoutInstallation(state: ClusterState): ClusterState {
  return {
    ...state,
    ...NO_INSTALLATION_YET,
    operators: state.operators.map((one) => ({ ...one, status: '', statusInfo: '', version: '' })),
  };
}

function withVips(state: ClusterState, apiVips: string[], ingressVips: string[]): ClusterState {
  return {
    ...state,
    settings: { ...state.settings, apiVips: { items: apiVips }, ingressVips: { items: ingressVips } },
  };
}

/** Stored values come from these tables. Another value was stored by another version. */
const toStatus = (text: string): ClusterStatus => CLUSTER_STATUSES.find((status) => status === text) ?? 'insufficient';
const toKind = (text: string): ClusterKind => CLUSTER_KINDS.find((kind) => kind === text) ?? 'Cluster';
const toDeadline = (text: string): ClusterDeadlineName | '' => CLUSTER_DEADLINES.find((name) => name === text) ?? '';
