import type { HostEvent } from '@muster/contracts';
import {
  type GuardInputs,
  type GuardValues,
  refusalsOf,
  type Row,
  type RowContext,
  type Variables,
} from '@muster/decision';
import type { ProblemCode } from '@muster/problems';
import { isAfterReboot } from '@muster/validation-rules';
import type { StatusReason } from '../status-reason';
import type { HostCommand, HostCommandOf, HostCommandType, HostSurroundings } from './commands';
import { type HostTimeouts, isHostDeadlineDue } from './deadlines';
import {
  isAnotherMachine,
  isOtherMachine,
  isKnownMachineLive,
  isMediaLost,
  isRecent,
  isSameClaim,
  PROGRESS_CHANGES,
  readProgress,
} from './input';
import {
  DISCOVERY,
  type FailureCause,
  HOST_ROLES,
  type HostSource,
  type HostState,
  isDay2,
  UNBOUND,
  PREPARING,
} from './state';

/** The guard variables of the host's rows with all their values. `HOST_INPUTS` computes them. */
export const HOST_VARIABLES = {
  // ---- state of the host ----
  bound: [true, false],
  day2: [true, false],
  /** Media of the discovery image. */
  media: ['present', 'lost'],
  /**
   * Why the host is in `error`: `late` success is possible, it may continue with its `cluster`, or the failure is
   * `final`.
   */
  failure: ['late', 'cluster', 'final'],
  /** The last stage was `Done`. */
  lastStageDone: [true, false],

  // ---- surroundings of the host (Refresh) ----
  connection: ['connected', 'no-media', 'silent'],
  /** Day-2 hosts do not fail with their cluster: for them `failed` is `other`. */
  cluster: ['preparing', 'installing', 'finalizing', 'waiting', 'failed', 'done', 'other'],
  /** The cluster is preparing and the host has a role in it. */
  selected: [true, false],
  /** `contested`: the blocking validations pass, and two live machines use the id of the host. */
  validation: [
    'no-inventory',
    'truncated',
    'weak',
    'no-disk-uuid',
    'input-missing',
    'insufficient',
    'contested',
    'sufficient',
  ],
  /** Disk and image checks. `renewed`: the discarded image check can run again. `contested`: as in `validation`. */
  preparation: ['running', 'done', 'images-failed', 'disk-failed', 'contested', 'renewed'],
  /** Current connection compared with the stored silence. */
  presence: ['kept', 'lost', 'recorded', 'regained'],
  timeouts: ['hard', 'soft'],
  stage: ['writing', 'waiting', 'rebooting', 'other'],
  /** The timer of the stage pauses while another host waits for a user action. */
  stageTimer: ['running', 'paused', 'pause-due', 'resume-due'],
  stageDeadline: ['pending', 'passed', 'recorded'],
  /** The deadline of the current status. */
  statusDeadline: ['pending', 'passed'],
  /** Enough other hosts are installed. */
  quorum: [true, false],
  /** PassDeadline: the deadline belongs to the current state. */
  deadlineDue: [true, false],

  // ---- arguments of the command ----
  /** Register: the cluster accepts new hosts, or its hosts are being installed (`started`). */
  accepts: [true, false],
  started: [true, false],
  /** Register: the host had rebooted from its installation disk. */
  rebooted: [true, false],
  /** Register: a day-1 host failed because it lost its media, and no installation of its cluster runs. */
  startsOver: [true, false],
  /** Register: `other`: another live machine has this id; `claimant`: the conflict with it is already recorded. */
  identity: ['same', 'other', 'claimant'],
  /** ClaimIdentity: the claim compared with the known machine. */
  claim: ['repeat', 'changed', 'conflict', 'conflict-continues', 'conflict-resolved'],
  /**
   * ReportProgress: the reported stage compared with the stages of the role. From the reboot on, `onward` is `arrival`.
   */
  progress: PROGRESS_CHANGES,
  byUser: [true, false],
  roleKnown: [true, false],
  /** SuggestRole: the role is `auto-assign`. */
  autoAssign: [true, false],
  /** RequireReset: the whole cluster is reset, or the host is a day-2 host. */
  resettable: [true, false],
  /** ReviseSettings: only the ignition token is removed. */
  forgetsToken: [true, false],
} as const satisfies Variables;

