import type { HostRole } from '../host/status';
import { effectiveRoleOf } from './host-summary';

const CORES_OF_SMALLEST = 4;
const GIB_OF_SMALLEST = 16;
const DISK_GIB_OF_SMALLEST = 100;
const WEIGHT_PER_MEMORY_GIB = 0.1;
const WEIGHT_PER_DISK_GIB = 0.004;

/** Statuses in which a role is still open. */
export const STATUSES_WITH_OPEN_ROLE: ReadonlySet<string> = new Set([
  'discovering',
  'known',
  'disconnected',
  'insufficient',
  'pending-for-input',
]);

export interface HardwareSize {
  readonly cores: number;
  readonly usableMemoryGib: number;
  /** Of all disks that could be installed on. */
  readonly eligibleDisksGib: number;
  readonly hasGpu: boolean;
}

/** A host as role assignment sees it. */
export interface RoleCandidate {
  readonly hostId: string;
  readonly status: string;
  readonly role: HostRole;
  /** Empty until suggested. */
  readonly suggestedRole: string;
  /** Undefined while the host has no inventory. */
  readonly size: HardwareSize | undefined;
  /** Cores, memory and operators suffice for a control plane host. */
  readonly canBeControlPlane: boolean;
  /** Cores and memory suffice for an arbiter. */
  readonly canBeArbiter: boolean;
}

export interface SuggestedRole {
  readonly hostId: string;
  readonly role: HostRole;
}

/** How much of a machine it is. 0 is the smallest that can be a control plane host. */
export function hostWeight(size: HardwareSize): number {
  return (
    size.cores -
    CORES_OF_SMALLEST +
    WEIGHT_PER_MEMORY_GIB * (size.usableMemoryGib - GIB_OF_SMALLEST) +
    WEIGHT_PER_DISK_GIB * (size.eligibleDisksGib - DISK_GIB_OF_SMALLEST)
  );
}

/**
 * Suggestions that differ from the present ones, for day-1 hosts whose role is automatic and open. The weakest machines
 * that suffice become control plane hosts, machines with a GPU last, so that the strong ones are left for work. Nothing is
 * suggested until every host has an inventory: the one that is missing might be the better choice. Ties go by host id.
 */
export function suggestRoles(hosts: readonly RoleCandidate[], controlPlaneCount: number): readonly SuggestedRole[] {
  if (hosts.some(({ size }) => !size)) return [];
  const isOpen = (host: RoleCandidate): boolean =>
    host.role === 'auto-assign' && STATUSES_WITH_OPEN_ROLE.has(host.status);
  const settled = hosts.filter((host) => !isOpen(host)).map(effectiveRoleOf);
  let masters = settled.filter((role) => role === 'master').length;
  let arbiters = settled.filter((role) => role === 'arbiter').length;
  const suggestions: SuggestedRole[] = [];
  for (const host of hosts.filter(isOpen).sort(bySizeThenId)) {
    const role = nextRole(host, masters, arbiters, controlPlaneCount);
    if (role === 'master') masters += 1;
    if (role === 'arbiter') arbiters += 1;
    if (role !== host.suggestedRole) suggestions.push({ hostId: host.hostId, role });
  }
  return suggestions;
}

function nextRole(host: RoleCandidate, masters: number, arbiters: number, controlPlaneCount: number): HostRole {
  if (masters < controlPlaneCount && host.canBeControlPlane) return 'master';
  return controlPlaneCount === 2 && arbiters === 0 && host.canBeArbiter ? 'arbiter' : 'worker';
}

function bySizeThenId(first: RoleCandidate, second: RoleCandidate): number {
  const rank = ({ size }: RoleCandidate): readonly [number, number] =>
    size ? [size.hasGpu ? 1 : 0, hostWeight(size)] : [0, 0];
  const [a, b] = [rank(first), rank(second)];
  return a[0] - b[0] || a[1] - b[1] || (first.hostId < second.hostId ? -1 : 1);
}
