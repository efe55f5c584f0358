import type { HostStage } from './stages';
import type { HostDeadline, HostState } from './state';

const MINUTE_MS = 60_000;

/** The time limits of a host, in milliseconds. Documentation and settings are created from `HOST_TIMEOUT_TABLE`. */
export interface HostTimeouts {
  readonly preparingMs: number;
  readonly installingMs: number;
  readonly pendingUserActionMs: number;
  readonly reclaimMs: number;
  readonly resettingMs: number;
  readonly logPendingMs: number;
  readonly logCollectionMs: number;
  readonly identityClaimMs: number;
  readonly retentionMs: number;
  readonly stageMs: Readonly<Partial<Record<HostStage, number>>>;
}

/**
 * One timeout: the setting that changes it, and its default. `env` is undefined for timeouts that cannot be changed.
 */
export interface TimeoutRow {
  readonly name: keyof Omit<HostTimeouts, 'stageMs'> | HostStage;
  readonly env: string | undefined;
  readonly defaultMs: number;
  readonly why: string;
}

/** Longer than for other hosts, because a single node pulls all images while it reboots. */
export const SINGLE_NODE_REBOOT_MS = 80 * MINUTE_MS;
/** The limit of stages without a row. */
export const OTHER_STAGE_MS = 60 * MINUTE_MS;

const stage = (name: HostStage, minutes: number, why: string): TimeoutRow => ({
  name,
  env: `HOST_STAGE_${name.toUpperCase().replaceAll(' ', '_')}_TIMEOUT`,
  defaultMs: minutes * MINUTE_MS,
  why,
});

const setting = (
  name: keyof Omit<HostTimeouts, 'stageMs'>,
  env: string | undefined,
  minutes: number,
  why: string,
): TimeoutRow => ({ name, env, defaultMs: minutes * MINUTE_MS, why });

export const HOST_TIMEOUT_TABLE: readonly TimeoutRow[] = [
  setting(
    'preparingMs',
    'PREPARE_FOR_INSTALLATION_HOST_TIMEOUT',
    8,
    'The disk and image checks of a preparation end within this time.',
  ),
  setting(
    'installingMs',
    undefined,
    20,
    'An agent reports the first stage within this time after it received its install step.',
  ),
  setting(
    'pendingUserActionMs',
    'HOST_INSTALLING_PENDING_USER_ACTION_TIMEOUT',
    60,
    'A cluster that can complete without the host waits no longer than this for the user action.',
  ),
  setting('reclaimMs', undefined, 60, 'A host that boots the discovery image again registers within this time.'),
  setting('resettingMs', 'RESET_CLUSTER_TIMEOUT', 3, 'A reset that takes longer requires a user action.'),
  setting(
    'logPendingMs',
    'HOST_LOG_PENDING_TIMEOUT',
    2,
    'The log collection starts within this time, and continues within this time after each part.',
  ),
  setting('logCollectionMs', 'HOST_LOG_COLLECTION_TIMEOUT', 10, 'Requested logs arrive within this time.'),
  setting(
    'identityClaimMs',
    'HOST_MAX_DISCONNECTION_TIME',
    3,
    'A machine that registered its id within this time is considered live.',
  ),
  setting(
    'retentionMs',
    'DELETED_UNREGISTERED_AFTER',
    72 * 60,
    'Administrators can read deleted resources until this time has passed.',
  ),
  stage('Starting installation', 30, 'The host pulls and starts the installer image.'),
  stage('Waiting for control plane', 60, 'The other control plane hosts are written and rebooted.'),
  stage('Waiting for bootkube', 60, 'The temporary control plane starts.'),
  stage('Waiting for controller', 60, 'The controller is pulled and starts in the cluster.'),
  stage('Installing', 60, 'The host downloads its Ignition config and cleans its disks.'),
  stage(
    'Writing image to disk',
    30,
    'The writer reports its progress. The limit applies to the time between two reports.',
  ),
  stage('Copying registry data to disk', 90, 'The limit applies to the time between two reports.'),
  stage('Rebooting', 40, 'The host boots its disk and downloads its configuration.'),
  stage('Waiting for ignition', 24 * 60, 'A worker may have to wait until the control plane serves its configuration.'),
  stage('Configuring', 60, 'The host has its configuration and joins the cluster.'),
  stage('Joined', 60, 'The node becomes ready.'),
];

/**
 * Returns every timeout with the given overrides (milliseconds by environment name). Names that are not in the table
 * are ignored.
 */
