import type { EventData, HostEvent } from '@muster/contracts';
import { unknownEvent } from '@muster/decision';
import { clusterOfHostAfter } from '../membership';
import { NO_REASON } from '../status-reason';
import { type HostStage, isHostStage } from './stages';
import {
  FAILURE_CAUSES,
  type FailureCause,
  HOST_DEADLINES,
  HOST_KINDS,
  HOST_ROLES,
  HOST_STATUSES,
  type HostDeadline,
  type HostKind,
  type HostLogs,
  type HostProgress,
  type HostRole,
  type HostSource,
  type HostState,
  initialHost,
  mayBeBootstrap,
  NO_DISK,
  NO_LOGS,
  NO_PROGRESS,
} from './state';

// Stored values are strings. These maps convert them to the closed sets from which they were written.
const STATUS_BY_NAME: ReadonlyMap<string, HostSource> = new Map(HOST_STATUSES.map((name) => [name, name]));
const CAUSE_BY_NAME: ReadonlyMap<string, FailureCause> = new Map(FAILURE_CAUSES.map((name) => [name, name]));
const toKind = (kind: string): HostKind => HOST_KINDS.find((known) => known === kind) ?? 'Host';
const toRole = (role: string): HostRole => HOST_ROLES.find((known) => known === role) ?? 'auto-assign';
const toStage = (stage: string): HostStage | '' => (isHostStage(stage) ? stage : '');

/** Events that change what validations read of a host. */
const INPUTS: ReadonlySet<string> = new Set<HostEvent['type']>([
  'HostRegistered',
  'HostReregistered',
  'HostDeregistered',
  'HostBound',
  'HostUnbound',
  'HostFellSilent',
  'HostReturned',
  'HostAgentReplaced',
  'HostMediaDisconnected',
  'HostMediaReconnected',
  'HostRoleAssigned',
  'HostRoleSuggested',
  'HostBootstrapChosen',
  'HostRenamed',
  'InstallationDiskChosen',
  'HostSettingsRevised',
  'HostProgressed',
]);

/** Returns the state after one more event. An event without an effect on the state returns it unchanged. */
export function evolveHost(state: HostState, event: HostEvent): HostState {
  const after = withEvent(state, event);
  return INPUTS.has(event.type) ? { ...after, inputsRevision: state.inputsRevision + 1 } : after;
}

function withEvent(state: HostState, event: HostEvent): HostState {
  switch (event.type) {
    case 'HostRegistered':
      return { ...registered(event.data), ...placeAfter(state, event) };
    case 'HostReregistered':
      return { ...reregistered(state, event.data), ...placeAfter(state, event) };
    case 'HostEnteredStatus':
      return enteredStatus(state, event.data);
    case 'HostStatusExplained':
      return { ...state, statusReason: event.data.statusReason ?? NO_REASON };
    case 'HostFellSilent':
      return { ...state, isSilent: true, lastSeenAt: event.data.lastSeenAt };
    case 'HostAgentReplaced':
      return { ...state, agentVersion: event.data.discoveryAgentVersion };
    case 'HostReturned':
      return { ...state, isSilent: false };
    case 'HostMediaDisconnected':
      return { ...state, isMediaConnected: false };
    case 'HostMediaReconnected':
      return { ...state, isMediaConnected: true };
    case 'HostRoleAssigned':
      return roleAssigned(state, event.data);
    case 'HostRoleSuggested':
      return { ...state, suggestedRole: event.data.role };
    case 'HostRenamed':
      return { ...state, requestedHostname: event.data.requestedHostname };
    case 'InstallationDiskChosen': {
      const { diskId: id, diskPath: path, byUser: isChosenByPerson } = event.data;
      return { ...state, installationDisk: { id, path, isChosenByPerson } };
    }
    case 'HostSettingsRevised':
      return settingsRevised(state, event.data);
    case 'HostBootstrapChosen':
      return { ...state, isBootstrap: true };
    case 'HostProgressed':
      return { ...state, progress: progressed(state.progress, event.data), passedDeadlines: withoutStage(state) };
    case 'HostStageTimedOut':
      return { ...state, progress: { ...state.progress, isOverdue: true } };
    case 'HostStageClockPaused':
      return { ...state, progress: { ...state.progress, isClockPaused: true }, passedDeadlines: withoutStage(state) };
    case 'HostStageClockResumed': {
      const progress = { ...state.progress, isClockPaused: false, stageUpdatedAt: event.data.at };
      return { ...state, progress, passedDeadlines: withoutStage(state) };
    }
    case 'HostConnectionTimedOut':
      return { ...state, isSilenceNoted: true };
    case 'HostConnectionRecovered':
      return { ...state, isSilenceNoted: false };
    case 'HostImageCheckVoided':
      return { ...state, isImageCheckVoid: true };
    case 'HostImageCheckRenewed':
      return { ...state, isImageCheckVoid: false };
    case 'HostDeadlinePassed':
      return deadlinePassed(state, event.data.deadline);
    case 'HostBound':
      return {
        ...state,
        progress: NO_PROGRESS,
        isBootstrap: false,
        ...placeAfter(state, event),
      };
    case 'HostUnbound':
      return { ...unbound(state), ...placeAfter(state, event) };
    case 'HostIdentityClaimed':
      return { ...state, machine: event.data.machine, machineClaimedAt: event.data.at };
    case 'HostIdentityConflictDetected': {
      const { known, claimant, at: detectedAt } = event.data;
      return known && claimant ? { ...state, conflict: { known, claimant, detectedAt } } : state;
    }
    case 'HostIdentityConflictResolved':
      return { ...state, conflict: undefined };
    case 'HostLogsReported':
      return logsReported(state, event.data);
    case 'HostLogsCollected':
      return { ...state, logs: { ...state.logs, collectedAt: event.data.at } };
    case 'HostDeregistered':
      return { ...initialHost(), generation: state.generation, deregisteredAt: event.data.at };
    case 'HostInstallationFailed':
    case 'HostInstallerChosen':
    case 'HostReset':
      return state;
    default:
      return unknownEvent(state, event);
  }
}

