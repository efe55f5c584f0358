import type { HostRole, HostStatus } from '../host/state';

/** Numbers of hosts by role. */
export interface RoleCounts {
  readonly masters: number;
  readonly arbiters: number;
  readonly workers: number;
}

/** What the cluster's table asks of its hosts, as numbers: made by `summarizeHosts`. */
export interface HostSummary {
  readonly total: number;
  /** Hosts per host status, as on the wire; statuses without hosts are left out. */
  readonly statuses: Readonly<Partial<Record<string, number>>>;
  /** By assigned role; the bootstrap counts as a master. */
  readonly expected: RoleCounts;
  /** By effective role, in status `installed`, or fallen with its cluster after it had arrived. */
  readonly installed: RoleCounts;
  /** By effective role, in a status on the way to `installed` or in it. */
  readonly onTheWay: RoleCounts;
  /** By effective role, in any status. */
  readonly effectiveWorkers: number;
  /** Exactly two masters, both with fencing credentials, and no arbiter. */
  readonly isFencingPair: boolean;
}

/** What of a host of the cluster counts. */
export interface SummarizedHost {
  readonly status: string;
  readonly role: HostRole;
  /** Empty until suggested. */
  readonly suggestedRole: string;
  readonly isBootstrap: boolean;
  readonly hasFencingCredentials: boolean;
  /** Its last stage was `Done`. */
  readonly hasArrived: boolean;
}

const ON_THE_WAY: ReadonlySet<string> = new Set<HostStatus>([
  'preparing-successful',
  'installing',
  'installing-in-progress',
  'installing-pending-user-action',
  'installed',
]);

/** The assigned role, or for automatic ones the suggested one, or `auto-assign`. */
export function effectiveRoleOf(host: Pick<SummarizedHost, 'role' | 'suggestedRole'>): string {
  return host.role === 'auto-assign' && host.suggestedRole !== '' ? host.suggestedRole : host.role;
}

/** Day-1 hosts of one cluster, in any order. */
export function summarizeHosts(hosts: readonly SummarizedHost[]): HostSummary {
  const statuses: Record<string, number> = {};
  for (const { status } of hosts) statuses[status] = (statuses[status] ?? 0) + 1;
  const masters = hosts.filter((host) => effectiveRoleOf(host) === 'master');
  const effective = countRoles(hosts, effectiveRoleOf);
  return {
    total: hosts.length,
    statuses,
    expected: countRoles(hosts, (host) => (host.isBootstrap ? 'master' : host.role)),
    installed: countRoles(
      hosts.filter(({ status, hasArrived }) => status === 'installed' || (status === 'error' && hasArrived)),
      effectiveRoleOf,
    ),
    onTheWay: countRoles(
      hosts.filter(({ status }) => ON_THE_WAY.has(status)),
      effectiveRoleOf,
    ),
    effectiveWorkers: effective.workers,
    isFencingPair:
      masters.length === 2 && effective.arbiters === 0 && masters.every((host) => host.hasFencingCredentials),
  };
}

function countRoles(hosts: readonly SummarizedHost[], roleOf: (host: SummarizedHost) => string): RoleCounts {
  const count = (role: string): number => hosts.filter((host) => roleOf(host) === role).length;
  return { masters: count('master'), arbiters: count('arbiter'), workers: count('worker') };
}

const CONTROL_PLANE_MIN = 3;
/** With an arbiter, or with a pair that can fence each other. */
const REDUCED_CONTROL_PLANE_MIN = 2;
/** From this number on, workers carry the workload and this many of them have to arrive. */
const WORKERS_MIN = 2;

/**
 * Do the hosts counted make the cluster that was asked for? All control plane hosts, one arbiter where there is one, and
 * two workers where there are two: workers that stay out do not fail an installation.
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

/** Whether enough hosts of every role are installed, are still installing, or can no longer complete the cluster. */
export function installationBlockingStatus(
  hosts: HostSummary,
  controlPlaneCount: number,
): 'enough-installed' | 'enough-on-the-way' | 'too-few' {
  if (isEnough(hosts.installed, hosts, controlPlaneCount)) return 'enough-installed';
  return isEnough(hosts.onTheWay, hosts, controlPlaneCount) ? 'enough-on-the-way' : 'too-few';
}
