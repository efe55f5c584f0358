import type { ClusterEvent } from '@muster/contracts';
import type { ClusterCommand, ClusterCommandType } from './cluster-commands';
import type { DueClusterDeadline } from './cluster-deadlines';
import { withBuiltInOperators } from './cluster-operators';
import { progressComplete, progressFinalizing, progressInstalling, progressPrepared } from './cluster-progress';
import { revisionOf } from './cluster-revision';
import { withClusterDefaults } from './cluster-defaults';
import type { ClusterProgress, ClusterState } from './cluster-state';
import { openedApiName } from './cluster-names';

/** What an effect is made of. */
export interface EffectContext {
  readonly state: ClusterState;
  readonly command: ClusterCommand;
  /** The deadline that is due, on PassDeadline. */
  readonly due: DueClusterDeadline | undefined;
  /** Status and words of the new cluster, on Register. */
  readonly entered: { readonly status: string; readonly info: string };
  /** Is the cluster version operator watched too? */
  readonly monitorsClusterVersion: boolean;
}

type Effect = (origin: EffectContext) => readonly ClusterEvent[];
type CommandOf<Type extends ClusterCommandType> = Extract<ClusterCommand, { type: Type }>;

export const MS_PER_MINUTE = 60_000;
const OVERDUE_PREPARATION = 'The preparation did not end in time.';

/** An effect belongs to the command of its row; the check is for the compiler. */
const on =
  <Type extends ClusterCommandType>(
    type: Type,
    make: (command: CommandOf<Type>, origin: EffectContext) => readonly ClusterEvent[],
  ): Effect =>
  (origin) =>
    isOf(type, origin.command) ? make(origin.command, origin) : [];

function isOf<Type extends ClusterCommandType>(type: Type, command: ClusterCommand): command is CommandOf<Type> {
  return command.type === type;
}

