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

type Group = readonly HostStatus[];

/** Bound, seen, not yet selected to an installation. */
export const DISCOVERY: Group = ['discovering', 'known', 'disconnected', 'insufficient', 'pending-for-input'];
/** The same without a cluster. */
export const POOL: Group = ['discovering-unbound', 'known-unbound', 'disconnected-unbound', 'insufficient-unbound'];
export const PREPARING: Group = ['preparing-for-installation', 'preparing-failed', 'preparing-successful'];
export const INSTALLING: Group = ['installing', 'installing-in-progress', 'installing-pending-user-action'];
export const RESETTING: Group = ['resetting', 'resetting-pending-user-action'];
export const LEAVING: Group = ['unbinding', 'unbinding-pending-user-action'];
export const RECLAIMING: Group = ['reclaiming', 'reclaiming-rebooting'];
/** Part of the contract, entered by nothing. */
export const DISABLED: Group = ['disabled', 'disabled-unbound'];
/** A user may still change what the host is to become. */
export const EDITABLE: Group = [...DISCOVERY, ...POOL, 'binding'];
/** Belongs to a cluster whatever happens to it there. */
export const COMMITTED: Group = [...INSTALLING, 'installed', 'added-to-existing-cluster'];

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
