import type { HostSettings, MachineIdentity, Owner, Plain } from '@muster/contracts';
import type { CountedInputs } from '../evaluated-inputs';
import { NO_REASON, type StatusReason } from '../status-reason';
import type { HostStage } from './stages';

/** `host.status` of the v2 API, in the same order. */
export const HOST_STATUSES = [
  'discovering',
  'known',
  'disconnected',
  'insufficient',
  'disabled',
  'preparing-for-installation',
  'preparing-failed',
  'preparing-successful',
  'pending-for-input',
  'installing',
  'installing-in-progress',
  'installing-pending-user-action',
  'resetting-pending-user-action',
  'installed',
  'error',
  'resetting',
  'added-to-existing-cluster',
  'cancelled',
  'binding',
  'unbinding',
  'unbinding-pending-user-action',
  'known-unbound',
  'disconnected-unbound',
  'insufficient-unbound',
  'disabled-unbound',
  'discovering-unbound',
  'reclaiming',
  'reclaiming-rebooting',
] as const;
export type HostStatus = (typeof HOST_STATUSES)[number];

/**
 * The status before a transition: a v2 status, or `unregistered` before the first registration and after a
 * deregistration.
 */
export const HOST_SOURCES = ['unregistered', ...HOST_STATUSES] as const;
export type HostSource = (typeof HOST_SOURCES)[number];

/** `AddToExistingClusterHost` is a day-2 host. */
export const HOST_KINDS = ['Host', 'AddToExistingClusterHost'] as const;
export type HostKind = (typeof HOST_KINDS)[number];

/** Roles that can be assigned. Whether a host is the bootstrap host is a separate flag. */
export const HOST_ROLES = ['auto-assign', 'master', 'arbiter', 'worker'] as const;
export type HostRole = (typeof HOST_ROLES)[number];

/**
 * Why a host is in `error`. After `deadline` and `silence` the machine may still succeed. After `cluster` it may
 * continue.
 */
export const FAILURE_CAUSES = ['deadline', 'silence', 'cluster', 'restart', 'media', 'report'] as const;
export type FailureCause = (typeof FAILURE_CAUSES)[number];

type Group = readonly HostStatus[];

/** Statuses of bound hosts that have registered and are not selected for an installation yet. */
export const DISCOVERY: Group = ['discovering', 'known', 'disconnected', 'insufficient', 'pending-for-input'];
/** The same statuses for hosts without a cluster. */
export const UNBOUND: Group = ['discovering-unbound', 'known-unbound', 'disconnected-unbound', 'insufficient-unbound'];
export const PREPARING: Group = ['preparing-for-installation', 'preparing-failed', 'preparing-successful'];
export const INSTALLING: Group = ['installing', 'installing-in-progress', 'installing-pending-user-action'];
export const RESETTING: Group = ['resetting', 'resetting-pending-user-action'];
export const LEAVING: Group = ['unbinding', 'unbinding-pending-user-action'];
export const RECLAIMING: Group = ['reclaiming', 'reclaiming-rebooting'];
/** A status of the v2 API that no transition enters. */
export const DISABLED: Group = ['disabled', 'disabled-unbound'];
/** Statuses in which a user may still change the settings of the installation. */
export const EDITABLE: Group = [...DISCOVERY, ...UNBOUND, 'binding'];
/** Statuses of hosts that belong to a cluster. */
export const COMMITTED: Group = [...INSTALLING, 'installed', 'added-to-existing-cluster'];

/** Statuses in which a host is cancelled with its cluster. */
export const CANCELLABLE: Group = [
  ...INSTALLING,
  'installed',
  'error',
  'preparing-for-installation',
  'preparing-successful',
  'known',
  'cancelled',
];
/** Statuses in which a host is reset with its cluster. */
export const RESETTABLE: Group = [
  'discovering',
  'known',
  'pending-for-input',
  ...RESETTING,
  ...PREPARING,
  ...INSTALLING,
  'installed',
  'error',
  'cancelled',
  'added-to-existing-cluster',
];

export function statusesExcept(...left: readonly Group[]): Group {
  const out = new Set(left.flat());
  return HOST_STATUSES.filter((status) => !out.has(status));
}

/** The deadlines that a host may have. */
export const HOST_DEADLINES = [
  'preparing',
  'installing',
  'stage',
  'pending-user-action',
  'reclaim',
  'resetting',
  'logs',
  'retention',
] as const;
export type HostDeadline = (typeof HOST_DEADLINES)[number];

/** Progress of the installation. */
export interface HostProgress {
  /** Empty before the first report. */
  readonly stage: HostStage | '';
  readonly info: string;
  readonly percentage: number;
  readonly stageStartedAt: string;
  /** Last change of stage or information, or the end of a pause. The deadline of the stage counts from here. */
  readonly stageUpdatedAt: string;
  readonly isSingleNode: boolean;
  /** Soft timeouts: the stage takes longer than expected and a warning was given. */
  readonly isOverdue: boolean;
  /** Another host of the cluster waits for a user action. */
  readonly isClockPaused: boolean;
}