function progressed(before: ClusterProgress, after: ClusterProgress): readonly ClusterEvent[] {
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

const minutesOf = (due: DueClusterDeadline | undefined): number => Math.round((due?.limitMs ?? 0) / MS_PER_MINUTE);

/** Facts that rows name besides the change of status. */
export const CLUSTER_EFFECTS = {
  register: on('Register', (command, { entered, monitorsClusterVersion }) => {
    const settings = withClusterDefaults(command.settings, command);
    return [
      {
        type: 'ClusterRegistered',
        data: {
          clusterId: command.clusterId,
          kind: command.kind,
          settings,
          owner: command.owner,
          pullSecretSet: command.pullSecretSet,
          monitoredOperators: [
            ...withBuiltInOperators(command.kind, settings, command.olmOperators, monitorsClusterVersion),
          ],
          openshiftClusterId: command.openshiftClusterId,
          imported: command.imported,
          status: entered.status,
          statusInfo: entered.info,
          at: command.at,
        },
      },
    ];
  }),
  revise: on('Revise', (command, { state, monitorsClusterVersion }) => {
    const { changes, operators } = revisionOf(state, command, monitorsClusterVersion);
    return [
      {
        type: 'ClusterSettingsRevised',
        data: {
          changes,
          pullSecretReplaced: command.pullSecretReplaced,
          ...(operators ? { monitoredOperators: { items: [...operators] } } : {}),
        },
      },
    ];
  }),
  'derive-machine-networks': on('DeriveMachineNetworks', ({ cidrs }) => [
    { type: 'MachineNetworksDerived', data: { cidrs: [...cidrs] } },
  ]),
  'open-for-hosts': (origin) => [
    { type: 'ClusterOpenedForHosts', data: { apiVipDnsName: openedApiName(origin.state.settings) } },
  ],
  deregister: ({ command }) => [{ type: 'ClusterDeregistered', data: { at: command.at } }],
  'start-preparation': on('Install', ({ bootstrapHostId, at }, { state }) => [
    { type: 'InstallationPreparationStarted', data: { attempt: state.attempt + 1, bootstrapHostId, at } },
  ]),
  'confirm-preparation': on('FinishPreparation', ({ attempt, outcome }) =>
    outcome.kind === 'success'
      ? [{ type: 'InstallationPrepared', data: { attempt, openshiftClusterId: outcome.openshiftClusterId } }]
      : [],
  ),
  'fail-preparation': on('FinishPreparation', ({ attempt, outcome }) =>
    outcome.kind === 'failure'
      ? [{ type: 'InstallationPreparationFailed', data: { attempt, reason: outcome.reason } }]
      : [],
  ),
  'fail-overdue-preparation': ({ state }) =>
    state.preparation === 'failed'
      ? []
      : [{ type: 'InstallationPreparationFailed', data: { attempt: state.attempt, reason: OVERDUE_PREPARATION } }],
  'undo-preparation': on('UndoPreparation', ({ reason }, { state }) => [
    { type: 'InstallationPreparationUndone', data: { attempt: state.attempt, reason } },
  ]),
  'confirm-preparation-again': ({ state }) => [
    {
      type: 'InstallationPrepared',
      data: { attempt: state.attempt, openshiftClusterId: state.openshiftClusterId },
    },
  ],
  'derive-single-node-vips': on('Refresh', ({ singleNodeAddress }, { state }) =>
    state.settings.controlPlaneCount === 1 && singleNodeAddress !== ''
      ? [{ type: 'VipsDerived', data: { apiVips: [singleNodeAddress], ingressVips: [singleNodeAddress] } }]
      : [],
  ),
  'progress-prepared': ({ state }) => progressed(state.progress, progressPrepared(state.progress)),
  'progress-installing': on('RecordProgress', ({ stagesReached, stagesTotal }, { state }) =>
    progressed(state.progress, progressInstalling(state.progress, stagesReached, stagesTotal)),
  ),
  'progress-finalizing': on('ReportOperatorStatus', ({ name, status }, { state }) => {
    const operators = state.operators.map((one) => (one.name === name ? { ...one, status } : one));
    return progressed(state.progress, progressFinalizing(state.progress, operators));
  }),
  'progress-complete': ({ state }) => progressed(state.progress, progressComplete(state.progress)),
  'operator-report': on('ReportOperatorStatus', ({ name, status, statusInfo, version }) => [
    { type: 'OperatorStatusReported', data: { name, status, statusInfo, version } },
  ]),
  'finalizing-stage': on('ReachFinalizingStage', ({ stage, at }) => [
    { type: 'FinalizingStageReached', data: { stage, at } },
  ]),
  kubeconfig: () => [{ type: 'KubeconfigCompleted', data: {} }],
  'deadline-passed': on('PassDeadline', ({ deadline }) => [{ type: 'ClusterDeadlinePassed', data: { deadline } }]),
  'finalizing-stage-timed-out': ({ state, due }) => [
    { type: 'FinalizingStageTimedOut', data: { stage: state.finalizingStage, minutes: minutesOf(due) } },
  ],
  'logs-timed-out': ({ command }) => [{ type: 'ClusterLogsReported', data: { logsState: 'timeout', at: command.at } }],
  cancel: () => [{ type: 'InstallationCancelled', data: { reason: 'A person cancelled the installation.' } }],
  reset: () => [{ type: 'ClusterReset', data: { reason: 'A person reset the cluster.' } }],
  logs: on('RecordLogs', ({ report, at }) =>
    report.kind === 'state'
      ? [{ type: 'ClusterLogsReported', data: { logsState: report.logsState, at } }]
      : [
          {
            type: 'ClusterLogsCollected',
            data: { logsType: report.logsType, hostId: report.hostId, body: report.body, at },
          },
        ],
  ),
} as const satisfies Record<string, Effect>;
export type ClusterEffectName = keyof typeof CLUSTER_EFFECTS;
