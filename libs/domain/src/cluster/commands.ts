import type { ClusterSettings, MonitoredOperator, Owner, Plain, StoredBody } from '@muster/contracts';
import type { ControlPlaneHost } from '@muster/feature-support';
import type { ClusterBlockingIds, ClusterConditions } from '@muster/validation-rules';
import type { EvaluatedInputs } from '../evaluated-inputs';
import type { HostSummary } from '../roles/host-summary';
import type { ClusterDeadlineName, ClusterKind } from './state';

/** ISO 8601 UTC with milliseconds. A decision reads no other clock. */
interface At {
  readonly at: string;
}

export interface RegisterCluster extends At {
  readonly type: 'Register';
  readonly clusterId: string;
  readonly kind: ClusterKind;
  /** As the user set them. The decider adds the defaults. */
  readonly settings: Plain<ClusterSettings>;
  readonly owner: Plain<Owner>;
  readonly pullSecretSet: boolean;
  /** OLM operators including their dependencies. The decider adds the built-in operators. */
  readonly olmOperators: readonly Plain<MonitoredOperator>[];
  /** Set for imported day-2 clusters only, otherwise empty. */
  readonly openshiftClusterId: string;
  readonly imported: boolean;
  /**
   * The architecture that the user named or the default. The settings contain `multi` when the release serves several
   * architectures.
   */
  readonly requestedArchitecture?: string;
}

export interface ReviseCluster extends At {
  readonly type: 'Revise';
  /** Absent fields do not change. */
  readonly changes: Plain<ClusterSettings>;
  readonly pullSecretReplaced: boolean;
  /** The operators to monitor after the change, dependencies included. Set when `changes.olmOperators` is present. */
  readonly olmOperators?: readonly Plain<MonitoredOperator>[];
  /** The architectures of the cluster's infra-envs. Each of them must support the settings. */
  readonly imageArchitectures?: readonly string[];
  /** The result of `controlPlaneHostsOf`. The settings must support them. */
  readonly controlPlaneHosts?: readonly ControlPlaneHost[];
}

/** Sets the machine networks that the addresses of the hosts and the VIPs determine. */
export interface DeriveMachineNetworks extends At {
  readonly type: 'DeriveMachineNetworks';
  readonly cidrs: readonly string[];
}

/** Evaluates the status again after an input of it may have changed. */
export interface RefreshCluster extends At, EvaluatedInputs {
  readonly type: 'Refresh';
  /** Undefined before the first evaluation. */
  readonly conditions: (ClusterConditions & ClusterBlockingIds) | undefined;
  readonly hosts: HostSummary;
  /**
   * Address of the only host in the machine network, which becomes the VIPs of a single-node cluster. Empty when
   * unknown.
   */
  readonly singleNodeAddress: string;
}

export interface InstallCluster extends At {
  readonly type: 'Install';
  readonly hosts: HostSummary;
  /** The result of `chooseBootstrap`. Empty when no host is suitable. */
  readonly bootstrapHostId: string;
}

/** Records that the artifacts of an attempt exist or could not be created. */
export interface FinishPreparation extends At {
  readonly type: 'FinishPreparation';
  readonly attempt: number;
  readonly outcome:
    | { readonly kind: 'success'; readonly openshiftClusterId: string }
    | { readonly kind: 'failure'; readonly reason: string };
}

/** Undoes the preparation because a host registered again during it. */
export interface UndoPreparation extends At {
  readonly type: 'UndoPreparation';
  readonly reason: string;
}

export interface CancelInstallation extends At {
  readonly type: 'CancelInstallation';
  /**
   * Hosts whose decision table refuses the cancellation, as "<name> (<status>)". One such host is enough to refuse the
   * command.
   */
  readonly refusingHosts: readonly string[];
}

export interface ResetCluster extends At {
  readonly type: 'Reset';
  /**
   * Hosts whose decision table refuses the reset, as "<name> (<status>)". One such host is enough to refuse the
   * command.
   */
  readonly refusingHosts: readonly string[];
}

export interface AllowAddHosts extends At {
  readonly type: 'AllowAddHosts';
}

export interface ReachFinalizingStage extends At {
  readonly type: 'ReachFinalizingStage';
  readonly stage: string;
}

export interface ReportOperatorStatus extends At {
  readonly type: 'ReportOperatorStatus';
  readonly name: string;
  readonly status: string;
  readonly statusInfo: string;
  readonly version: string;
}

/** Records that the kubeconfig with the ingress CA is in the object store. */
/** Sets the VIPs that a host obtained by DHCP. */
export interface AcceptVipLeases extends At {
  readonly type: 'AcceptVipLeases';
  readonly apiVip: string;
  readonly ingressVip: string;
  /** One lease block of a lease file of dhclient, or empty. */
  readonly apiVipLease: string;
  readonly ingressVipLease: string;
}

export interface CompleteKubeconfig extends At {
  readonly type: 'CompleteKubeconfig';
}

/** Sums over the stages of all hosts of the cluster. */
export interface RecordProgress extends At {
  readonly type: 'RecordProgress';
  /** Sum of (index of the current stage + 1); a host without a stage adds 0. */
  readonly stagesReached: number;
  /** Sum of the lengths of the hosts' stage lists. */
  readonly stagesTotal: number;
}

export interface PassDeadline extends At {
  readonly type: 'PassDeadline';
  readonly deadline: ClusterDeadlineName;
  /**
   * Soft timeouts warn instead of failing the cluster. True when they are enabled for the process and for the owner's
   * organisation.
   */
  readonly softTimeouts: boolean;
  /** The last progress of the release's download, which the preparation waits for. */
  readonly download?: ReleaseDownload;
}

export interface ReleaseDownload {
  readonly image: string;
  readonly downloadedBytes: number;
  readonly totalBytes: number;
}

export interface RecordLogs extends At {
  readonly type: 'RecordLogs';
  readonly report:
    | { readonly kind: 'state'; readonly logsState: string }
    | {
        readonly kind: 'collected';
        readonly logsType: string;
        readonly hostId: string;
        readonly body: Plain<StoredBody>;
      };
}

export interface DeregisterCluster extends At {
  readonly type: 'Deregister';
}

export type ClusterCommand =
  | RegisterCluster
  | ReviseCluster
  | DeriveMachineNetworks
  | RefreshCluster
  | InstallCluster
  | FinishPreparation
  | UndoPreparation
  | CancelInstallation
  | ResetCluster
  | AllowAddHosts
  | ReachFinalizingStage
  | ReportOperatorStatus
  | AcceptVipLeases
  | CompleteKubeconfig
  | RecordProgress
  | PassDeadline
  | RecordLogs
  | DeregisterCluster;
export type ClusterCommandType = ClusterCommand['type'];

/** All command types, for the tests of the tables. */
export const CLUSTER_COMMANDS = [
  'Register',
  'Revise',
  'DeriveMachineNetworks',
  'Refresh',
  'Install',
  'FinishPreparation',
  'UndoPreparation',
  'CancelInstallation',
  'Reset',
  'AllowAddHosts',
  'ReachFinalizingStage',
  'ReportOperatorStatus',
  'AcceptVipLeases',
  'CompleteKubeconfig',
  'RecordProgress',
  'PassDeadline',
  'RecordLogs',
  'Deregister',
] as const satisfies readonly ClusterCommandType[];
