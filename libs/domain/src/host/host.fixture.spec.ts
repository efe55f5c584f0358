import type { HostEvent, MachineIdentity, Plain } from '@muster/contracts';
import type { Refusal } from '@muster/decision';
import { givenEvents } from '@muster/testing';
import type { HostCommand, HostCommandOf, HostCommandType, HostsCluster, HostSurroundings } from './commands';
import { DEFAULT_HOST_TIMEOUTS } from './deadlines';
import { HOST_TABLE, hostDecider } from './decider';
import { evolveHost } from './evolve';
import { hostReason, renderHostStatus } from './messages';
import { type FailureCause, type HostState, type HostStatus, initialHost } from './state';

// Fixtures for the specs of the host.

export const START = '2026-01-01T00:00:00.000Z';
export const CLUSTER = '7d1d8f5e-2f4c-4d6e-9c55-0d7c1c7d0001';
export const INFRA_ENV = '7d1d8f5e-2f4c-4d6e-9c55-0d7c1c7d0002';
export const HOST = '7d1d8f5e-2f4c-4d6e-9c55-0d7c1c7d0003';
export const OWNER = { userName: 'ada', orgId: 'acme', emailDomain: 'acme.example' };

/** Returns the time this many minutes after the start of every history. */
export const minute = (minutes: number): string => new Date(Date.parse(START) + minutes * 60_000).toISOString();

export const machine = (mac: string, more: Partial<Plain<MachineIdentity>> = {}): Plain<MachineIdentity> => ({
  macAddresses: [mac],
  serialNumber: 'S1',
  bootId: '',
  sourceAddress: '192.0.2.7',
  ...more,
});
export const KNOWN_MACHINE = machine('52:54:00:00:00:01');
export const OTHER_MACHINE = machine('52:54:00:00:00:99', { sourceAddress: '192.0.2.8' });

type Conditions = NonNullable<HostSurroundings['conditions']>;

export const GOOD: Conditions = {
  connected: true,
  mediaConnected: true,
  inventory: 'usable',
  minHardware: true,
  machineCidrDefined: true,
  vsphereDiskUuid: true,
  sufficientForInstall: true,
  diskSpeed: 'ok',
  images: 'ok',
  failingIds: ['rule-a', 'rule-b'],
  hardwareIds: ['cores'],
  inputIds: ['machine-network'],
  preparationIds: ['image-x'],
  pendingIds: [],
};

const COMMANDS: { readonly [Type in HostCommandType]: Omit<HostCommandOf<Type>, 'at' | 'type'> } = {
  Register: {
    infraEnvId: INFRA_ENV,
    hostId: HOST,
    clusterId: CLUSTER,
    kind: 'Host',
    role: 'auto-assign',
    bootstrap: false,
    machineConfigPoolName: '',
    owner: OWNER,
    agentVersion: 'agent:1',
    clusterAcceptsHosts: true,
  },
  Refresh: { conditions: GOOD, evaluatedRevision: Infinity, cluster: undefined, softTimeouts: false },
  PassDeadline: {
    conditions: GOOD,
    evaluatedRevision: Infinity,
    cluster: undefined,
    softTimeouts: false,
    deadline: 'stage',
  },
  ReportProgress: { stage: 'Installing', info: '', controlPlaneCount: 3, isKubeApi: false },
  ReportInstallFailure: { reason: 'installer exited with 1' },
  CancelInstallation: { reason: 'cancelled by ada' },
  InstallHost: {},
  RequireReset: { reason: 'reset by ada', scope: 'cluster' },
  Bind: { clusterId: CLUSTER },
  Unbind: { byUser: false },
  Reclaim: {},
  RebootForReclaim: {},
  FailReclaim: { reason: '' },
  LoseMedia: { duringStep: 'inventory' },
  RegainMedia: {},
  FallSilent: { lastSeenAt: START },
  Return: {},
  ReportAgentVersion: { agentVersion: 'agent:2' },
  AssignRole: { role: 'master' },
  SuggestRole: { role: 'worker' },
  Rename: { hostname: 'node-1' },
  ChooseInstallationDisk: { diskId: '/dev/disk/by-id/wwn-1', diskPath: '/dev/sda', byUser: true },
  ReviseSettings: { changes: { installerArgs: '["--append-karg"]' } },
  ChooseBootstrap: {},
  ClaimIdentity: { machine: KNOWN_MACHINE },
  RecordLogs: { logsState: 'requested' },
  Deregister: {},
};