const placeAfter = (
  { clusterId, generation }: HostState,
  event: HostEvent,
): Pick<HostState, 'clusterId' | 'generation'> => ({
  clusterId: clusterOfHostAfter(clusterId, event),
  generation: hostGenerationAfter(generation, event),
});

function registered(data: EventData<'HostRegistered'>): HostState {
  const initial = initialHost();
  return {
    ...initial,
    infraEnvId: data.infraEnvId,
    hostId: data.hostId,
    kind: toKind(data.kind),
    role: toRole(data.role),
    isBootstrap: data.bootstrap,
    agentVersion: data.discoveryAgentVersion,
    machineConfigPoolName: data.machineConfigPoolName,
    owner: data.owner ?? initial.owner,
    registeredAt: data.at,
  };
}

function reregistered(state: HostState, data: EventData<'HostReregistered'>): HostState {
  return {
    ...state,
    kind: toKind(data.kind),
    agentVersion: data.discoveryAgentVersion,
    registeredAt: data.at,
    isBootstrap: data.inventoryKept && state.isBootstrap,
    progress: NO_PROGRESS,
    logs: NO_LOGS,
    isSilent: false,
    isSilenceNoted: false,
    isImageCheckVoid: false,
    passedDeadlines: [],
  };
}

function enteredStatus(state: HostState, data: EventData<'HostEnteredStatus'>): HostState {
  return {
    ...state,
    status: STATUS_BY_NAME.get(data.status) ?? state.status,
    statusReason: data.statusReason ?? NO_REASON,
    statusSince: data.at,
    failedBy: CAUSE_BY_NAME.get(data.cause) ?? '',
    passedDeadlines: state.passedDeadlines.length === 0 ? state.passedDeadlines : [],
    isImageCheckVoid: data.status === 'preparing-for-installation' && state.isImageCheckVoid,
  };
}

function roleAssigned(state: HostState, data: EventData<'HostRoleAssigned'>): HostState {
  const { role, machineConfigPoolName } = data;
  return {
    ...state,
    role: toRole(role),
    machineConfigPoolName,
    isBootstrap: state.isBootstrap && mayBeBootstrap(role),
  };
}

function settingsRevised(state: HostState, data: EventData<'HostSettingsRevised'>): HostState {
  const { changes } = data;
  if (!changes) return state;
  const pool = changes.machineConfigPoolName;
  const settings = { ...state.settings, ...changes };
  if (pool === undefined) return { ...state, settings };
  return { ...state, settings, machineConfigPoolName: pool, isPoolNameChosen: pool !== '' };
}

function progressed(before: HostProgress, data: EventData<'HostProgressed'>): HostProgress {
  return {
    stage: toStage(data.stage),
    info: data.progressInfo,
    percentage: data.installationPercentage,
    stageStartedAt: data.stageChanged ? data.at : before.stageStartedAt,
    stageUpdatedAt: data.at,
    isSingleNode: data.singleNode,
    isOverdue: !data.stageChanged && before.isOverdue,
    isClockPaused: !data.stageChanged && before.isClockPaused,
  };
}

function withoutStage({ passedDeadlines }: HostState): readonly HostDeadline[] {
  return passedDeadlines.includes('stage') ? passedDeadlines.filter((name) => name !== 'stage') : passedDeadlines;
}

function deadlinePassed(state: HostState, deadline: string): HostState {
  const name = HOST_DEADLINES.find((known) => known === deadline);
  if (!name || state.passedDeadlines.includes(name)) return state;
  return { ...state, passedDeadlines: [...state.passedDeadlines, name] };
}

/** Values that belong to the cluster are cleared. Name, labels and arguments, which the user set, are kept. */
function unbound(state: HostState): HostState {
  return {
    ...state,
    kind: 'Host',
    role: 'auto-assign',
    suggestedRole: '',
    isBootstrap: false,
    installationDisk: NO_DISK,
    machineConfigPoolName: '',
    isPoolNameChosen: false,
    progress: NO_PROGRESS,
    logs: NO_LOGS,
    isSilenceNoted: false,
  };
}

function logsReported(state: HostState, { logsState, at }: EventData<'HostLogsReported'>): HostState {
  const { logs } = state;
  const next: HostLogs =
    logsState === ''
      ? NO_LOGS
      : { ...logs, state: logsState, startedAt: logsState === 'requested' ? at : logs.startedAt };
  const passedDeadlines = state.passedDeadlines.filter((name) => name !== 'logs');
  return { ...state, logs: next, passedDeadlines };
}

/**
 * Counts how often a host was registered again, bound or unbound. Each report and outcome belongs to one generation.
 * The count continues after a deregistration, so that a result of an earlier registration is never used later.
 */
export function hostGenerationAfter(generation: number, event: HostEvent): number {
  switch (event.type) {
    case 'HostRegistered':
    case 'HostBound':
    case 'HostUnbound':
      return generation + 1;
    case 'HostReregistered':
      return event.data.inventoryKept ? generation : generation + 1;
    default:
      return generation;
  }
}
