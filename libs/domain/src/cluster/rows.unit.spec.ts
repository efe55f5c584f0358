import { summarizeHosts } from '../roles/host-summary';
import {
  after,
  at,
  clusterIn,
  conditions,
  fiveHosts,
  host,
  INSTALL,
  operator,
  PREPARED,
  refresh,
  registration,
  rowFor,
  START,
  STORIES,
  when,
} from './cluster.fixture.spec';
import type { ClusterCommand } from './commands';
import { CLUSTER_TABLE } from './decider';
import type { ClusterState } from './state';

interface Example {
  readonly given: ClusterState;
  readonly when: ClusterCommand;
  /** Types of the facts, in order. */
  readonly then: readonly string[];
  readonly status: string;
}

const ENTERED = 'ClusterEnteredStatus';
const EXPLAINED = 'ClusterStatusExplained';
const stays = (given: ClusterState, command: ClusterCommand, ...then: string[]): Example => ({
  given,
  when: command,
  then,
  status: given.status,
});
const moves = (given: ClusterState, command: ClusterCommand, status: string, ...then: string[]): Example => ({
  given,
  when: command,
  then,
  status,
});

const revise = (changes: Extract<ClusterCommand, { type: 'Revise' }>['changes']): ClusterCommand => ({
  type: 'Revise',
  changes,
  pullSecretReplaced: false,
  at: START,
});
const networks = (...cidrs: string[]): ClusterCommand => ({ type: 'DeriveMachineNetworks', cidrs, at: START });
const finish = (attempt: number, kind: 'success' | 'failure'): ClusterCommand => ({
  type: 'FinishPreparation',
  attempt,
  outcome: kind === 'success' ? { kind, openshiftClusterId: 'ocp-1' } : { kind, reason: 'no release image' },
  at: at(2),
});
const UNDO: ClusterCommand = { type: 'UndoPreparation', reason: 'a host registered again', at: at(3) };
const stage = (name: string, minutes = 65): ClusterCommand => ({
  type: 'ReachFinalizingStage',
  stage: name,
  at: at(minutes),
});
const report = (name: string, status: string): ClusterCommand => ({
  type: 'ReportOperatorStatus',
  name,
  status,
  statusInfo: '',
  version: '1',
  at: at(66),
});
const KUBECONFIG: ClusterCommand = { type: 'CompleteKubeconfig', at: at(67) };
const PROGRESS: ClusterCommand = { type: 'RecordProgress', stagesReached: 10, stagesTotal: 40, at: at(10) };
const CANCEL: ClusterCommand = { type: 'CancelInstallation', refusingHosts: [], at: at(15) };
const RESET: ClusterCommand = { type: 'Reset', refusingHosts: [], at: at(15) };
const DEREGISTER: ClusterCommand = { type: 'Deregister', at: at(15) };
const OPEN: ClusterCommand = { type: 'AllowAddHosts', at: at(90) };
const logs = (logsState: string): ClusterCommand => ({
  type: 'RecordLogs',
  report: { kind: 'state', logsState },
  at: at(40),
});
const pass = (
  deadline: Extract<ClusterCommand, { type: 'PassDeadline' }>['deadline'],
  minutes: number,
  softTimeouts = false,
): ClusterCommand => ({ type: 'PassDeadline', deadline, softTimeouts, at: at(minutes) });

const insufficient = clusterIn('insufficient');
const ready = clusterIn('ready');
const preparing = clusterIn('preparing-for-installation');
const prepared = after(...STORIES['preparing-for-installation'], PREPARED);
const installing = clusterIn('installing');
const pendingPerson = clusterIn('installing-pending-user-action');
const finalizing = clusterIn('finalizing');
const installed = clusterIn('installed');
const error = clusterIn('error');
// VIPs from DHCP exist in versions before 4.15 only.
const DHCP = after(registration({ vipDhcpAllocation: true, openshiftVersion: '4.14.71' }));
const checked = (more: Parameters<typeof conditions>[0]): ClusterCommand =>
  refresh(fiveHosts('known'), { conditions: conditions(more) });