export type HostVariables = typeof HOST_VARIABLES;
export type HostGuardValues = GuardValues<HostVariables>;

/** The types of the host's decision table. */
export interface HostTable {
  readonly Status: HostSource;
  readonly State: HostState;
  readonly Command: HostCommand;
  readonly Event: HostEvent;
  readonly Variables: HostVariables;
  readonly Settings: HostTimeouts;
  readonly Reason: StatusReason;
  readonly Code: ProblemCode;
}

export interface HostRow<Command extends HostCommand = HostCommand> extends Row<HostTable, Command> {
  /** Set in rows with `to: 'error'`. */
  readonly cause?: FailureCause;
}
export type RowOn<On extends HostCommandType> = HostRow<HostCommandOf<On>>;
export type HostContext<Command extends HostCommand = HostCommand> = RowContext<HostTable, Command>;
export type ContextOf<On extends HostCommandType> = HostContext<HostCommandOf<On>>;

/** Every refusal contains the status of the host. */
export const refuse = refusalsOf<HostTable>((reason, { status }) => `${reason} Status of the host: ${status}.`);

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

const media = ({ state }: HostContext): Partial<HostGuardValues> => ({
  media: state.isMediaConnected ? 'present' : 'lost',
});

/** The functions that compute the guard variables, by command. */
export const HOST_INPUTS: GuardInputs<HostTable> = {
  Register: ({ command, state, settings }) => registerValues(command, state, settings),
  Refresh: ({ command, state }) => refreshValues(command, state),
  PassDeadline: ({ command, state, settings }) => ({ deadlineDue: isHostDeadlineDue(state, command, settings) }),
  ReportProgress: ({ command, state }) => ({
    bound: state.clusterId !== '',
    day2: isDay2(state),
    failure: failureOf(state),
    progress: readProgress(state, command).change,
  }),
  ClaimIdentity: ({ command, state, settings }) => ({ claim: claimOf(command, state, settings) }),
  InstallHost: ({ state }) => ({ day2: isDay2(state) }),
  RequireReset: ({ command, state }) => ({ resettable: command.scope === 'cluster' || isDay2(state) }),
  LoseMedia: media,
  RegainMedia: media,
  AssignRole: ({ command }) => ({ roleKnown: HOST_ROLES.some((role) => role === command.role) }),
  SuggestRole: ({ state }) => ({ autoAssign: state.role === 'auto-assign' }),
  Unbind: ({ command }) => ({ byUser: command.byUser }),
  ChooseInstallationDisk: ({ command }) => ({ byUser: command.byUser }),
  ReviseSettings: ({ command }) => ({ forgetsToken: forgetsTokenOnly(command) }),
};

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
  const { machine, kind } = command;
  const isOtherMachineClaim =
    isAnotherMachine(state.machine, machine) &&
    isKnownMachineLive(state, command.at, command.knownMachineSeenAt, timeouts);
  const identity = !machine || !isOtherMachineClaim ? 'same' : isOtherMachine(state, machine) ? 'claimant' : 'other';
  return {
    bound: command.clusterId !== '',
    accepts: command.clusterAcceptsHosts,
    started: command.clusterIsInstalling ?? false,
    startsOver: state.failedBy === 'media' && !isDay2(state) && command.clusterAcceptsHosts,
    rebooted: stage === 'Rebooting' || (kind === 'AddToExistingClusterHost' && stage === 'Done'),
    identity,
  };
}

