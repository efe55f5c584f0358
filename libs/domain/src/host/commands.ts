import type { HostSettings, MachineIdentity, Owner, Plain, StoredBody } from '@muster/contracts';
import type { HostBlockingIds, HostConditions } from '@muster/validation-rules';
import type { HostKind, HostRole } from './state';

/** What is the case when the command is given, ISO 8601 UTC: the only clock a decision has. */
interface At {
  readonly at: string;
}

/** What the tables ask about the world around the host. */
export interface HostSurroundings {
  /** Overrides applied; undefined until rules were evaluated for the host as it is registered and bound now. */
  readonly conditions: (HostConditions & HostBlockingIds) | undefined;
  /** Undefined for a host of the pool. */
  readonly cluster: HostsCluster | undefined;
  /** Stage and connection deadlines warn instead of failing the host. */
  readonly softTimeouts: boolean;
  /** What an installation that begins now is started from; default: not recorded. */
  readonly installerImage?: string;
}

export interface HostsCluster {
  /** `cluster.status` of the contract. */
  readonly status: string;
  /** True when enough of the other hosts are installed for the cluster to do without this one. */
  readonly isInstallationQuorumMet: boolean;
}

/** The agent starts, for the first time or again. */
interface Register extends At {
  readonly type: 'Register';
  readonly infraEnvId: string;
  readonly hostId: string;
  /** Empty for a host of the pool. */
  readonly clusterId: string;
  /** Recomputed at every registration. */
  readonly kind: HostKind;
  /** `role`, `bootstrap`, `machineConfigPoolName` and `owner` count for the first registration only. */
  readonly role: HostRole;
  readonly bootstrap: boolean;
  readonly machineConfigPoolName: string;
  readonly owner: Plain<Owner>;
  readonly agentVersion: string;
  /** Given by agents that can. */
  readonly machine?: Plain<MachineIdentity>;
  /** Last claim of the machine known so far, as the service remembers it; default: its last stored claim. */
  readonly knownMachineSeenAt?: string;
  /** False when the cluster's status takes no new hosts; ignored for hosts of the pool. */
  readonly clusterAcceptsHosts: boolean;
  /** Name of the installation disk for users, `<model> <serial> (<name>, <id>)`. */
  readonly installationDisk?: string;
}

/** Something the tables ask about may have changed. */
interface Refresh extends At, HostSurroundings {
  readonly type: 'Refresh';
}

/** The timer heap says that a deadline of `hostDeadlines` is due. Stale timers are harmless: nothing happens. */
interface PassDeadline extends At, HostSurroundings {
  readonly type: 'PassDeadline';
  /** A `HostDeadline` name. */
  readonly deadline: string;
}

interface ReportProgress extends At {
  readonly type: 'ReportProgress';
  readonly stage: string;
  readonly info: string;
  readonly controlPlaneCount: number;
  readonly isKubeApi: boolean;
}

/** The install step ended with a failure. */
interface ReportInstallFailure extends At {
  readonly type: 'ReportInstallFailure';
  readonly reason: string;
}

interface CancelInstallation extends At {
  readonly type: 'CancelInstallation';
  readonly reason: string;
}

/** Day-2 hosts only; day-1 hosts follow their cluster. */
interface InstallHost extends At {
  readonly type: 'InstallHost';
  readonly installerImage?: string;
}

interface RequireReset extends At {
  readonly type: 'RequireReset';
  readonly reason: string;
  /** A single host can be reset on day 2 only. */
  readonly scope: 'cluster' | 'host';
}

interface Bind extends At {
  readonly type: 'Bind';
  readonly clusterId: string;
}

interface Unbind extends At {
  readonly type: 'Unbind';
  /** A user may not unbind a host whose installation is under way; a deleted cluster may. */
  readonly byPerson: boolean;
}

interface Reclaim extends At {
  readonly type: 'Reclaim';
}

/** The boot artifacts are on the disk. */
interface RebootForReclaim extends At {
  readonly type: 'RebootForReclaim';
}

interface FailReclaim extends At {
  readonly type: 'FailReclaim';
}

/** A step could not read the discovery image. */
interface LoseMedia extends At {
  readonly type: 'LoseMedia';
  /** Step type of the failing reply. */
  readonly duringStep: string;
}

interface RegainMedia extends At {
  readonly type: 'RegainMedia';
}

interface FallSilent extends At {
  readonly type: 'FallSilent';
  readonly lastSeenAt: string;
}

interface Return extends At {
  readonly type: 'Return';
}

interface AssignRole extends At {
  readonly type: 'AssignRole';
  /** One of `HOST_ROLES`, else refused. */
  readonly role: string;
}

interface SuggestRole extends At {
  readonly type: 'SuggestRole';
  readonly role: string;
}

interface Rename extends At {
  readonly type: 'Rename';
  readonly hostname: string;
}

interface ChooseInstallationDisk extends At {
  readonly type: 'ChooseInstallationDisk';
  /** Both empty when no disk is eligible. */
  readonly diskId: string;
  readonly diskPath: string;
  readonly byPerson: boolean;
}

interface ReviseSettings extends At {
  readonly type: 'ReviseSettings';
  /** What is absent stays as it is. */
  readonly changes: Partial<Plain<HostSettings>>;
}

interface ChooseBootstrap extends At {
  readonly type: 'ChooseBootstrap';
}

/** A machine shows which one it is: with an inventory, or where the agent says so by itself. */
interface ClaimIdentity extends At {
  readonly type: 'ClaimIdentity';
  readonly machine: Plain<MachineIdentity>;
  /** Last claim of the other machine (the known one, or in a conflict the one that is not claiming now). */
  readonly otherMachineSeenAt?: string;
}

interface RecordLogs extends At {
  readonly type: 'RecordLogs';
  /** requested, collecting, completed, timeout or empty (when only a body came). */
  readonly logsState: string;
  readonly body?: Plain<StoredBody>;
}

interface Deregister extends At {
  readonly type: 'Deregister';
}

export type HostCommand =
  | Register
  | Refresh
  | PassDeadline
  | ReportProgress
  | ReportInstallFailure
  | CancelInstallation
  | InstallHost
  | RequireReset
  | Bind
  | Unbind
  | Reclaim
  | RebootForReclaim
  | FailReclaim
  | LoseMedia
  | RegainMedia
  | FallSilent
  | Return
  | AssignRole
  | SuggestRole
  | Rename
  | ChooseInstallationDisk
  | ReviseSettings
  | ChooseBootstrap
  | ClaimIdentity
  | RecordLogs
  | Deregister;

export type HostCommandType = HostCommand['type'];
/** Every type once: the compiler refuses a name that is missing or unknown. */
export const HOST_COMMAND_TYPES = Object.keys({
  Register: true,
  Refresh: true,
  PassDeadline: true,
  ReportProgress: true,
  ReportInstallFailure: true,
  CancelInstallation: true,
  InstallHost: true,
  RequireReset: true,
  Bind: true,
  Unbind: true,
  Reclaim: true,
  RebootForReclaim: true,
  FailReclaim: true,
  LoseMedia: true,
  RegainMedia: true,
  FallSilent: true,
  Return: true,
  AssignRole: true,
  SuggestRole: true,
  Rename: true,
  ChooseInstallationDisk: true,
  ReviseSettings: true,
  ChooseBootstrap: true,
  ClaimIdentity: true,
  RecordLogs: true,
  Deregister: true,
} satisfies Record<HostCommandType, true>) as readonly HostCommandType[];
export type HostCommandOf<Type extends HostCommandType> = Extract<HostCommand, { type: Type }>;
