import type { DiskFormatting, HostSettings, MachineIdentity, Owner, Plain, StoredBody } from '@muster/contracts';
import { keysOf } from '@muster/schema';
import type { HostBlockingIds, HostConditions } from '@muster/validation-rules';
import type { EvaluatedInputs } from '../evaluated-inputs';
import type { HostKind, HostRole } from './state';

/** The time of the command, ISO 8601 UTC. A decision reads no other clock. */
interface At {
  readonly at: string;
}

/** State outside of the host's stream that guards evaluate. */
export interface HostSurroundings extends EvaluatedInputs {
  /** Overrides applied. Undefined until the host was evaluated for its current registration and binding. */
  readonly conditions: (HostConditions & HostBlockingIds) | undefined;
  /** Undefined for a host without a cluster. */
  readonly cluster: HostsCluster | undefined;
  /** Stage and connection deadlines warn instead of failing the host. */
  readonly softTimeouts: boolean;
  /** The image of the installer that an installation starts now. @default not recorded */
  readonly installerImage?: string;
}

export interface HostsCluster {
  /** `cluster.status` of the v2 API. */
  readonly status: string;
  /** True when enough of the other hosts are installed to complete the cluster without this host. */
  readonly isInstallationQuorumMet: boolean;
}

/** Registers the host when its agent starts. */
interface Register extends At {
  readonly type: 'Register';
  readonly infraEnvId: string;
  readonly hostId: string;
  /** Empty for a host without a cluster. Used at the first registration only. */
  readonly clusterId: string;
  /** Determined again at every registration. */
  readonly kind: HostKind;
  /** `role`, `bootstrap`, `machineConfigPoolName` and `owner` are used at the first registration only. */
  readonly role: HostRole;
  readonly bootstrap: boolean;
  readonly machineConfigPoolName: string;
  readonly owner: Plain<Owner>;
  readonly agentVersion: string;
  /** Sent by agents that support it. */
  readonly machine?: Plain<MachineIdentity>;
  /**
   * Time of the last claim of the known machine, from the memory of the service.
   * @default the time of its last stored claim
   */
  readonly knownMachineSeenAt?: string;
  /** False when the status of the cluster does not accept new hosts. Ignored for hosts without a cluster. */
  readonly clusterAcceptsHosts: boolean;
  /** True when the hosts of the cluster are being installed. @default false */
  readonly clusterIsInstalling?: boolean;
  /** Displayed name of the installation disk, `<model> <serial> (<name>, <id>)`. */
  readonly installationDisk?: string;
}

/** Evaluates the status again after an input of it may have changed. */
interface Refresh extends At, HostSurroundings {
  readonly type: 'Refresh';
}

/**
 * Sent when a timer fires for a deadline of `hostDeadlines`. A timer that was set for an earlier state changes nothing.
 */
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

/** Reports that the install step failed. */
interface ReportInstallFailure extends At {
  readonly type: 'ReportInstallFailure';
  readonly reason: string;
}

interface CancelInstallation extends At {
  readonly type: 'CancelInstallation';
  readonly reason: string;
}

/** Installs a day-2 host. Day-1 hosts are installed with their cluster. */
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
  /** A user cannot unbind a host during its installation. The deletion of its cluster can. */
  readonly byUser: boolean;
}

interface Reclaim extends At {
  readonly type: 'Reclaim';
}

/** Reports that the boot artifacts are on the disk. */
interface RebootForReclaim extends At {
  readonly type: 'RebootForReclaim';
}

interface FailReclaim extends At {
  readonly type: 'FailReclaim';
  /** The error of the step. May be empty. */
  readonly reason: string;
}

/** Reports that a step could not read the discovery image. */
interface LoseMedia extends At {
  readonly type: 'LoseMedia';
  /** Type of the step that failed. */
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

/** The agent polls. */
interface ReportAgentVersion extends At {
  readonly type: 'ReportAgentVersion';
  readonly agentVersion: string;
}

interface AssignRole extends At {
  readonly type: 'AssignRole';
  /** One of `HOST_ROLES`. Other values are refused. */
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
  /** Both are empty when no disk is eligible. */
  readonly diskId: string;
  readonly diskPath: string;
  readonly byUser: boolean;
}

interface ReviseSettings extends At {
  readonly type: 'ReviseSettings';
  /** Absent fields do not change. */
  readonly changes: Partial<Plain<HostSettings>>;
  /** Changes of single entries of `skipFormattingDisks`. @default none */
  readonly disks?: readonly Plain<DiskFormatting>[];
}

interface ChooseBootstrap extends At {
  readonly type: 'ChooseBootstrap';
}

/** Reports the identity of a machine, from its inventory or from its registration. */
interface ClaimIdentity extends At {
  readonly type: 'ClaimIdentity';
  readonly machine: Plain<MachineIdentity>;
  /**
   * Time of the last claim of the other machine: the known machine, or in a conflict the machine that is not claiming
   * now.
   */
  readonly otherMachineSeenAt?: string;
}

interface RecordLogs extends At {
  readonly type: 'RecordLogs';
  /** requested, collecting, completed, timeout, or empty when only a body was uploaded. */
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
  | ReportAgentVersion
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
/** All command types. The compiler reports a type that is missing or unknown. */
export const HOST_COMMAND_TYPES: readonly HostCommandType[] = keysOf({
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
  ReportAgentVersion: true,
  AssignRole: true,
  SuggestRole: true,
  Rename: true,
  ChooseInstallationDisk: true,
  ReviseSettings: true,
  ChooseBootstrap: true,
  ClaimIdentity: true,
  RecordLogs: true,
  Deregister: true,
} satisfies Record<HostCommandType, true>);
export type HostCommandOf<Type extends HostCommandType> = Extract<HostCommand, { type: Type }>;
