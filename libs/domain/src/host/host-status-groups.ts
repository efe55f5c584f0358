import { HOST_STATUSES, type HostStatus } from './host-status';

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
/** A person may still change what the host is to become. */
export const EDITABLE: Group = [...DISCOVERY, ...POOL, 'binding'];
/** Belongs to a cluster whatever happens to it there. */
export const COMMITTED: Group = [...INSTALLING, 'installed', 'added-to-existing-cluster'];

export function statusesExcept(...left: readonly Group[]): Group {
  const out = new Set(left.flat());
  return HOST_STATUSES.filter((status) => !out.has(status));
}
