import type { ProblemCode, Refusal } from '@muster/problems';
import { isAfterReboot } from '@muster/validation-rules';
import {
  CLUSTER_STATUSES,
  type ClusterState,
  type ClusterStatus,
  exceptStatuses,
  INSTALLING_STATUSES,
  OPEN_STATUSES,
  UPDATABLE_STATUSES,
} from './cluster/state';
import {
  CANCELLABLE,
  DISCOVERY,
  EDITABLE,
  type HostState,
  type HostStatus,
  INSTALLING,
  UNBOUND,
  PREPARING,
  RESETTABLE,
} from './host/state';

interface Permission<Status extends string> {
  readonly statuses: readonly Status[];
  readonly code: ProblemCode;
  /** Completes "The cluster is <status>: …". */
  readonly refusal: string;
}

const WITH_FILES = [
  'installing',
  'finalizing',
  'installed',
  'error',
  'adding-hosts',
  'cancelled',
  'installing-pending-user-action',
] as const satisfies readonly ClusterStatus[];

/**
 * The statuses in which a cluster permits each action. The decision tables of the cluster and all services that act for
 * a cluster use this table.
 */
export const CLUSTER_PERMISSIONS = {
  edit: { statuses: UPDATABLE_STATUSES, code: 'not-allowed-in-state', refusal: 'its settings cannot be changed' },
  'edit-manifests': {
    statuses: OPEN_STATUSES,
    code: 'invalid-input',
    refusal: 'its manifests cannot be changed',
  },
  'admit-hosts': {
    statuses: UPDATABLE_STATUSES,
    code: 'cluster-does-not-accept-hosts',
    refusal: 'it does not accept hosts',
  },
  'suggest-roles': {
    statuses: OPEN_STATUSES,
    code: 'not-allowed-in-state',
    refusal: 'the roles of its hosts are fixed',
  },
  /** `ready` is not included: a cluster that passed its validations keeps the networks that were evaluated. */
  'derive-machine-networks': {
    statuses: ['pending-for-input', 'insufficient'],
    code: 'not-allowed-in-state',
    refusal: 'its machine networks are fixed',
  },
  'record-progress': {
    statuses: INSTALLING_STATUSES,
    code: 'not-allowed-in-state',
    refusal: 'its hosts are not being installed',
  },
  'download-files': {
    statuses: WITH_FILES,
    code: 'not-ready',
    refusal: 'the files of its installation do not exist yet',
  },
  /** `error` is included: the controller collects logs of the cluster after a failure. */
  'give-credentials-to-agents': {
    statuses: [...INSTALLING_STATUSES, 'error'],
    code: 'forbidden',
    refusal: 'agents get its files and credentials only while it is being installed',
  },
  'download-logs': { statuses: CLUSTER_STATUSES, code: 'not-allowed-in-state', refusal: '' },
  'upload-logs': { statuses: CLUSTER_STATUSES, code: 'not-allowed-in-state', refusal: '' },
  /** `error` is included: after a passed deadline the installation may still succeed (docs/adr/0011). */
  'accept-ingress-ca': {
    statuses: ['finalizing', 'installed', 'error'],
    code: 'invalid-input',
    refusal: 'its ingress certificate is not expected now',
  },
  deregister: {
    statuses: exceptStatuses('installing'),
    code: 'not-allowed-in-state',
    refusal: 'its hosts are being installed; cancel the installation first',
  },
} as const satisfies Record<string, Permission<ClusterStatus>>;
export type ClusterAction = keyof typeof CLUSTER_PERMISSIONS;

/** Returns whether a cluster in this status permits the action. */
export function clusterPermits(action: ClusterAction, status: string): boolean {
  const { statuses }: Permission<ClusterStatus> = CLUSTER_PERMISSIONS[action];
  return statuses.some((permitted) => permitted === status);
}

/** Returns why a cluster in this status does not permit the action; undefined when it does. */
export function clusterActionRefusal(action: ClusterAction, status: string, name?: string): Refusal | undefined {
  if (clusterPermits(action, status)) return undefined;
  const { statuses, code, refusal }: Permission<ClusterStatus> = CLUSTER_PERMISSIONS[action];
  const cluster = name ? `Cluster ${name}` : 'The cluster';
  return { code, reason: `${cluster} is ${status}: ${refusal}.`, subject: 'status', allowed: statuses };
}

