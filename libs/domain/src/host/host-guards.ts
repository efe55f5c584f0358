import type { HostCommand, HostCommandOf, HostSurroundings } from './host-commands';
import { hostDeadlines } from './host-deadlines';
import { isAnotherMachine, isIntruder, isKnownMachineLive, isRecent, isSameClaim } from './host-identity';
import { readProgress } from './host-progress';
import { STAGES_FROM_REBOOT } from './host-stages';
import { type HostState, isDay2 } from './host-state';
import { HOST_ROLES } from './host-status';
import type { HostTimeouts } from './host-timeouts';
import type { HostGuardValues } from './host-variables';

const CLUSTER_PHASES: Readonly<Record<string, HostGuardValues['cluster']>> = {
  'preparing-for-installation': 'preparing',
  installing: 'installing',
  finalizing: 'finalizing',
  'installing-pending-user-action': 'waiting',
  error: 'failed',
  installed: 'done',
  'adding-hosts': 'done',
};

const STAGE_GROUPS: ReadonlyMap<string, HostGuardValues['stage']> = new Map([
  ['Writing image to disk', 'writing'],
  ['Copying registry data to disk', 'writing'],
  ['Waiting for control plane', 'waiting'],
  ['Waiting for bootkube', 'waiting'],
  ['Waiting for controller', 'waiting'],
  ['Rebooting', 'rebooting'],
]);

const NO_GUARDS: Partial<HostGuardValues> = {};

/** The guard variables that rows on this command ask about (a test holds the two together), for one state. */
export function evaluateHostGuards(
  command: HostCommand,
  state: HostState,
  timeouts: HostTimeouts,
): Partial<HostGuardValues> {
  switch (command.type) {
    case 'Register':
      return registerValues(command, state, timeouts);
    case 'Refresh':
      return refreshValues(command, state);
    case 'PassDeadline':
      return { due: isDue(command, state, timeouts) };
    case 'ReportProgress':
      return {
        bound: state.clusterId !== '',
        day2: isDay2(state),
        failure: failureOf(state),
        move: readProgress(state, command).move,
      };
    case 'ClaimIdentity':
      return { claim: claimOf(command, state, timeouts) };
    case 'InstallHost':
      return { day2: isDay2(state) };
    case 'RequireReset':
      return { resettable: command.scope === 'cluster' || isDay2(state) };
    case 'LoseMedia':
    case 'RegainMedia':
      return { media: state.isMediaConnected ? 'present' : 'lost' };
    case 'AssignRole':
      return { roleKnown: HOST_ROLES.some((role) => role === command.role) };
    case 'SuggestRole':
      return { autoAssign: state.role === 'auto-assign' };
    case 'Unbind':
    case 'ChooseInstallationDisk':
      return { byPerson: command.byPerson };
    case 'ReviseSettings':
      return { forgetsToken: forgetsTokenOnly(command) };
    case 'ReportInstallFailure':
    case 'CancelInstallation':
    case 'Bind':
    case 'Reclaim':
    case 'RebootForReclaim':
    case 'FailReclaim':
    case 'FallSilent':
    case 'Return':
    case 'Rename':
    case 'ChooseBootstrap':
    case 'RecordLogs':
    case 'Deregister':
      return NO_GUARDS;
    default: {
      const unknown: never = command;
      return unknown;
    }
  }
}

function failureOf({ failedBy }: HostState): HostGuardValues['failure'] {
  if (failedBy === 'deadline' || failedBy === 'silence') return 'late';
  return failedBy === 'cluster' ? 'cluster' : 'final';
}

function registerValues(
  command: HostCommandOf<'Register'>,
  state: HostState,
  timeouts: HostTimeouts,
): Partial<HostGuardValues> {
  const { stage } = state.progress;
  const day2 = command.kind === 'AddToExistingClusterHost';
  const { machine } = command;
  const intrudes =
    isAnotherMachine(state.machine, machine) &&
    isKnownMachineLive(state, command.at, command.knownMachineSeenAt, timeouts);
  const identity = !machine || !intrudes ? 'same' : isIntruder(state, machine) ? 'intruder' : 'other';
  return {
    bound: command.clusterId !== '',
    accepts: command.clusterAcceptsHosts,
    rebooted: stage === 'Rebooting' || (day2 && stage === 'Done'),
    identity,
  };
}

