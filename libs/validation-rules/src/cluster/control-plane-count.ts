import { isSingleNode } from '../facts/cluster-settings.facts';
import { type ClusterFacts, type ClusterHostFacts, day1Hosts, effectiveRoleOf } from '../facts/cluster.facts';
import { AUTO_ASSIGN } from '../roles/effective-role';
import { type Claim, failBecause, passIf } from '../rule/rule';

interface RoleCounts {
  readonly controlPlane: readonly ClusterHostFacts[];
  readonly arbiters: number;
  readonly workers: number;
}

/** Counts a host without a role as the role it would be given: control plane while needed, then arbiter, then worker. */
function countRoles(facts: ClusterFacts): RoleCounts {
  const { controlPlaneCount } = facts.settings;
  const hosts = day1Hosts(facts);
  const withRole = (role: string): ClusterHostFacts[] => hosts.filter((host) => effectiveRoleOf(host) === role);
  const controlPlane = withRole('master');
  let [arbiters, workers] = [withRole('arbiter').length, withRole('worker').length];
  for (const host of withRole(AUTO_ASSIGN)) {
    if (host.canBeControlPlane && controlPlane.length < controlPlaneCount) controlPlane.push(host);
    else if (controlPlaneCount === 2 && arbiters === 0 && host.canBeArbiter) arbiters += 1;
    else workers += 1;
  }
  return { controlPlane, arbiters, workers };
}

export function controlPlaneClaim(facts: ClusterFacts): Claim {
  const { controlPlaneCount } = facts.settings;
  const { controlPlane, arbiters, workers } = countRoles(facts);
  const measured = [controlPlane.length, arbiters, workers] as const;
  if (isSingleNode(facts.settings)) {
    const isSingle = controlPlane.length === 1 && workers === 0;
    return isSingle ? passIf(true, ...measured) : failBecause('single-node-roles', ...measured);
  }
  const isEnough = controlPlane.length === controlPlaneCount;
  if (controlPlaneCount !== 2) return passIf(isEnough, ...measured, controlPlaneCount);
  const isFenced = controlPlane.every(({ hasFencingCredentials }) => hasFencingCredentials);
  return isEnough && (arbiters > 0 || isFenced)
    ? passIf(true, ...measured)
    : failBecause('two-node-roles', ...measured);
}
