import { summarizeHosts } from '../roles/host-summary';
import {
  after,
  at,
  clusterIn,
  fiveHosts,
  host,
  operator,
  refresh,
  registration,
  COMMAND_SEQUENCES,
  when,
} from './cluster.fixture.spec';
import type { ClusterCommand } from './commands';
import type { ClusterState } from './state';

export interface Example {
  readonly given: ClusterState;
  readonly when: ClusterCommand;
  /** Types of the events, in order. */
  readonly then: readonly string[];
  readonly status: string;
}
export const ENTERED = 'ClusterEnteredStatus';
export const EXPLAINED = 'ClusterStatusExplained';
export const stays = (given: ClusterState, command: ClusterCommand, ...then: string[]): Example => ({
  given,
  when: command,
  then,
  status: given.status,
});
export const moves = (given: ClusterState, command: ClusterCommand, status: string, ...then: string[]): Example => ({
  given,
  when: command,
  then,
  status,
});
export const stage = (name: string, minutes = 65): ClusterCommand => ({
  type: 'ReachFinalizingStage',
  stage: name,
  at: at(minutes),
});
export const report = (name: string, status: string): ClusterCommand => ({
  type: 'ReportOperatorStatus',
  name,
  status,
  statusInfo: '',
  version: '1',
  at: at(66),
});
export const KUBECONFIG: ClusterCommand = { type: 'CompleteKubeconfig', at: at(67) };
export const PROGRESS: ClusterCommand = { type: 'RecordProgress', stagesReached: 10, stagesTotal: 40, at: at(10) };
export const CANCEL: ClusterCommand = { type: 'CancelInstallation', refusingHosts: [], at: at(15) };
export const RESET: ClusterCommand = { type: 'Reset', refusingHosts: [], at: at(15) };
export const logs = (logsState: string): ClusterCommand => ({
  type: 'RecordLogs',
  report: { kind: 'state', logsState },
  at: at(40),
});
export const pass = (
  deadline: Extract<ClusterCommand, { type: 'PassDeadline' }>['deadline'],
  minutes: number,
  softTimeouts = false,
): ClusterCommand => ({ type: 'PassDeadline', deadline, softTimeouts, at: at(minutes) });
export const preparing = clusterIn('preparing-for-installation');
export const installing = clusterIn('installing');
export const pendingUserAction = clusterIn('installing-pending-user-action');
export const finalizing = clusterIn('finalizing');
export const installed = clusterIn('installed');
export const error = clusterIn('error');
export const LVM = after(
  registration({}, { olmOperators: [operator('lvm', 'olm'), operator('mce', 'olm')] }),
  ...COMMAND_SEQUENCES.finalizing.slice(1),
  KUBECONFIG,
  report('console', 'available'),
  report('lvm', 'failed'),
);
export const almostInstalled = after(...COMMAND_SEQUENCES.finalizing, KUBECONFIG, report('console', 'available'));
export const DAY_MINUTES = 24 * 60;
// Clusters whose deadline passed while hosts were installing, and while the cluster was finalizing.
export const lateHosts = after(
  ...COMMAND_SEQUENCES['installing-pending-user-action'],
  pass('installation', 1 + DAY_MINUTES),
);
export const lateCluster = after(...COMMAND_SEQUENCES.finalizing, pass('finalizing', 60 + 300));
export const lateAndDone = after(
  ...COMMAND_SEQUENCES.finalizing,
  pass('finalizing', 60 + 300),
  KUBECONFIG,
  report('console', 'available'),
);
export const lateAndDegraded = { ...LVM, status: 'error', failedDeadline: 'finalizing' } as const;
export const FEWER_WORKERS = fiveHosts('installed', 'error');
export const inStage = after(...COMMAND_SEQUENCES.finalizing, stage('Waiting for cluster operators'));
export const inOptionalStage = after(...COMMAND_SEQUENCES.finalizing, stage('Applying olm manifests'));
export const INSTALLATION_EXAMPLES: Readonly<Record<string, Example>> = {
  'hosts-failed': moves(installing, refresh(fiveHosts('error', 'installing')), 'error', ENTERED),
  'host-needs-user-action': moves(
    installing,
    refresh(fiveHosts('installing', 'installing-pending-user-action')),
    'installing-pending-user-action',
    ENTERED,
  ),
  'user-action-still-needed': stays(
    pendingUserAction,
    refresh(fiveHosts('installing', 'installing-pending-user-action')),
  ),
  'user-acted-while-installing': moves(pendingUserAction, refresh(fiveHosts('installing')), 'installing', ENTERED),
  'user-acted-while-finalizing': moves(pendingUserAction, refresh(fiveHosts('installed')), 'finalizing', ENTERED),
  'hosts-installed': moves(installing, refresh(fiveHosts('installed')), 'finalizing', ENTERED),
  'hosts-installing': stays(installing, refresh(fiveHosts('installing-in-progress'))),
  'hosts-progressed': stays(installing, PROGRESS, 'ClusterProgressed'),
  'hosts-progressed-outside-installation': stays(clusterIn('adding-hosts'), PROGRESS),
  'nothing-to-refresh': stays(installed, refresh(fiveHosts('error'))),

  complete: moves(almostInstalled, refresh(fiveHosts('installed')), 'installed', 'ClusterProgressed', ENTERED),
  'complete-degraded': moves(
    when(LVM, report('mce', 'available')).state,
    refresh(fiveHosts('installed')),
    'installed',
    'ClusterProgressed',
    ENTERED,
  ),
  'complete-with-fewer-workers': moves(
    almostInstalled,
    refresh(FEWER_WORKERS),
    'installed',
    'ClusterProgressed',
    ENTERED,
  ),
  'await-completion': stays(LVM, refresh(fiveHosts('installed'))),
  'await-user-action-with-too-few-hosts': stays(
    finalizing,
    refresh(fiveHosts('error', 'installing-pending-user-action')),
  ),
  'complete-late': moves(
    lateAndDone,
    refresh(fiveHosts('error', 'error', { hasReachedDone: true })),
    'installed',
    'ClusterProgressed',
    ENTERED,
  ),
  'complete-late-degraded': moves(
    { ...lateAndDegraded, operators: lateAndDegraded.operators.filter(({ name }) => name !== 'mce') },
    refresh(fiveHosts('installed')),
    'installed',
    'ClusterProgressed',
    ENTERED,
  ),
  'complete-late-with-fewer-workers': moves(
    lateAndDone,
    refresh(FEWER_WORKERS),
    'installed',
    'ClusterProgressed',
    ENTERED,
  ),
  'finalize-late': moves(lateHosts, refresh(fiveHosts('installed'), { at: at(1_500) }), 'finalizing', ENTERED),
  'await-late-hosts': stays(lateHosts, refresh(fiveHosts('installing'))),
  'await-late-user-action': stays(
    lateHosts,
    refresh(
      summarizeHosts([
        host('installed', 'master'),
        host('installed', 'master'),
        host('installed', 'master'),
        host('installing-pending-user-action', 'worker'),
      ]),
    ),
  ),
  'await-late-completion': stays(lateCluster, refresh(fiveHosts('installed'))),
  'failed-for-good': stays(error, refresh(fiveHosts('installed'))),
  'stage-reached': stays(finalizing, stage('Adding router ca'), 'FinalizingStageReached'),
  'stage-repeated': stays(inStage, stage('Waiting for cluster operators')),
  'stage-reached-late': stays(lateCluster, stage('Done'), 'FinalizingStageReached'),
  'stage-repeated-late': stays(
    after(...COMMAND_SEQUENCES.finalizing, stage('Done'), pass('finalizing', 60 + 300)),
    stage('Done'),
  ),
  'operator-reported': stays(finalizing, report('console', 'available'), 'OperatorStatusReported', 'ClusterProgressed'),
  'operator-report-repeated': stays(
    after(...COMMAND_SEQUENCES.finalizing, report('console', 'progressing')),
    report('console', 'progressing'),
  ),
  'kubeconfig-completed': stays(finalizing, KUBECONFIG, 'KubeconfigCompleted'),
  'kubeconfig-completed-again': stays(installed, KUBECONFIG),
  'kubeconfig-completed-late': stays(lateCluster, KUBECONFIG, 'KubeconfigCompleted'),
  'kubeconfig-completed-late-again': stays(lateAndDone, KUBECONFIG),

  'preparation-timed-out': moves(
    preparing,
    pass('preparation', 11),
    'ready',
    'ClusterDeadlinePassed',
    'InstallationPreparationFailed',
    ENTERED,
  ),
  'pending-user-action-timed-out': moves(
    pendingUserAction,
    pass('installation', 1 + DAY_MINUTES),
    'error',
    'ClusterDeadlinePassed',
    ENTERED,
  ),
  'installation-timed-out': moves(
    installing,
    pass('installation', 1 + DAY_MINUTES, true),
    'error',
    'ClusterDeadlinePassed',
    ENTERED,
  ),
  'finalizing-timed-out': moves(finalizing, pass('finalizing', 60 + 300), 'error', 'ClusterDeadlinePassed', ENTERED),
  'finalizing-stage-timed-out': moves(
    after(...COMMAND_SEQUENCES.finalizing, stage('Adding router ca')),
    pass('finalizing-stage', 65 + 70),
    'error',
    'ClusterDeadlinePassed',
    'FinalizingStageTimedOut',
    ENTERED,
  ),
  'finalizing-stage-overdue': stays(
    inOptionalStage,
    pass('finalizing-stage', 65 + 10),
    'ClusterDeadlinePassed',
    'FinalizingStageTimedOut',
    EXPLAINED,
  ),
  'logs-timed-out': stays(error, pass('log-request', 30 + 10), 'ClusterDeadlinePassed', 'ClusterLogsReported'),
  'retention-over': stays(clusterIn('deregistered'), pass('retention', 3 * DAY_MINUTES + 1), 'ClusterDeadlinePassed'),
  'stale-timer-in-deregistered': stays(clusterIn('deregistered'), pass('retention', 3 * DAY_MINUTES)),
  'stale-timer-in-preparing-for-installation': stays(preparing, pass('preparation', 10)),
  'stale-timer-in-installing': stays(installing, pass('installation', 2 * DAY_MINUTES)),
  'stale-timer-in-installing-pending-user-action': stays(pendingUserAction, pass('finalizing', 2 * DAY_MINUTES)),
  'stale-timer-in-finalizing': stays(finalizing, pass('finalizing-stage', 2 * DAY_MINUTES)),
  'stale-timer-in-error': stays(error, pass('log-collection', 2 * DAY_MINUTES)),
  'stale-timer-in-cancelled': stays(clusterIn('cancelled'), pass('log-request', 31)),
  'stale-timer': stays(installed, pass('finalizing', 2 * DAY_MINUTES)),

  'cancel-installation': moves(installing, CANCEL, 'cancelled', 'InstallationCancelled', ENTERED),
  'cancel-preparation': moves(preparing, CANCEL, 'ready', 'InstallationCancelled', ENTERED),
  reset: moves(error, RESET, 'insufficient', 'ClusterReset', ENTERED),
  'logs-reported': stays(error, logs('requested'), 'ClusterLogsReported'),
  'logs-repeated': stays(after(...COMMAND_SEQUENCES.error, logs('requested')), logs('requested')),
};
