/** `host.status` of the contract, in its order of mention there. */
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

/** Where a transition may start: a status, or before the first registration and after the last deregistration. */
export const HOST_SOURCES = ['unregistered', ...HOST_STATUSES] as const;
export type HostSource = (typeof HOST_SOURCES)[number];

/** `AddToExistingClusterHost` is a day-2 host. */
export const HOST_KINDS = ['Host', 'AddToExistingClusterHost'] as const;
export type HostKind = (typeof HOST_KINDS)[number];

/** Roles that can be assigned; whether a host is the bootstrap is a flag beside its role. */
export const HOST_ROLES = ['auto-assign', 'master', 'arbiter', 'worker'] as const;
export type HostRole = (typeof HOST_ROLES)[number];

/** Why a host is in `error`. After `deadline` and `silence` the machine may still succeed; after `cluster` it may return. */
export const FAILURE_CAUSES = ['deadline', 'silence', 'cluster', 'restart', 'media', 'report'] as const;
export type FailureCause = (typeof FAILURE_CAUSES)[number];
