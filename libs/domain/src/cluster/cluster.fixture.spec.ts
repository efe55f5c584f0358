import type { ClusterEvent, ClusterSettings, MonitoredOperator, Plain } from '@muster/contracts';
import type { Refusal } from '@muster/decision';
import { afterCommands, givenState } from '@muster/testing';
import type { HostRole } from '../host/state';
import { type HostSummary, type SummarizedHost, summarizeHosts } from '../roles/host-summary';
import type { ClusterCommand, RefreshCluster, RegisterCluster, ReviseCluster } from './commands';
import {
  CLUSTER_TABLE,
  clusterDecider,
  type ClusterDeciderSettings,
  createClusterDecider,
  DEFAULT_CLUSTER_DECIDER_SETTINGS,
} from './decider';
import { evolveCluster } from './evolve';
import type { AnyClusterRow } from './guards';
import type { ClusterState } from './state';

/** Fixtures that the specs of this folder share. */
export const START = '2026-01-01T00:00:00.000Z';
export const at = (minutes: number): string => new Date(Date.parse(START) + minutes * 60_000).toISOString();

export const revise = (changes: Plain<ClusterSettings>, more: Partial<ReviseCluster> = {}): ReviseCluster => ({
  type: 'Revise',
  changes,
  pullSecretReplaced: false,
  at: START,
  ...more,
});

export const operator = (
  name: string,
  operatorType: string,
  status = '',
  timeoutSeconds = 3_600,
): Plain<MonitoredOperator> => ({
  name,
  operatorType,
  version: '',
  status,
  statusInfo: '',
  timeoutSeconds,
  namespace: '',
  subscriptionName: '',
  bundles: [],
  sourceBundles: [],
});

export const registration = (
  settings: Plain<ClusterSettings> = {},
  more: Partial<RegisterCluster> = {},
): RegisterCluster => ({
  type: 'Register',
  clusterId: 'c1',
  kind: 'Cluster',
  settings: { name: 'prod', openshiftVersion: '4.18.3', baseDnsDomain: 'example.com', ...settings },
  owner: { userName: 'admin', orgId: 'org', emailDomain: 'example.com' },
  pullSecretSet: true,
  olmOperators: [],
  openshiftClusterId: '',
  imported: false,
  at: START,
  ...more,
});

export const evolveAll = (state: ClusterState, events: readonly ClusterEvent[]): ClusterState =>
  events.reduce(evolveCluster, state);

export interface Outcome {
  readonly state: ClusterState;
  readonly events: readonly ClusterEvent[];
}

/**
 * Returns the events of the command and the state after them.
 * @throws Error when the command is refused
 */
export function when(
  state: ClusterState,
  command: ClusterCommand,
  settings: ClusterDeciderSettings = DEFAULT_CLUSTER_DECIDER_SETTINGS,
): Outcome {
  const decided = givenState(createClusterDecider(settings), state).when(command);
  return { events: decided.events(), state: decided.state };
}

/** Returns the state after these commands. @throws Error when one of them is refused */
export const after = (...commands: readonly ClusterCommand[]): ClusterState => afterCommands(clusterDecider, commands);

/**
 * Returns the refusal of the command.
 * @throws Error when the command is accepted
 */
export const refusalOf = (state: ClusterState, command: ClusterCommand): Refusal =>
  givenState(clusterDecider, state).when(command).refusal();

/** Returns the row that applies. */
export const rowFor = (
  command: ClusterCommand,
  state: ClusterState,
  settings: ClusterDeciderSettings = DEFAULT_CLUSTER_DECIDER_SETTINGS,
): AnyClusterRow | undefined => CLUSTER_TABLE.rowFor({ command, state, settings });

export const host = (status: string, role: HostRole, more: Partial<SummarizedHost> = {}): SummarizedHost => ({
  status,
  role,
  suggestedRole: '',
  isBootstrap: false,
  hasFencingCredentials: false,
  hasReachedDone: false,
  ...more,
});

/** Returns the summary of three control plane hosts and two workers. */
export const fiveHosts = (
  masters: string,
  workers: string = masters,
  more: Partial<SummarizedHost> = {},
): HostSummary =>
  summarizeHosts([
    host(masters, 'master', { isBootstrap: true, ...more }),
    host(masters, 'master', more),
    host(masters, 'master', more),
    host(workers, 'worker', more),
    host(workers, 'worker', more),
  ]);