export function hostTimeouts(overridesMs: Readonly<Record<string, number | undefined>> = {}): HostTimeouts {
  const valueOf = (row: TimeoutRow): number =>
    (row.env === undefined ? undefined : overridesMs[row.env]) ?? row.defaultMs;
  const byName = new Map(HOST_TIMEOUT_TABLE.map((row) => [row.name, valueOf(row)]));
  const of = (name: keyof Omit<HostTimeouts, 'stageMs'>): number => byName.get(name) ?? OTHER_STAGE_MS;
  return {
    preparingMs: of('preparingMs'),
    installingMs: of('installingMs'),
    pendingUserActionMs: of('pendingUserActionMs'),
    reclaimMs: of('reclaimMs'),
    resettingMs: of('resettingMs'),
    logPendingMs: of('logPendingMs'),
    logCollectionMs: of('logCollectionMs'),
    identityClaimMs: of('identityClaimMs'),
    retentionMs: of('retentionMs'),
    stageMs: Object.fromEntries([...byName].filter(([name]) => !name.endsWith('Ms'))),
  };
}

export const DEFAULT_HOST_TIMEOUTS = hostTimeouts();

export interface DueHostDeadline {
  readonly name: HostDeadline;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** The length of the deadline, in milliseconds. */
  readonly limitMs: number;
}

const NONE: readonly DueHostDeadline[] = [];

/** Returns the deadlines of a host, computed from its state alone, so that the timers can be recreated at start. */
export function hostDeadlines(state: HostState, timeouts: HostTimeouts): readonly DueHostDeadline[] {
  const due = (name: HostDeadline, since: string, limitMs: number): readonly DueHostDeadline[] =>
    since === '' || state.passedDeadlines.includes(name)
      ? NONE
      : [{ name, atMs: Date.parse(since) + limitMs, limitMs }];

  switch (state.status) {
    case 'preparing-for-installation':
      return due('preparing', state.statusSince, timeouts.preparingMs);
    case 'installing':
      return due('installing', state.statusSince, timeouts.installingMs);
    case 'installing-in-progress':
      return state.progress.isClockPaused || state.progress.isOverdue
        ? NONE
        : due('stage', state.progress.stageUpdatedAt, stageTimeoutMs(state, timeouts));
    case 'installing-pending-user-action':
      return due('pending-user-action', state.statusSince, timeouts.pendingUserActionMs);
    case 'reclaiming':
    case 'reclaiming-rebooting':
      return due('reclaim', state.statusSince, timeouts.reclaimMs);
    case 'resetting':
      return due('resetting', state.statusSince, timeouts.resettingMs);
    case 'error':
    case 'cancelled':
      return logDeadline(state, timeouts);
    case 'unregistered':
      return due('retention', state.deregisteredAt, timeouts.retentionMs);
    default:
      return NONE;
  }
}

/** Returns whether the state has the deadline of the command and its time has come. */
export function isHostDeadlineDue(
  state: HostState,
  { deadline, at }: { readonly deadline: string; readonly at: string },
  timeouts: HostTimeouts,
): boolean {
  const nowMs = Date.parse(at);
  return hostDeadlines(state, timeouts).some(({ name, atMs }) => name === deadline && atMs <= nowMs);
}

/** Returns how long the host may stay in its stage without a report, in milliseconds. */
export function stageTimeoutMs(state: HostState, timeouts: HostTimeouts): number {
  const { stage, isSingleNode } = state.progress;
  if (stage === '') return OTHER_STAGE_MS;
  if (stage === 'Rebooting' && isSingleNode) return SINGLE_NODE_REBOOT_MS;
  return timeouts.stageMs[stage] ?? OTHER_STAGE_MS;
}

function logDeadline(state: HostState, timeouts: HostTimeouts): readonly DueHostDeadline[] {
  const { logs, statusSince } = state;
  const at = (since: string, limitMs: number): readonly DueHostDeadline[] =>
    since === '' ? NONE : [{ name: 'logs', atMs: Date.parse(since) + limitMs, limitMs }];
  switch (logs.state) {
    case '':
      return logs.startedAt === '' ? at(statusSince, timeouts.logPendingMs) : NONE;
    case 'requested':
      return at(logs.collectedAt || logs.startedAt, timeouts.logCollectionMs);
    case 'collecting':
      // Only an installer requests logs. The agent of a host whose installer did not fail begins with the collection.
      return logs.collectedAt === ''
        ? at(logs.startedAt || statusSince, timeouts.logCollectionMs)
        : at(logs.collectedAt, timeouts.logPendingMs);
    default:
      return NONE;
  }
}