function refreshValues(command: HostSurroundings, state: HostState): Partial<HostGuardValues> {
  const { conditions, cluster, softTimeouts } = command;
  const { progress, isSilenceNoted: isNoted } = state;
  const phase = CLUSTER_PHASES[cluster?.status ?? ''] ?? 'other';
  const connection = connectionOf(conditions, state);
  const stage = STAGE_GROUPS.get(progress.stage) ?? 'other';
  const isPausing = phase === 'waiting' && (stage === 'waiting' || stage === 'rebooting');
  const isStagePassed = state.passedDeadlines.includes('stage');
  return {
    failure: failureOf(state),
    lastStageDone: progress.stage === 'Done',
    connection,
    cluster: phase === 'failed' && isDay2(state) ? 'other' : phase,
    selected: phase === 'preparing' && state.role !== 'auto-assign',
    validation: validationOf(conditions, state),
    preparation: preparationOf(conditions, state),
    presence: connection === 'silent' ? (isNoted ? 'recorded' : 'lost') : isNoted ? 'regained' : 'kept',
    timeouts: softTimeouts ? 'soft' : 'hard',
    stage,
    stageTimer: progress.isClockPaused ? (isPausing ? 'paused' : 'resume-due') : isPausing ? 'pause-due' : 'running',
    stageDeadline: progress.isOverdue ? 'recorded' : isStagePassed ? 'passed' : 'pending',
    statusDeadline: state.passedDeadlines.some((name) => name !== 'stage') ? 'passed' : 'pending',
    quorum: cluster?.isInstallationQuorumMet ?? false,
  };
}

/** Statuses whose transitions on Refresh require current conditions. */
export const EVALUATED: ReadonlySet<string> = new Set([...DISCOVERY, ...UNBOUND, ...PREPARING]);

/** A machine that runs from its disk does not poll. */
function connectionOf(conditions: HostSurroundings['conditions'], state: HostState): HostGuardValues['connection'] {
  // In the other statuses the conditions may be outdated: the host may have returned since. A validation that is disabled
  // makes a silent host connected in every status.
  const isReturned = !EVALUATED.has(state.status) && !state.isSilent;
  const isConnected = isReturned || (conditions ? conditions.connected : !state.isSilent);
  if (!isConnected && !isAfterReboot(state.progress.stage)) return 'silent';
  return isMediaLost(conditions, state) ? 'no-media' : 'connected';
}

function validationOf(
  conditions: HostSurroundings['conditions'],
  { clusterId, conflict }: HostState,
): HostGuardValues['validation'] {
  const isBound = clusterId !== '';
  if (conditions?.inventory === 'truncated') return 'truncated';
  if (conditions?.inventory !== 'usable') return 'no-inventory';
  if (!conditions.minHardware) return 'weak';
  if (isBound && !conditions.vsphereDiskUuid) return 'no-disk-uuid';
  if (isBound && !conditions.machineCidrDefined) return 'input-missing';
  const isDiskSlow = isBound && conditions.diskSpeed === 'failed';
  if (!conditions.sufficientForInstall || isDiskSlow) return 'insufficient';
  return conflict ? 'contested' : 'sufficient';
}

function preparationOf(
  conditions: HostSurroundings['conditions'],
  { conflict, isImageCheckVoid }: HostState,
): HostGuardValues['preparation'] {
  if (conflict) return 'contested';
  if (!conditions) return 'running';
  if (conditions.diskSpeed === 'failed') return 'disk-failed';
  if (isImageCheckVoid) return conditions.images === 'failed' ? 'running' : 'renewed';
  if (conditions.images === 'failed') return 'images-failed';
  return conditions.diskSpeed === 'ok' && conditions.images === 'ok' ? 'done' : 'running';
}

function claimOf(
  { machine, at, otherMachineSeenAt }: HostCommandOf<'ClaimIdentity'>,
  state: HostState,
  timeouts: HostTimeouts,
): HostGuardValues['claim'] {
  const { conflict } = state;
  if (conflict) {
    if (!isAnotherMachine(conflict.known, machine))
      return isRecent(otherMachineSeenAt ?? conflict.detectedAt, at, timeouts)
        ? 'conflict-continues'
        : 'conflict-resolved';
    const isOneOfTwo = !isAnotherMachine(conflict.claimant, machine);
    return isOneOfTwo && !isKnownMachineLive(state, at, otherMachineSeenAt, timeouts)
      ? 'conflict-resolved'
      : 'conflict-continues';
  }
  if (isAnotherMachine(state.machine, machine))
    return isKnownMachineLive(state, at, otherMachineSeenAt, timeouts) ? 'conflict' : 'changed';
  return isSameClaim(state.machine, machine) ? 'repeat' : 'changed';
}

function forgetsTokenOnly({ changes, disks = [] }: HostCommandOf<'ReviseSettings'>): boolean {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  return given.length === 1 && changes.ignitionEndpointTokenSet === false && disks.length === 0;
}