export const conditions = (
  more: Partial<NonNullable<RefreshCluster['conditions']>> = {},
): NonNullable<RefreshCluster['conditions']> => ({
  pendingInputsGiven: true,
  vipsDefined: true,
  requiredPassed: true,
  failingIds: [],
  pendingIds: [],
  ...more,
});

export const refresh = (hosts: HostSummary, more: Partial<RefreshCluster> = {}): RefreshCluster => ({
  type: 'Refresh',
  conditions: undefined,
  evaluatedRevision: Infinity,
  hosts,
  singleNodeAddress: '',
  at: START,
  ...more,
});

export const INSTALL: ClusterCommand = {
  type: 'Install',
  hosts: fiveHosts('known'),
  bootstrapHostId: 'h1',
  at: at(1),
};
export const PREPARED: ClusterCommand = {
  type: 'FinishPreparation',
  attempt: 1,
  outcome: { kind: 'success', openshiftClusterId: 'ocp-1' },
  at: at(2),
};

const READY = [registration(), refresh(fiveHosts('known'), { conditions: conditions() })];
const PREPARING = [...READY, INSTALL];
const INSTALLING = [...PREPARING, PREPARED, refresh(fiveHosts('preparing-successful'), { at: at(5) })];
const FINALIZING = [...INSTALLING, refresh(fiveHosts('installed'), { at: at(60) })];
const KUBECONFIG: ClusterCommand = { type: 'CompleteKubeconfig', at: at(70) };
const CONSOLE: ClusterCommand = {
  type: 'ReportOperatorStatus',
  name: 'console',
  status: 'available',
  statusInfo: '',
  version: '4.18.3',
  at: at(71),
};

/** For each status, a sequence of commands that leads to it. */
export const COMMAND_SEQUENCES = {
  unregistered: [],
  insufficient: [registration()],
  'pending-for-input': [
    registration(),
    refresh(fiveHosts('known'), { conditions: conditions({ vipsDefined: false }) }),
  ],
  ready: READY,
  'preparing-for-installation': PREPARING,
  installing: INSTALLING,
  'installing-pending-user-action': [
    ...INSTALLING,
    refresh(fiveHosts('installing', 'installing-pending-user-action'), { at: at(20) }),
  ],
  finalizing: FINALIZING,
  installed: [...FINALIZING, KUBECONFIG, CONSOLE, refresh(fiveHosts('installed'), { at: at(80) })],
  error: [...INSTALLING, refresh(fiveHosts('error'), { at: at(30) })],
  cancelled: [...INSTALLING, { type: 'CancelInstallation', refusingHosts: [], at: at(30) }],
  'adding-hosts': [registration({ apiVipDnsName: 'api.old.example.org' }, { kind: 'AddHostsCluster', imported: true })],
  unmonitored: [registration({}, { kind: 'DisconnectedCluster' })],
  deregistered: [registration(), { type: 'Deregister', at: at(1) }],
} as const satisfies Record<string, readonly ClusterCommand[]>;

export const clusterIn = (status: keyof typeof COMMAND_SEQUENCES): ClusterState => after(...COMMAND_SEQUENCES[status]);

/** One command of each type with valid input. */
export const COMMANDS: { readonly [Type in ClusterCommand['type']]: ClusterCommand } = {
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
  AcceptVipLeases: {
    type: 'AcceptVipLeases',
    apiVip: '192.168.1.100',
    ingressVip: '192.168.1.101',
    apiVipLease: 'lease {}',
    ingressVipLease: 'lease {}',
    at: START,
  },
  CompleteKubeconfig: { type: 'CompleteKubeconfig', at: START },
  RecordProgress: { type: 'RecordProgress', stagesReached: 1, stagesTotal: 2, at: START },
  PassDeadline: { type: 'PassDeadline', deadline: 'preparation', softTimeouts: false, at: START },
  RecordLogs: { type: 'RecordLogs', report: { kind: 'state', logsState: 'requested' }, at: START },
  Deregister: { type: 'Deregister', at: START },
};
