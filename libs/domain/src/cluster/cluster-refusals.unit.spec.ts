import type { ClusterCommand } from './cluster-commands';
import { clusterRowFor } from './cluster-decider';
import {
  at,
  clusterIn,
  fiveHosts,
  INSTALL,
  PREPARED,
  refresh,
  refusalOf,
  registration,
  START,
} from './cluster-given.spec';
import { CLUSTER_REFUSALS } from './cluster-refusals';
import type { ClusterState } from './cluster-state';

const COMMANDS: { readonly [Type in ClusterCommand['type']]: ClusterCommand } = {
  Register: registration(),
  Revise: { type: 'Revise', changes: { name: 'other' }, pullSecretReplaced: false, at: START },
  DeriveMachineNetworks: { type: 'DeriveMachineNetworks', cidrs: ['10.0.0.0/24'], at: START },
  Refresh: refresh(fiveHosts('known')),
  Install: INSTALL,
  FinishPreparation: PREPARED,
  UndoPreparation: { type: 'UndoPreparation', reason: 'a host registered again', at: START },
  CancelInstallation: { type: 'CancelInstallation', refusingHosts: [], at: START },
  Reset: { type: 'Reset', refusingHosts: [], at: START },
  AllowAddHosts: { type: 'AllowAddHosts', at: START },
  ReachFinalizingStage: { type: 'ReachFinalizingStage', stage: 'Done', at: START },
  ReportOperatorStatus: {
    type: 'ReportOperatorStatus',
    name: 'console',
    status: 'available',
    statusInfo: '',
    version: '',
    at: START,
  },
  CompleteKubeconfig: { type: 'CompleteKubeconfig', at: START },
  RecordProgress: { type: 'RecordProgress', stagesReached: 1, stagesTotal: 2, at: START },
  PassDeadline: { type: 'PassDeadline', deadline: 'preparation', softTimeouts: false, at: START },
  RecordLogs: { type: 'RecordLogs', report: { kind: 'state', logsState: 'requested' }, at: START },
  Deregister: { type: 'Deregister', at: START },
};

const STUBBORN = ['worker-1 (disconnected)', 'worker-2 (binding)'];
const LATE: ClusterState = { ...clusterIn('finalizing'), status: 'error', failedDeadline: 'finalizing' };

/** What differs from the command above, and the state where it is not simply one of the row's statuses. */
const SPECIAL: Readonly<Record<string, { readonly command?: Partial<ClusterCommand>; readonly given?: ClusterState }>> =
  {
    'ignored-validations-not-open': {
      command: { changes: { ignoredHostValidations: { items: ['all'] } } } as Partial<ClusterCommand>,
    },
    'install-host-not-known': { command: { hosts: fiveHosts('known', 'disconnected') } as Partial<ClusterCommand> },
    'install-without-bootstrap': { command: { bootstrapHostId: '' } as Partial<ClusterCommand> },
    'cancel-refused-by-host': { command: { refusingHosts: STUBBORN } as Partial<ClusterCommand> },
    'reset-refused-by-host': { command: { refusingHosts: STUBBORN } as Partial<ClusterCommand> },
    'add-hosts-other-kind': { given: { ...clusterIn('installed'), kind: 'AddHostsCluster' } },
    'stage-unknown': { command: { stage: 'Having lunch' } as Partial<ClusterCommand> },
    'stage-unknown-late': { command: { stage: 'Having lunch' } as Partial<ClusterCommand>, given: LATE },
    'operator-unknown': { command: { name: 'nobody' } as Partial<ClusterCommand> },
    'operator-status-unknown': {
      command: { status: 'tired' } as Partial<ClusterCommand>,
      given: clusterIn('finalizing'),
    },
    'logs-state-unknown': { command: { report: { kind: 'state', logsState: 'lost' } } as Partial<ClusterCommand> },
  };

describe('what a cluster refuses', () => {
  it.each(CLUSTER_REFUSALS.map((row) => [row.id, row] as const))('%s', (id, row) => {
    const { command: changes, given } = SPECIAL[id] ?? {};
    const command = { ...COMMANDS[row.on], ...changes } as ClusterCommand;
    for (const state of given ? [given] : row.from.map(clusterIn)) {
      expect(clusterRowFor(command, state).refusal?.id).toBe(id);
      const refusal = refusalOf(state, command);
      expect(refusal.code).toBe(row.code);
      expect(refusal.subject).toBe(row.subject);
      expect(refusal.reason).not.toMatch(/[{}]|undefined/);
      expect(refusal.reason).toMatch(/[.!?:]$|[.] /);
    }
  });

  it('names the status, what is missing and where it would work', () => {
    expect(refusalOf(clusterIn('insufficient'), INSTALL)).toEqual({
      code: 'not-allowed-in-state',
      subject: 'status',
      allowed: ['ready'],
      reason:
        'The cluster is insufficient instead of ready. The cluster cannot be installed yet: its hosts and settings are still to be checked.',
    });
  });

  it('names the hosts that stand in the way', () => {
    const command: ClusterCommand = { type: 'Reset', refusingHosts: STUBBORN, at: at(1) };
    expect(refusalOf(clusterIn('error'), command).reason).toContain('worker-1 (disconnected), worker-2 (binding)');
  });

  it('says that there is no cluster before it looks at the input', () => {
    const command: ClusterCommand = { type: 'Revise', changes: { name: '!' }, pullSecretReplaced: false, at: START };
    expect(refusalOf(clusterIn('deregistered'), command).code).toBe('not-found');
  });

  it('looks at the input before the status', () => {
    const command: ClusterCommand = { type: 'Revise', changes: { name: '!' }, pullSecretReplaced: false, at: START };
    expect(refusalOf(clusterIn('installing'), command)).toMatchObject({ code: 'invalid-input', subject: 'name' });
  });
});