export interface HostLogs {
  /** requested, collecting, completed, timeout, or empty when no logs were requested. */
  readonly state: string;
  readonly startedAt: string;
  readonly collectedAt: string;
}

export interface InstallationDisk {
  readonly id: string;
  readonly path: string;
  readonly isChosenByPerson: boolean;
}

/** Two live machines claim one id. The reports of the known machine are kept. */
export interface IdentityConflict {
  readonly known: Plain<MachineIdentity>;
  readonly claimant: Plain<MachineIdentity>;
  readonly detectedAt: string;
}

/** The state of a host from its events. Immutable. Times are ISO 8601 UTC, empty when the event has not happened. */
export interface HostState extends CountedInputs {
  /** `unregistered` before the first registration and after the host was deregistered. */
  readonly status: HostSource;
  readonly statusReason: StatusReason;
  readonly statusSince: string;
  /** Empty unless the status is `error`. */
  readonly failedBy: FailureCause | '';
  /** See `hostGenerationAfter`. */
  readonly generation: number;
  readonly infraEnvId: string;
  readonly hostId: string;
  /** Empty for a host without a cluster. */
  readonly clusterId: string;
  readonly kind: HostKind;
  readonly owner: Plain<Owner>;
  readonly agentVersion: string;
  readonly registeredAt: string;
  readonly role: HostRole;
  /** Empty until suggested. */
  readonly suggestedRole: string;
  readonly isBootstrap: boolean;
  readonly requestedHostname: string;
  readonly machineConfigPoolName: string;
  /** A user set the pool, so that it no longer changes with the role. */
  readonly isPoolNameChosen: boolean;
  readonly installationDisk: InstallationDisk;
  readonly settings: Partial<Plain<HostSettings>>;
  readonly progress: HostProgress;
  readonly logs: HostLogs;
  readonly isSilent: boolean;
  readonly lastSeenAt: string;
  readonly isMediaConnected: boolean;
  /** Soft timeouts: the host was silent during the installation and a warning was given. */
  readonly isSilenceNoted: boolean;
  /** The image check failed before this preparation; its report is being cleared. */
  readonly isImageCheckVoid: boolean;
  /** Deadlines that passed in this status, or for `stage` in this stage. */
  readonly passedDeadlines: readonly HostDeadline[];
  readonly machine: Plain<MachineIdentity> | undefined;
  readonly machineClaimedAt: string;
  readonly conflict: IdentityConflict | undefined;
  /** Set while the host is `unregistered` because it was deregistered. */
  readonly deregisteredAt: string;
}

export const NO_PROGRESS: HostProgress = {
  stage: '',
  info: '',
  percentage: 0,
  stageStartedAt: '',
  stageUpdatedAt: '',
  isSingleNode: false,
  isOverdue: false,
  isClockPaused: false,
};

export const NO_LOGS: HostLogs = { state: '', startedAt: '', collectedAt: '' };
export const NO_DISK: InstallationDisk = { id: '', path: '', isChosenByPerson: false };

const INITIAL: HostState = {
  status: 'unregistered',
  statusReason: NO_REASON,
  statusSince: '',
  failedBy: '',
  generation: 0,
  infraEnvId: '',
  hostId: '',
  clusterId: '',
  kind: 'Host',
  owner: { userName: '', orgId: '', emailDomain: '' },
  agentVersion: '',
  registeredAt: '',
  role: 'auto-assign',
  suggestedRole: '',
  isBootstrap: false,
  requestedHostname: '',
  machineConfigPoolName: '',
  isPoolNameChosen: false,
  installationDisk: NO_DISK,
  settings: {},
  progress: NO_PROGRESS,
  logs: NO_LOGS,
  isSilent: false,
  lastSeenAt: '',
  isMediaConnected: true,
  isSilenceNoted: false,
  isImageCheckVoid: false,
  passedDeadlines: [],
  machine: undefined,
  machineClaimedAt: '',
  conflict: undefined,
  deregisteredAt: '',
  inputsRevision: 0,
};

export function initialHost(): HostState {
  return INITIAL;
}

/** Returns the effective role of a host: the assigned role, else the suggested role, else `auto-assign`. */
export function effectiveRole(state: HostState): string {
  return state.role === 'auto-assign' && state.suggestedRole ? state.suggestedRole : state.role;
}

/** Returns false for a role whose host joins the control plane of another host. A bootstrap host becomes a master. */
export const mayBeBootstrap = (role: string): boolean => role !== 'worker' && role !== 'arbiter';

/**
 * Returns true when the host was assigned the role that was suggested for it. Only rules of operators distinguish the two.
 * An installation begins with such an assignment for every host. `operators`: the selected ones.
 */
export function isRoleConfirmed(before: HostState, after: HostState, operators: readonly string[]): boolean {
  const isSame = before.isBootstrap === after.isBootstrap && effectiveRole(before) === effectiveRole(after);
  return isSame && operators.length === 0;
}

export function isDay2(state: HostState): boolean {
  return state.kind === 'AddToExistingClusterHost';
}

/** Returns true for a host that is silent or has lost its media. It checks nothing, and other hosts do not check their connectivity to it. */
export const isAbsentHost = (state: HostState): boolean => state.isSilent || !state.isMediaConnected;