const SINGLE = after(
  registration({ controlPlaneCount: 1 }),
  refresh(fiveHosts('known'), { conditions: conditions() }),
  INSTALL,
  PREPARED,
);
const LVM = after(
  registration({}, { olmOperators: [operator('lvm', 'olm'), operator('mce', 'olm')] }),
  ...STORIES.finalizing.slice(1),
  KUBECONFIG,
  report('console', 'available'),
  report('lvm', 'failed'),
);
const almostInstalled = after(...STORIES.finalizing, KUBECONFIG, report('console', 'available'));
const DAY_MINUTES = 24 * 60;
// Ran out of time while hosts were installing, and while the cluster was settling.
const lateHosts = after(...STORIES['installing-pending-user-action'], pass('installation', 1 + DAY_MINUTES));
const lateCluster = after(...STORIES.finalizing, pass('finalizing', 60 + 300));
const lateAndDone = after(
  ...STORIES.finalizing,
  pass('finalizing', 60 + 300),
  KUBECONFIG,
  report('console', 'available'),
);
const lateAndDegraded = { ...LVM, status: 'error', failedDeadline: 'finalizing' } as const;
const FEWER_WORKERS = fiveHosts('installed', 'error');
const inStage = after(...STORIES.finalizing, stage('Waiting for cluster operators'));
const inOptionalStage = after(...STORIES.finalizing, stage('Applying olm manifests'));

