/** Statuses of a cluster, as on the wire. */
export const CLUSTER_STATUSES = [
  'insufficient',
  'ready',
  'error',
  'preparing-for-installation',
  'pending-for-input',
  'installing',
  'finalizing',
  'installed',
  'adding-hosts',
  'cancelled',
  'installing-pending-user-action',
  'unmonitored',
] as const;
export type ClusterStatus = (typeof CLUSTER_STATUSES)[number];

/** Nothing has been started: settings may change. */
export const OPEN_STATUSES = ['pending-for-input', 'insufficient', 'ready'] as const satisfies readonly ClusterStatus[];

/** Settings may change and hosts may join. */
export const UPDATABLE_STATUSES = [...OPEN_STATUSES, 'adding-hosts'] as const satisfies readonly ClusterStatus[];

/** Hosts are being installed, or the new cluster is settling. */
export const INSTALLING_STATUSES = [
  'installing',
  'installing-pending-user-action',
  'finalizing',
] as const satisfies readonly ClusterStatus[];

/** The controller reports its stages; the last one may come after the cluster completed. */
export const STAGE_TAKING_STATUSES = [...INSTALLING_STATUSES, 'installed'] as const satisfies readonly ClusterStatus[];

export const exceptStatuses = (...excluded: readonly ClusterStatus[]): readonly ClusterStatus[] =>
  CLUSTER_STATUSES.filter((status) => !excluded.includes(status));

/** Where a cluster's stream stands: a status, or before its first fact, or after its last. */
export const CLUSTER_PHASES = ['unregistered', ...CLUSTER_STATUSES, 'deregistered'] as const;
export type ClusterPhase = (typeof CLUSTER_PHASES)[number];

export const CLUSTER_KINDS = ['Cluster', 'AddHostsCluster', 'DisconnectedCluster'] as const;
export type ClusterKind = (typeof CLUSTER_KINDS)[number];

/** What the controller works through while the cluster is finalizing, in order. */
export const FINALIZING_STAGES = [
  'Waiting for cluster operators',
  'Adding router ca',
  'Applying olm manifests',
  'Waiting for olm operators csv initialization',
  'Waiting for olm operators csv',
  'Waiting for OLM operator setup jobs',
  'Done',
] as const;
export type FinalizingStage = (typeof FINALIZING_STAGES)[number];

export const CLUSTER_LOGS_STATES = ['requested', 'collecting', 'completed', 'timeout'] as const;
export type ClusterLogsState = (typeof CLUSTER_LOGS_STATES)[number];

export const OPERATOR_STATUSES = ['progressing', 'available', 'failed'] as const;
export type OperatorStatus = (typeof OPERATOR_STATUSES)[number];

/** What a cluster may run out of time for. */
export const CLUSTER_DEADLINES = [
  'preparation',
  'installation',
  'finalizing',
  'finalizing-stage',
  'log-request',
  'log-collection',
  'retention',
] as const;
export type ClusterDeadlineName = (typeof CLUSTER_DEADLINES)[number];
