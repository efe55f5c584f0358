import { isSingleNode } from '../facts/cluster-settings.facts';
import { type ClusterFacts, type ClusterHostFacts, day1Hosts, effectiveRoleOf } from '../facts/cluster.facts';
import { AUTO_ASSIGN } from '../roles/effective-role';
import { type Claim, passIf } from '../rule/rule';

interface RoleCounts {
  readonly controlPlane: readonly ClusterHostFacts[];
  readonly arbiters: number;
  readonly workers: number;
}

/** Hosts without a role yet are counted as what they would be given: control plane while needed, then arbiter, then worker. */
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
  const measured = `${controlPlane.length} control plane hosts, ${arbiters} arbiters, ${workers} workers`;
  if (isSingleNode(facts.settings))
    return passIf(controlPlane.length === 1 && workers === 0, measured, '1 control plane host and no worker');
  const isEnough = controlPlane.length === controlPlaneCount;
  if (controlPlaneCount !== 2) return passIf(isEnough, measured, `${controlPlaneCount} control plane hosts`);
  const isFenced = controlPlane.every(({ hasFencingCredentials }) => hasFencingCredentials);
  return passIf(
    isEnough && (arbiters > 0 || isFenced),
    measured,
    '2 control plane hosts with an arbiter or with fencing credentials',
  );
}