const EXAMPLES: Readonly<Record<string, Example>> = {
  'register-cluster': moves(clusterIn('unregistered'), registration(), 'insufficient', 'ClusterRegistered'),
  'register-day-2-cluster': moves(
    clusterIn('unregistered'),
    registration({}, { kind: 'AddHostsCluster' }),
    'adding-hosts',
    'ClusterRegistered',
  ),
  'register-disconnected-cluster': moves(
    clusterIn('unregistered'),
    registration({}, { kind: 'DisconnectedCluster' }),
    'unmonitored',
    'ClusterRegistered',
  ),
  'revise-nothing': stays(installing, revise({ name: 'prod' })),
  'revise-any-time': stays(installing, revise({ uiSettings: '{}' }), 'ClusterSettingsRevised'),
  'revise-settings': stays(ready, revise({ name: 'other' }), 'ClusterSettingsRevised'),
  'derive-machine-networks': stays(insufficient, networks('10.0.0.0/24'), 'MachineNetworksDerived'),
  'derive-same-machine-networks': stays(after(registration(), networks('10.0.0.0/24')), networks('10.0.0.0/24')),
  'allow-add-hosts': moves(installed, OPEN, 'adding-hosts', 'ClusterOpenedForHosts', ENTERED),
  deregister: moves(ready, DEREGISTER, 'deregistered', 'ClusterDeregistered'),

  'await-first-validation': stays(insufficient, refresh(fiveHosts('known'))),
  'inputs-missing': moves(ready, checked({ pendingInputsGiven: false }), 'pending-for-input', ENTERED),
  'vips-missing': moves(insufficient, checked({ vipsDefined: false }), 'pending-for-input', ENTERED),
  'vips-not-leased': stays(DHCP, checked({ vipsDefined: false, failingIds: ['api-vips-defined'] }), EXPLAINED),
  'requirements-failing': moves(ready, checked({ requiredPassed: false }), 'insufficient', ENTERED),
  'become-ready': moves(insufficient, checked({}), 'ready', ENTERED),

  'start-preparation': moves(ready, INSTALL, 'preparing-for-installation', 'InstallationPreparationStarted', ENTERED),
  'artifacts-prepared': stays(preparing, finish(1, 'success'), 'InstallationPrepared'),
  'artifacts-failed': stays(preparing, finish(1, 'failure'), 'InstallationPreparationFailed'),
  'artifacts-outcome-repeated': stays(prepared, finish(1, 'failure')),
  'artifacts-of-another-attempt': stays(preparing, finish(7, 'success')),
  'artifacts-too-late': stays(installing, finish(1, 'success')),
  'host-undid-preparation': stays(prepared, UNDO, 'InstallationPreparationUndone'),
  'nothing-prepared-to-undo': stays(preparing, UNDO),
  'preparation-over-to-undo': stays(installing, UNDO),
  'start-installing': moves(
    prepared,
    refresh(fiveHosts('preparing-successful')),
    'installing',
    'ClusterProgressed',
    ENTERED,
  ),
  'start-installing-after-undo': moves(
    after(...STORIES['preparing-for-installation'], PREPARED, UNDO),
    refresh(fiveHosts('preparing-successful')),
    'installing',
    'InstallationPrepared',
    'ClusterProgressed',
    ENTERED,
  ),
  'await-single-node-address': stays(SINGLE, refresh(fiveHosts('preparing-successful')), EXPLAINED),
  'host-stopped-preparing': moves(
    prepared,
    refresh(fiveHosts('preparing-successful', 'disconnected')),
    'insufficient',
    ENTERED,
  ),
  'host-failed-to-prepare': moves(
    prepared,
    refresh(fiveHosts('preparing-successful', 'preparing-failed')),
    'ready',
    ENTERED,
  ),
  'artifacts-failed-to-prepare': moves(
    after(...STORIES['preparing-for-installation'], finish(1, 'failure')),
    refresh(fiveHosts('preparing-for-installation')),
    'ready',
    ENTERED,
  ),
  'await-artifacts': stays(preparing, refresh(fiveHosts('preparing-successful'))),
  'await-hosts-preparing': stays(prepared, refresh(fiveHosts('preparing-successful', 'known'))),

  'hosts-failed': moves(installing, refresh(fiveHosts('error', 'installing')), 'error', ENTERED),
  'host-needs-person': moves(
    installing,
    refresh(fiveHosts('installing', 'installing-pending-user-action')),
    'installing-pending-user-action',
    ENTERED,
  ),
  'person-still-needed': stays(pendingPerson, refresh(fiveHosts('installing', 'installing-pending-user-action'))),
  'person-acted-while-installing': moves(pendingPerson, refresh(fiveHosts('installing')), 'installing', ENTERED),
  'person-acted-while-finalizing': moves(pendingPerson, refresh(fiveHosts('installed')), 'finalizing', ENTERED),
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
  'await-person-with-too-few-hosts': stays(finalizing, refresh(fiveHosts('error', 'installing-pending-user-action'))),
  'complete-late': moves(
    lateAndDone,
    refresh(fiveHosts('error', 'error', { hasArrived: true })),
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
  'await-late-person': stays(
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
    after(...STORIES.finalizing, stage('Done'), pass('finalizing', 60 + 300)),
    stage('Done'),
  ),
  'operator-reported': stays(finalizing, report('console', 'available'), 'OperatorStatusReported', 'ClusterProgressed'),
  'operator-report-repeated': stays(
    after(...STORIES.finalizing, report('console', 'progressing')),
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
  'pending-person-timed-out': moves(
    pendingPerson,
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
    after(...STORIES.finalizing, stage('Adding router ca')),
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
  'stale-timer-in-installing-pending-user-action': stays(pendingPerson, pass('finalizing', 2 * DAY_MINUTES)),
  'stale-timer-in-finalizing': stays(finalizing, pass('finalizing-stage', 2 * DAY_MINUTES)),
  'stale-timer-in-error': stays(error, pass('log-collection', 2 * DAY_MINUTES)),
  'stale-timer-in-cancelled': stays(clusterIn('cancelled'), pass('log-request', 31)),
  'stale-timer': stays(installed, pass('finalizing', 2 * DAY_MINUTES)),

  'cancel-installation': moves(installing, CANCEL, 'cancelled', 'InstallationCancelled', ENTERED),
  'cancel-preparation': moves(preparing, CANCEL, 'ready', 'InstallationCancelled', ENTERED),
  reset: moves(error, RESET, 'insufficient', 'ClusterReset', ENTERED),
  'logs-reported': stays(error, logs('requested'), 'ClusterLogsReported'),
  'logs-repeated': stays(after(...STORIES.error, logs('requested')), logs('requested')),
};

describe('each row of the cluster’s table', () => {
  it('has an example', () => {
    expect(Object.keys(EXAMPLES).sort()).toEqual(
      CLUSTER_TABLE.rows
        .filter(({ refuse }) => !refuse)
        .map(({ id }) => id)
        .sort(),
    );
  });

  it.each(Object.entries(EXAMPLES))('%s', (id, example) => {
    expect(rowFor(example.when, example.given)?.id).toBe(id);
    const { state, events } = when(example.given, example.when);
    expect(events.map(({ type }) => type)).toEqual(example.then);
    expect(state.status).toBe(example.status);
  });
});
