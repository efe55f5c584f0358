import type { ClusterEvent } from '@muster/contracts';
import type { StatusReason } from '../status-reason';
import { dueClusterDeadline } from './deadlines';
import type { ClusterContext } from './guards';
import { renderClusterStatus } from './messages';
import { withBuiltInOperators } from './operators';
import { leavesLeasedVips, revisionOf, withClusterDefaults } from './settings';
import {
  type ClusterProgress,
  type ClusterStatus,
  OPEN_STATUSES,
  progressComplete,
  progressFinalizing,
  progressInstalling,
  progressPrepared,
} from './state';

type Events = readonly ClusterEvent[];

const BEFORE_INSTALLATION: ReadonlySet<string> = new Set([
  ...OPEN_STATUSES,
  'preparing-for-installation',
  'unmonitored',
]);
const MS_PER_MINUTE = 60_000;

/** Returns the length of the deadline of the command, in whole minutes. */
export function minutesOf({ state, command, settings }: ClusterContext<'PassDeadline'>): number {
  return Math.round((dueClusterDeadline(state, command, settings.timeouts)?.limitMs ?? 0) / MS_PER_MINUTE);
}

/** The registration event contains the first status and its reason. */
export const registered =
  (status: ClusterStatus, statusReason: StatusReason) =>
  ({ command, settings: { monitorsClusterVersion } }: ClusterContext<'Register'>): Events => {
    const { clusterId, kind, owner, pullSecretSet, openshiftClusterId, imported, at } = command;
    const settings = withClusterDefaults(command.settings, command);
    const operators = withBuiltInOperators(kind, settings, command.olmOperators, monitorsClusterVersion);
    return [
      {
        type: 'ClusterRegistered',
        data: {
          clusterId,
          kind,
          settings,
          owner,
          pullSecretSet,
          monitoredOperators: [...operators],
          openshiftClusterId,
          imported,
          status,
          statusReason,
          at,
        },
      },
    ];
  };

export function settingsRevised({ command, state, settings }: ClusterContext<'Revise'>): Events {
  const { changes, operators } = revisionOf(state, command, settings.monitorsClusterVersion);
  const { pullSecretReplaced } = command;
  const monitored = operators ? { monitoredOperators: { items: [...operators] } } : {};
  return [{ type: 'ClusterSettingsRevised', data: { changes, pullSecretReplaced, ...monitored } }];
}

export function machineNetworksDerived({ command, state }: ClusterContext<'DeriveMachineNetworks'>): Events {
  const derived: ClusterEvent = { type: 'MachineNetworksDerived', data: { cidrs: [...command.cidrs] } };
  if (!leavesLeasedVips(state.settings, command.cidrs)) return [derived];
  return [derived, { type: 'VipsDerived', data: { apiVips: [], ingressVips: [] } }];
}

export const preparationFinished = ({ command: { attempt, outcome } }: ClusterContext<'FinishPreparation'>): Events =>
  outcome.kind === 'success'
    ? [{ type: 'InstallationPrepared', data: { attempt, openshiftClusterId: outcome.openshiftClusterId } }]
    : [{ type: 'InstallationPreparationFailed', data: { attempt, reason: outcome.reason } }];

/** The event keeps the text of the given reason. That of the status is replaced when the cluster is evaluated again. */
export const overduePreparationFailed =
  (reasonOf: (context: ClusterContext<'PassDeadline'>) => StatusReason) =>
  (context: ClusterContext<'PassDeadline'>): Events => {
    const { preparation, attempt } = context.state;
    if (preparation === 'failed') return [];
    const reason = renderClusterStatus(reasonOf(context));
    return [{ type: 'InstallationPreparationFailed', data: { attempt, reason } }];
  };

export const preparationConfirmed = ({ state: { attempt, openshiftClusterId } }: ClusterContext): Events => [
  { type: 'InstallationPrepared', data: { attempt, openshiftClusterId } },
];

/** The address of the only node becomes the VIPs of a single-node cluster. */
export const singleNodeVipsDerived = ({ state, command: { singleNodeAddress } }: ClusterContext<'Refresh'>): Events =>
  state.settings.controlPlaneCount === 1 && singleNodeAddress !== ''
    ? [{ type: 'VipsDerived', data: { apiVips: [singleNodeAddress], ingressVips: [singleNodeAddress] } }]
    : [];

export const vipLeasesAccepted = ({ command }: ClusterContext<'AcceptVipLeases'>): Events => [
  {
    type: 'VipsDerived',
    data: {
      apiVips: [command.apiVip],
      ingressVips: [command.ingressVip],
      apiVipLease: command.apiVipLease,
      ingressVipLease: command.ingressVipLease,
    },
  },
];

export const prepared = ({ state: { progress } }: ClusterContext): Events =>
  progressed(progress, progressPrepared(progress));
export const completed = ({ state: { progress } }: ClusterContext): Events =>
  progressed(progress, progressComplete(progress));
export const installed = ({ state, command }: ClusterContext<'RecordProgress'>): Events =>
  progressed(state.progress, progressInstalling(state.progress, command.stagesReached, command.stagesTotal));

export function operatorReported({ state, command }: ClusterContext<'ReportOperatorStatus'>): Events {
  const { name, status, statusInfo, version } = command;
  const reported: ClusterEvent = { type: 'OperatorStatusReported', data: { name, status, statusInfo, version } };
  if (BEFORE_INSTALLATION.has(state.status)) return [reported];
  const operators = state.operators.map((one) => (one.name === name ? { ...one, status } : one));
  return [reported, ...progressed(state.progress, progressFinalizing(state.progress, operators))];
}

export const finalizingStageReached = ({ command: { stage, at } }: ClusterContext<'ReachFinalizingStage'>): Events => [
  { type: 'FinalizingStageReached', data: { stage, at } },
];
export const kubeconfigCompleted = (): Events => [{ type: 'KubeconfigCompleted', data: {} }];

export const deadlinePassed = ({ command: { deadline } }: ClusterContext<'PassDeadline'>): Events => [
  { type: 'ClusterDeadlinePassed', data: { deadline } },
];
export const finalizingStageTimedOut = (context: ClusterContext<'PassDeadline'>): Events => [
  { type: 'FinalizingStageTimedOut', data: { stage: context.state.finalizingStage, minutes: minutesOf(context) } },
];
export const logsTimedOut = ({ command: { at } }: ClusterContext): Events => [
  { type: 'ClusterLogsReported', data: { logsState: 'timeout', at } },
];

export function logsReported({ command: { report, at } }: ClusterContext<'RecordLogs'>): Events {
  if (report.kind === 'state') return [{ type: 'ClusterLogsReported', data: { logsState: report.logsState, at } }];
  const { logsType, hostId, body } = report;
  return [{ type: 'ClusterLogsCollected', data: { logsType, hostId, body, at } }];
}

/** Returns no event when the progress does not change. */
function progressed(before: ClusterProgress, after: ClusterProgress): Events {
  const isSame =
    before.total === after.total &&
    before.preparing === after.preparing &&
    before.installing === after.installing &&
    before.finalizing === after.finalizing;
  if (isSame) return [];
  return [
    {
      type: 'ClusterProgressed',
      data: {
        totalPercentage: after.total,
        preparingForInstallationStagePercentage: after.preparing,
        installingStagePercentage: after.installing,
        finalizingStagePercentage: after.finalizing,
      },
    },
  ];
}
