import type { ClusterSettings, MonitoredOperator, Owner, Plain, StoredBody } from '@muster/contracts';
import type { ClusterBlockingIds, ClusterConditions } from '@muster/validation-rules';
import type { HostSummary } from '../roles/host-summary';
import type { ClusterDeadlineName, ClusterKind } from './state';

/** ISO 8601 UTC with milliseconds: the only clock that a decision sees. */
interface At {
  readonly at: string;
}

export interface RegisterCluster extends At {
  readonly type: 'Register';
  readonly clusterId: string;
  readonly kind: ClusterKind;
  /** As the user gave them; defaults are filled in here. */
  readonly settings: Plain<ClusterSettings>;
  readonly owner: Plain<Owner>;
  readonly pullSecretSet: boolean;
  /** OLM operators, dependencies included; the built-in ones are added here. */
  readonly olmOperators: readonly Plain<MonitoredOperator>[];
  /** Imported day-2 clusters only; empty otherwise. */
  readonly openshiftClusterId: string;
  readonly imported: boolean;
}

export interface ReviseCluster extends At {
  readonly type: 'Revise';
  /** Absent fields stay. */
  readonly changes: Plain<ClusterSettings>;
  readonly pullSecretReplaced: boolean;
  /** When `changes.olmOperators` is present: what has to be monitored then, dependencies included. */
  readonly olmOperators?: readonly Plain<MonitoredOperator>[];
  /** The architectures of the cluster's infra-envs. Each of them must support the settings. */
  readonly imageArchitectures?: readonly string[];
}

/** What the hosts' addresses and the VIPs say the machine networks are. */
export interface DeriveMachineNetworks extends At {
  readonly type: 'DeriveMachineNetworks';
  readonly cidrs: readonly string[];
}

/** Something that the status depends on may have changed. */
export interface RefreshCluster extends At {
  readonly type: 'Refresh';
  /** Undefined while nothing has been validated yet. */
  readonly conditions: (ClusterConditions & ClusterBlockingIds) | undefined;
  readonly hosts: HostSummary;
  /** Address of the only host in the machine network; becomes the VIPs of a single-node cluster. Empty: not known. */
  readonly singleNodeAddress: string;
}

export interface InstallCluster extends At {
  readonly type: 'Install';
  readonly hosts: HostSummary;
  /** Of `chooseBootstrap`; empty when no host can be it. */
  readonly bootstrapHostId: string;
}

/** The artifacts of an attempt exist, or cannot be made. */
export interface FinishPreparation extends At {
  readonly type: 'FinishPreparation';
  readonly attempt: number;
  readonly outcome:
    | { readonly kind: 'success'; readonly openshiftClusterId: string }
    | { readonly kind: 'failure'; readonly reason: string };
}

/** A host registered again while it was being prepared. */
export interface UndoPreparation extends At {
  readonly type: 'UndoPreparation';
  readonly reason: string;
}

export interface CancelInstallation extends At {
  readonly type: 'CancelInstallation';
  /** Hosts whose own table has no way to cancel, as "<name> (<status>)"; one is enough to refuse. */
  readonly refusingHosts: readonly string[];
}

export interface ResetCluster extends At {
  readonly type: 'Reset';
  /** Hosts whose own table has no way to reset, as "<name> (<status>)"; one is enough to refuse. */
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

/** The kubeconfig with the ingress CA is in the object store. */
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
  /** Soft timeouts warn instead of failing: switched on for the process and for the owner's organisation. */
  readonly softTimeouts: boolean;
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
  | CompleteKubeconfig
  | RecordProgress
  | PassDeadline
  | RecordLogs
  | DeregisterCluster;
export type ClusterCommandType = ClusterCommand['type'];

/** All command types: what the tables' tests walk. */
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
  'CompleteKubeconfig',
  'RecordProgress',
  'PassDeadline',
  'RecordLogs',
  'Deregister',
] as const satisfies readonly ClusterCommandType[];