function refreshValues(command: HostSurroundings, state: HostState): Partial<HostGuardValues> {
  const { conditions, cluster, softTimeouts } = command;
  const { progress } = state;
  const phase = CLUSTER_PHASES[cluster?.status ?? ''] ?? 'other';
  const reach = reachOf(conditions, state);
  const stage = STAGE_GROUPS.get(progress.stage) ?? 'other';
  const isPausing = phase === 'waiting' && (stage === 'waiting' || stage === 'rebooting');
  const isNoted = state.isSilenceNoted;
  const isStagePassed = state.passedDeadlines.includes('stage');
  return {
    failure: failureOf(state),
    arrived: progress.stage === 'Done',
    reach,
    cluster: phase === 'failed' && isDay2(state) ? 'other' : phase,
    selected: phase === 'preparing' && state.role !== 'auto-assign',
    fitness: fitnessOf(conditions, state.clusterId !== ''),
    preparation: preparationOf(conditions, state.isImageCheckVoid),
    contact: reach === 'silent' ? (isNoted ? 'noted' : 'lost') : isNoted ? 'regained' : 'kept',
    timeouts: softTimeouts ? 'soft' : 'hard',
    stage,
    clock: progress.isClockPaused ? (isPausing ? 'paused' : 'resume-due') : isPausing ? 'pause-due' : 'running',
    stageDeadline: progress.isOverdue ? 'noted' : isStagePassed ? 'passed' : 'pending',
    statusDeadline: state.passedDeadlines.some((name) => name !== 'stage') ? 'passed' : 'pending',
    quorum: cluster?.isInstallationQuorumMet ?? false,
  };
}

/** A machine that runs from its disk does not poll: nobody waits for it to. */
function reachOf(conditions: HostSurroundings['conditions'], state: HostState): HostGuardValues['reach'] {
  const isConnected = conditions ? conditions.connected : !state.isSilent;
  if (!isConnected && !STAGES_FROM_REBOOT.has(state.progress.stage)) return 'silent';
  return state.isMediaConnected && (conditions?.mediaConnected ?? true) ? 'connected' : 'no-media';
}

function fitnessOf(conditions: HostSurroundings['conditions'], isBound: boolean): HostGuardValues['fitness'] {
  if (conditions?.inventory === 'truncated') return 'truncated';
  if (conditions?.inventory !== 'usable') return 'no-inventory';
  if (!conditions.minHardware) return 'weak';
  if (isBound && !conditions.vsphereDiskUuid) return 'no-disk-uuid';
  if (isBound && !conditions.machineCidrDefined) return 'input-missing';
  const isDiskSlow = isBound && conditions.diskSpeed === 'failed';
  return conditions.sufficientForInstall && !isDiskSlow ? 'sufficient' : 'insufficient';
}

function preparationOf(conditions: HostSurroundings['conditions'], isVoid: boolean): HostGuardValues['preparation'] {
  if (!conditions) return 'running';
  if (conditions.diskSpeed === 'failed') return 'disk-failed';
  if (isVoid) return conditions.images === 'failed' ? 'running' : 'renewed';
  if (conditions.images === 'failed') return 'images-failed';
  return conditions.diskSpeed === 'ok' && conditions.images === 'ok' ? 'done' : 'running';
}

function isDue(command: HostCommandOf<'PassDeadline'>, state: HostState, timeouts: HostTimeouts): boolean {
  const nowMs = Date.parse(command.at);
  return hostDeadlines(state, timeouts).some(({ name, atMs }) => name === command.deadline && atMs <= nowMs);
}

function claimOf(
  { machine, at, otherMachineSeenAt }: HostCommandOf<'ClaimIdentity'>,
  state: HostState,
  timeouts: HostTimeouts,
): HostGuardValues['claim'] {
  const { conflict } = state;
  if (conflict) {
    if (!isAnotherMachine(conflict.known, machine))
      return isRecent(otherMachineSeenAt ?? conflict.detectedAt, at, timeouts) ? 'standoff' : 'resolution';
    const isOneOfTwo = !isAnotherMachine(conflict.intruder, machine);
    return isOneOfTwo && !isKnownMachineLive(state, at, otherMachineSeenAt, timeouts) ? 'resolution' : 'standoff';
  }
  if (isAnotherMachine(state.machine, machine))
    return isKnownMachineLive(state, at, otherMachineSeenAt, timeouts) ? 'intrusion' : 'news';
  return isSameClaim(state.machine, machine) ? 'repeat' : 'news';
}

function forgetsTokenOnly({ changes }: HostCommandOf<'ReviseSettings'>): boolean {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  return given.length === 1 && changes.ignitionEndpointTokenSet === false;
}
