import type { ProblemCode, Refusal } from '@muster/problems';
import { CLUSTER_STATUSES, type ClusterStatus } from './cluster-status';
import { exceptStatuses, OPEN_STATUSES, UPDATABLE_STATUSES } from './rows/phases';

export interface ClusterPermission {
  readonly allowed: readonly ClusterStatus[];
  readonly code: ProblemCode;
  /** Completes "The cluster is <status>: …". */
  readonly refusal: string;
}

const WITH_KUBECONFIG = [
  'finalizing',
  'installed',
  'error',
  'adding-hosts',
  'cancelled',
  'installing-pending-user-action',
] as const satisfies readonly ClusterStatus[];
const WITH_FILES = ['installing', ...WITH_KUBECONFIG] as const;

/** What depends on a cluster's status outside of its own table, for services and endpoints that act for it. */
export const CLUSTER_PERMISSIONS = {
  'accept-hosts': {
    allowed: UPDATABLE_STATUSES,
    code: 'cluster-does-not-accept-hosts',
    refusal: 'it does not take hosts now',
  },
  update: { allowed: UPDATABLE_STATUSES, code: 'not-allowed-in-state', refusal: 'its settings cannot be changed now' },
  'ignore-validations': {
    allowed: UPDATABLE_STATUSES,
    code: 'invalid-input',
    refusal: 'which validations are ignored cannot be changed now',
  },
  'create-manifest': { allowed: CLUSTER_STATUSES, code: 'invalid-input', refusal: '' },
  'change-manifest': { allowed: OPEN_STATUSES, code: 'invalid-input', refusal: 'its manifests are settled' },
  'override-install-config': { allowed: CLUSTER_STATUSES, code: 'not-allowed-in-state', refusal: '' },
  'download-kubeconfig': {
    allowed: WITH_KUBECONFIG,
    code: 'not-allowed-in-state',
    refusal: 'its kubeconfig does not exist yet',
  },
  'download-files': { allowed: WITH_FILES, code: 'not-allowed-in-state', refusal: 'its files do not exist yet' },
  /** kubeconfig without ingress and password, for an installer that carries its own service. */
  'download-credentials-as-agent-installer': {
    allowed: ['ready', 'preparing-for-installation', ...WITH_FILES],
    code: 'not-allowed-in-state',
    refusal: 'its credentials do not exist yet',
  },
  'download-logs': { allowed: CLUSTER_STATUSES, code: 'not-allowed-in-state', refusal: '' },
  /** `error` too: after a deadline a late success may still come; after failed hosts the cluster's own table refuses. */
  'upload-ingress-certificate': {
    allowed: ['finalizing', 'installed', 'error'],
    code: 'invalid-input',
    refusal: 'its ingress certificate is not expected now',
  },
  deregister: {
    allowed: exceptStatuses('installing'),
    code: 'not-allowed-in-state',
    refusal: 'its hosts are being installed; cancel the installation first',
  },
} as const satisfies Record<string, ClusterPermission>;
export type ClusterAction = keyof typeof CLUSTER_PERMISSIONS;

/** Why the action is not possible in this status, or undefined when it is. */
export function clusterActionRefusal(action: ClusterAction, status: string): Refusal | undefined {
  const { allowed, code, refusal }: ClusterPermission = CLUSTER_PERMISSIONS[action];
  if ((allowed as readonly string[]).includes(status)) return undefined;
  return { code, reason: `The cluster is ${status}: ${refusal}.`, subject: 'status', allowed };
}
