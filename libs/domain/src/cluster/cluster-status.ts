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
