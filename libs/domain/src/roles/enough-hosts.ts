import type { HostSummary, RoleCounts } from './host-summary';

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

/** Of every role enough hosts are installed; else enough are on their way; else the cluster cannot come about. */
export function installationBlockingStatus(
  hosts: HostSummary,
  controlPlaneCount: number,
): 'enough-installed' | 'enough-on-the-way' | 'too-few' {
  if (isEnough(hosts.installed, hosts, controlPlaneCount)) return 'enough-installed';
  return isEnough(hosts.onTheWay, hosts, controlPlaneCount) ? 'enough-on-the-way' : 'too-few';
}