/** Returns a command of the type with valid arguments, changed by `more`. */
export function command<Type extends HostCommandType>(
  type: Type,
  given: Partial<Omit<HostCommandOf<Type>, 'type'>> = {},
): HostCommand {
  return { type, at: minute(1), ...COMMANDS[type], ...given } as unknown as HostCommand;
}

export const cluster = (status: string, isInstallationQuorumMet = false): HostsCluster => ({
  status,
  isInstallationQuorumMet,
});

/** Returns a Refresh for a host that passes all validations, with the given changes. */
export const refresh = (
  deviations: Partial<Conditions> = {},
  of: HostsCluster | undefined = undefined,
  more: Partial<HostCommandOf<'Refresh'>> = {},
): HostCommand => command('Refresh', { conditions: { ...GOOD, ...deviations }, cluster: of, ...more });

export const registered = (more: Partial<Extract<HostEvent, { type: 'HostRegistered' }>['data']> = {}): HostEvent => ({
  type: 'HostRegistered',
  data: {
    hostId: HOST,
    infraEnvId: INFRA_ENV,
    clusterId: CLUSTER,
    kind: 'Host',
    role: 'master',
    bootstrap: false,
    discoveryAgentVersion: 'agent:1',
    machineConfigPoolName: '',
    owner: OWNER,
    at: START,
    ...more,
  },
});

export const entered = (status: HostStatus, cause: FailureCause | '' = '', at = START): HostEvent => ({
  type: 'HostEnteredStatus',
  data: {
    status,
    from: 'known',
    statusReason: hostReason('install-step-failed', { parameters: { reason: `was ${status}` } }),
    transition: 'given',
    at,
    cause,
  },
});

export const progressed = (stage: string, at = START, progressInfo = ''): HostEvent => ({
  type: 'HostProgressed',
  data: { stage, progressInfo, installationPercentage: 10, stageChanged: true, at, singleNode: false },
});

export const fellSilent: HostEvent = { type: 'HostFellSilent', data: { lastSeenAt: START } };

/** Returns the history of a day-1 host in the status. */
export const day1 = (status: HostStatus, cause: FailureCause | '' = ''): readonly HostEvent[] => [
  registered(),
  entered(status, cause),
];
export const day2 = (status: HostStatus, cause: FailureCause | '' = ''): readonly HostEvent[] => [
  registered({ kind: 'AddToExistingClusterHost', role: 'worker', machineConfigPoolName: 'worker' }),
  entered(status, cause),
];
export const unbound = (status: HostStatus): readonly HostEvent[] => [
  registered({ clusterId: '', role: 'auto-assign' }),
  entered(status),
];
const UNBOUND_STATUSES: readonly string[] = [
  'unbinding',
  'unbinding-pending-user-action',
  'reclaiming',
  'reclaiming-rebooting',
];
/** Returns the most frequent history of a host in the status. */
export const given = (status: HostStatus): readonly HostEvent[] =>
  status.endsWith('-unbound') || UNBOUND_STATUSES.includes(status) ? unbound(status) : day1(status);

export const stateAfter = (history: readonly HostEvent[]): HostState => history.reduce(evolveHost, initialHost());

/** The messages of the validations in `GOOD`. */
const MESSAGES: ReadonlyMap<string, string> = new Map([
  ['rule-a', 'rule A fails'],
  ['rule-b', 'rule B fails'],
  ['cores', 'too few cores'],
  ['machine-network', 'no machine network'],
  ['image-x', 'image X is not available'],
]);

/** Returns the `status_info` of a host. */
export const infoOf = ({ statusReason, conflict }: HostState): string =>
  renderHostStatus(statusReason, (id) => MESSAGES.get(id), conflict);

export interface Result {
  /** Id of the row that applied. */
  readonly row: string | undefined;
  readonly events: readonly HostEvent[];
  readonly types: readonly string[];
  readonly refusal: Refusal['code'] | undefined;
  readonly allowed: readonly string[] | undefined;
  readonly state: HostState;
}

/** Returns the result of a command after these events. */
export function when(history: readonly HostEvent[], what: HostCommand): Result {
  const row = HOST_TABLE.rowFor({ command: what, state: stateAfter(history), settings: DEFAULT_HOST_TIMEOUTS })?.id;
  const { decision, state } = givenEvents(hostDecider, history).when(what);
  const events = decision.kind === 'accepted' ? decision.events : [];
  const refusal = decision.kind === 'refused' ? decision.refusal : undefined;
  return {
    row,
    events,
    types: events.map(({ type }) => type),
    refusal: refusal?.code,
    allowed: refusal?.allowed,
    state,
  };
}
