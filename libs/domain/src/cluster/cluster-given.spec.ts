import type { ClusterEvent, ClusterSettings, MonitoredOperator, Plain } from '@muster/contracts';
import type { HostRole } from '../host/host-status';
import { type HostSummary, type SummarizedHost, summarizeHosts } from '../roles/host-summary';
import type { ClusterCommand, RefreshCluster, RegisterCluster } from './cluster-commands';
import { type ClusterDeciderSettings, DEFAULT_CLUSTER_DECIDER_SETTINGS, decideCluster } from './cluster-decider';
import { evolveCluster } from './cluster-evolve';
import { type ClusterState, initialClusterState } from './cluster-state';

/** Words that the specs of this folder share. */
export const START = '2026-01-01T00:00:00.000Z';
export const at = (minutes: number): string => new Date(Date.parse(START) + minutes * 60_000).toISOString();

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

/** Decide and fold; fails the test when the command is refused. */
export function when(
  state: ClusterState,
  command: ClusterCommand,
  settings: ClusterDeciderSettings = DEFAULT_CLUSTER_DECIDER_SETTINGS,
): Outcome {
  const decision = decideCluster(command, state, settings);
  if (decision.kind === 'refused') throw new Error(`${command.type} was refused: ${decision.refusal.reason}`);
  return { state: evolveAll(state, decision.events), events: decision.events };
}

/** The state after a row of commands, each accepted. */
export const after = (...commands: readonly ClusterCommand[]): ClusterState =>
  commands.reduce((state, command) => when(state, command).state, initialClusterState());

export function refusalOf(
  state: ClusterState,
  command: ClusterCommand,
): { code: string; subject?: string; reason: string; allowed?: readonly string[] } {
  const decision = decideCluster(command, state);
  if (decision.kind === 'accepted') throw new Error(`${command.type} was accepted: ${JSON.stringify(decision.events)}`);
  return decision.refusal;
}

export const host = (status: string, role: HostRole, more: Partial<SummarizedHost> = {}): SummarizedHost => ({
  status,
  role,
  suggestedRole: '',
  isBootstrap: false,
  hasFencingCredentials: false,
  hasArrived: false,
  ...more,
});

/** Three control plane hosts and two workers, all in one status or each in its own. */
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
  failingMessages: [],
  ...more,
});

export const refresh = (hosts: HostSummary, more: Partial<RefreshCluster> = {}): RefreshCluster => ({
  type: 'Refresh',
  conditions: undefined,
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

/** One way into each status, as a person and the hosts would take it. */
export const STORIES = {
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

export const clusterIn = (status: keyof typeof STORIES): ClusterState => after(...STORIES[status]);