/** The statuses in which a host permits each action. */
export const HOST_PERMISSIONS = {
  edit: EDITABLE,
  /** A discovery agent runs on the host and polls for steps. */
  poll: [...DISCOVERY, ...PREPARING, 'installing', 'installing-in-progress', ...UNBOUND, 'unbinding'],
  /** `installing-in-progress` is included: the path of the installation disk may change while the disk is written. */
  'report-inventory': [...DISCOVERY, 'installing-in-progress', ...UNBOUND],
  'report-progress': INSTALLING,
  /**
   * The disk holds its system once its stage is after the reboot. `installing-pending-user-action` is included: its user
   * action is to boot from the disk, and the registration of a discovery agent is refused.
   */
  'boot-from-disk': [
    'installing-in-progress',
    'installing-pending-user-action',
    'installed',
    'added-to-existing-cluster',
  ],
  /** A host is cancelled with its cluster. */
  'cancel-installation': CANCELLABLE,
  /** A host is reset with its cluster. */
  reset: RESETTABLE,
} as const satisfies Record<string, readonly HostStatus[]>;
export type HostAction = keyof typeof HOST_PERMISSIONS;

/** Returns whether a host in this status permits the action. */
export function hostPermits(action: HostAction, status: string): boolean {
  const statuses: readonly HostStatus[] = HOST_PERMISSIONS[action];
  return statuses.some((permitted) => permitted === status);
}

/** Returns whether the host runs the system on its disk, or is about to: network boot must not start a discovery agent. */
export const hostBootsFromDisk = (status: string, stage: string): boolean =>
  hostPermits('boot-from-disk', status) && (status === 'installed' || isAfterReboot(stage));

/**
 * Returns the reason why the cluster accepts no further host in its present status, or undefined when it accepts hosts.
 */
export function clusterAdmissionRefusal(cluster: ClusterState, clusterId: string): Refusal | undefined {
  if (cluster.status === 'unregistered' || cluster.status === 'deregistered')
    return { code: 'not-found', reason: `Cluster ${clusterId} does not exist.`, subject: 'cluster_id' };
  const refusal = clusterActionRefusal('admit-hosts', cluster.status, cluster.settings.name ?? clusterId);
  if (!refusal || cluster.status !== 'installed') return refusal;
  return { ...refusal, reason: `${refusal.reason} Allow it to add hosts first (actions/allow-add-hosts).` };
}

/**
 * Returns the reason why a host of this CPU architecture cannot join the cluster, or undefined. An empty architecture
 * is accepted.
 */
export function architectureRefusal(ofHost: string, ofCluster: string): Refusal | undefined {
  if (!ofHost || !ofCluster || ofCluster === 'multi' || sameName(ofHost) === sameName(ofCluster)) return undefined;
  return {
    code: 'invalid-input',
    reason: `The CPU architecture of the host is ${ofHost}. The cluster accepts ${ofCluster} only.`,
    subject: 'cluster_id',
    allowed: [ofCluster],
  };
}

/**
 * Returns the reason why images of this CPU architecture cannot be bound to the cluster, whose hosts boot them, or undefined. The
 * hosts of a disconnected cluster do not join it.
 */
export function imageArchitectureRefusal(
  ofImage: string,
  { kind, settings: { cpuArchitecture: ofCluster = '' } }: Pick<ClusterState, 'kind' | 'settings'>,
): Refusal | undefined {
  const mismatch = kind === 'DisconnectedCluster' ? undefined : architectureRefusal(ofImage, ofCluster);
  return (
    mismatch && {
      ...mismatch,
      reason: `The CPU architecture of the infra-env is ${ofImage}. Hosts of its cluster are ${ofCluster} only.`,
      subject: 'cpu_architecture',
    }
  );
}

/** aarch64 and arm64 are the same architecture. */
const sameName = (architecture: string): string => (architecture === 'aarch64' ? 'arm64' : architecture);

export type HostPlacement = Pick<HostState, 'kind' | 'role' | 'machineConfigPoolName'> & {
  readonly bootstrap: boolean;
};

/** Returns kind, role and pool of a new host: worker of an existing cluster, the single node, or `auto-assign`. */
export function placementIn(cluster: Pick<ClusterState, 'kind' | 'settings'> | undefined): HostPlacement {
  if (cluster?.kind === 'AddHostsCluster')
    return { kind: 'AddToExistingClusterHost', role: 'worker', bootstrap: false, machineConfigPoolName: 'worker' };
  const isSingleNode = cluster?.settings.controlPlaneCount === 1;
  return {
    kind: 'Host',
    role: isSingleNode ? 'master' : 'auto-assign',
    bootstrap: isSingleNode,
    machineConfigPoolName: '',
  };
}
