import type { HostRole, HostStatus } from '../host/state';

/** Counts of hosts by role. */
export interface RoleCounts {
  readonly masters: number;
  readonly arbiters: number;
  readonly workers: number;
}

/** The counts of hosts that the guards of the cluster evaluate. `summarizeHosts` creates it. */
export interface HostSummary {
  readonly total: number;
  /** Hosts per v2 host status. Statuses without hosts are absent. */
  readonly statuses: Readonly<Partial<Record<string, number>>>;
  /** By assigned role. The bootstrap host counts as master. */
  readonly expected: RoleCounts;
  /** By effective role: in status `installed`, or failed with its cluster after its last stage. */
  readonly installed: RoleCounts;
  /** By effective role: in a status that leads to `installed`, or in `installed`. */
  readonly completable: RoleCounts;
  /** By effective role, in any status. */
  readonly effectiveWorkers: number;
  /** True for exactly two masters with fencing credentials and no arbiter. */
  readonly isFencingPair: boolean;
  /** One of the hosts is the bootstrap host. */
  readonly hasBootstrap: boolean;
}

/** The members of a host that are counted. */
export interface SummarizedHost {
  readonly status: string;
  readonly role: HostRole;
  /** Empty until suggested. */
  readonly suggestedRole: string;
  readonly isBootstrap: boolean;
  readonly hasFencingCredentials: boolean;
  /** Its last stage was `Done`. */
  readonly hasReachedDone: boolean;
}

const COMPLETABLE_STATUSES: ReadonlySet<string> = new Set<HostStatus>([
  'preparing-successful',
  'installing',
  'installing-in-progress',
  'installing-pending-user-action',
  'installed',
]);

/** Returns whether a host may still be installed in this attempt. No status of the other hosts leads to `installed` in it. */
export const awaitsHosts = ({ statuses }: HostSummary): boolean =>
  Object.keys(statuses).some((status) => status !== 'installed' && COMPLETABLE_STATUSES.has(status));

/** Returns the assigned role. For automatic roles, returns the suggested role or `auto-assign`. */
export function effectiveRoleOf(host: Pick<SummarizedHost, 'role' | 'suggestedRole'>): string {
  return host.role === 'auto-assign' && host.suggestedRole !== '' ? host.suggestedRole : host.role;
}

/** Returns the counts for the day-1 hosts of one cluster, given in any order. */
export function summarizeHosts(hosts: readonly SummarizedHost[]): HostSummary {
  const statuses: Record<string, number> = {};
  const [expected, installed, completable, effective] = [noCounts(), noCounts(), noCounts(), noCounts()];
  let fencedMasters = 0;
  for (const host of hosts) {
    const { status, role, isBootstrap, hasReachedDone } = host;
    const effectiveRole = effectiveRoleOf(host);
    statuses[status] = (statuses[status] ?? 0) + 1;
    countRole(expected, isBootstrap ? 'master' : role);
    countRole(effective, effectiveRole);
    if (status === 'installed' || (status === 'error' && hasReachedDone)) countRole(installed, effectiveRole);
    if (COMPLETABLE_STATUSES.has(status)) countRole(completable, effectiveRole);
    if (effectiveRole === 'master' && host.hasFencingCredentials) fencedMasters += 1;
  }
  return {
    total: hosts.length,
    statuses,
    expected,
    installed,
    completable,
    effectiveWorkers: effective.workers,
    isFencingPair: effective.masters === 2 && effective.arbiters === 0 && fencedMasters === 2,
    hasBootstrap: hosts.some(({ isBootstrap }) => isBootstrap),
  };
}

type Counts = { -readonly [Role in keyof RoleCounts]: RoleCounts[Role] };
const noCounts = (): Counts => ({ masters: 0, arbiters: 0, workers: 0 });

function countRole(counts: Counts, role: string): void {
  if (role === 'master') counts.masters += 1;
  else if (role === 'arbiter') counts.arbiters += 1;
  else if (role === 'worker') counts.workers += 1;
}

const CONTROL_PLANE_MIN = 3;
/** The minimum with an arbiter, or with two hosts that can fence each other. */
const REDUCED_CONTROL_PLANE_MIN = 2;
/** The number of workers from which on workers run the workload. This number must be installed. */
const WORKERS_MIN = 2;

/**
 * Returns whether the counted hosts are enough: all control plane hosts, one arbiter if there is one, and two workers
 * if there are at least two. Further workers do not fail an installation.
 */
export function isEnough(counts: RoleCounts, hosts: HostSummary, controlPlaneCount: number): boolean {
  if (controlPlaneCount === 1) return counts.masters === 1 && counts.workers === 0;
  const { expected } = hosts;
  const mastersMin = expected.arbiters > 0 || hosts.isFencingPair ? REDUCED_CONTROL_PLANE_MIN : CONTROL_PLANE_MIN;
  return (
    expected.masters >= mastersMin &&
    counts.masters >= expected.masters &&
    (expected.arbiters === 0 || counts.arbiters >= 1) &&
    (expected.workers < WORKERS_MIN || counts.workers >= WORKERS_MIN)
  );
}

/**
 * Returns whether enough hosts of every role are installed, are still installing, or can no longer complete the
 * cluster.
 */
export function installationBlockingStatus(
  hosts: HostSummary,
  controlPlaneCount: number,
): 'enough-installed' | 'enough-on-the-way' | 'too-few' {
  if (isEnough(hosts.installed, hosts, controlPlaneCount)) return 'enough-installed';
  return isEnough(hosts.completable, hosts, controlPlaneCount) ? 'enough-on-the-way' : 'too-few';
}
