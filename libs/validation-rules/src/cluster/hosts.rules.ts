import { isSingleNode, supportsArbiters } from '../facts/cluster-settings.facts';
import { type ClusterFacts, type ClusterHostFacts, day1Hosts, effectiveRoleOf } from '../facts/cluster.facts';
import { AUTO_ASSIGN } from '../facts/host.facts';
import { type Claim, fail, failBecause, pass, pending } from '../rule/rule';
import type { ClusterRule } from './cluster-rule';

interface RoleCounts {
  readonly controlPlane: readonly ClusterHostFacts[];
  readonly arbiters: number;
  readonly workers: number;
}

/**
 * Counts a host without a role as the role that it would receive: control plane while needed, then arbiter, then
 * worker.
 */
function countRoles(facts: ClusterFacts): RoleCounts {
  const { controlPlaneCount } = facts.settings;
  const hosts = day1Hosts(facts);
  const withRole = (role: string): ClusterHostFacts[] => hosts.filter((host) => effectiveRoleOf(host) === role);
  const controlPlane = withRole('master');
  let [arbiters, workers] = [withRole('arbiter').length, withRole('worker').length];
  const mayAddArbiter = () => controlPlaneCount === 2 && arbiters === 0 && supportsArbiters(facts.settings);
  for (const host of withRole(AUTO_ASSIGN)) {
    if (host.canBeControlPlane && controlPlane.length < controlPlaneCount) controlPlane.push(host);
    else if (mayAddArbiter() && host.canBeArbiter) arbiters += 1;
    else workers += 1;
  }
  return { controlPlane, arbiters, workers };
}

/** A success, and a failure that no other role can end, count control plane hosts only: they do not change with every worker. */
export function controlPlaneClaim(facts: ClusterFacts): Claim {
  const { controlPlaneCount } = facts.settings;
  const { controlPlane, arbiters, workers } = countRoles(facts);
  const found = controlPlane.length;
  if (isSingleNode(facts.settings))
    return found === 1 && arbiters + workers === 0
      ? pass(found)
      : failBecause('single-node-roles', found, arbiters, workers);
  const isEnough = found === controlPlaneCount;
  if (controlPlaneCount !== 2) return isEnough ? pass(found) : fail(found, controlPlaneCount);
  const isFenced = controlPlane.every(({ hasFencingCredentials }) => hasFencingCredentials);
  return isEnough && (arbiters > 0 || isFenced) ? pass(found) : failBecause('two-node-roles', found, arbiters, workers);
}

/** Statuses of hosts that have just registered. Whether they will become ready is not known yet. */
/** `unregistered`: the host is registered, and the event with its first status follows. */
const ARRIVING_STATUSES = ['unregistered', 'discovering', 'binding'];
const READY_STATUSES = ['known', 'preparing-for-installation', 'preparing-successful'];
/** Statuses in which the clock offset of a host is outdated. */
const WITHOUT_CLOCK = ['disconnected', 'discovering', 'resetting-pending-user-action'];
const SKEW_MINUTES_MAX = 4;
const SECONDS_PER_MINUTE = 60;

/** Returns the largest difference between two clocks, in seconds. */
function clockSkewSeconds({ hosts }: ClusterFacts): number {
  let [earliest, latest] = [Infinity, -Infinity];
  for (const { status, clockOffsetSeconds } of hosts) {
    if (clockOffsetSeconds === undefined || WITHOUT_CLOCK.includes(status)) continue;
    earliest = Math.min(earliest, clockOffsetSeconds);
    latest = Math.max(latest, clockOffsetSeconds);
  }
  return latest >= earliest ? latest - earliest : 0;
}

const CONTROL_PLANE = '{0} control plane hosts';
const ROLES = `${CONTROL_PLANE}, {1} arbiters, {2} workers`;

export const HOSTS_RULES: readonly ClusterRule[] = [
  {
    id: 'all-hosts-are-ready-to-install',
    category: 'hosts-data',
    checks: 'Every host is known, preparing, or prepared.',
    needs: [],
    claim: ({ hosts }) => {
      if (hosts.length === 0) return pending('no-hosts');
      const behind = hosts.filter(({ status }) => !READY_STATUSES.includes(status));
      if (behind.length === 0) return pass();
      const isArriving = behind.every(({ status }) => ARRIVING_STATUSES.includes(status));
      return isArriving ? pending('awaits-hosts') : fail();
    },
    messages: {
      success: 'All hosts in the cluster are ready to install',
      // The number of these hosts would change the outcome with every host.
      failure: 'The cluster has hosts that are not ready to install',
      'no-hosts': 'Waiting for hosts',
      'awaits-hosts': 'Waiting for hosts to report their hardware',
    },
    initial: pending('no-hosts'),
    remedy: 'Read the validations of the hosts that are not ready. Remove hosts that are not needed from the cluster.',
    gate: 'ready',
  },
  {
    id: 'sufficient-masters-count',
    category: 'hosts-data',
    checks:
      'The cluster has as many control plane hosts as control_plane_count, and an arbiter or fencing when there are two.',
    needs: [],
    claim: (facts) => (facts.hosts.length === 0 ? failBecause('no-hosts') : controlPlaneClaim(facts)),
    messages: {
      success: { message: `The cluster has ${CONTROL_PLANE}`, measured: CONTROL_PLANE },
      failure: {
        message: `The cluster has ${CONTROL_PLANE}, {1} are required`,
        measured: CONTROL_PLANE,
        required: '{1} control plane hosts',
      },
      'single-node-roles': {
        message: `The cluster has ${ROLES}, a single node requires exactly 1 control plane host and no arbiter or worker`,
        measured: ROLES,
        required: '1 control plane host and no arbiter or worker',
      },
      'two-node-roles': {
        message: `The cluster has ${ROLES}, 2 control plane hosts with an arbiter or with fencing credentials are required`,
        measured: ROLES,
        required: '2 control plane hosts with an arbiter or with fencing credentials',
      },
      'no-hosts': 'The cluster has no hosts',
    },
    initial: failBecause('no-hosts'),
    remedy: 'Add hosts with enough resources, or change the roles of the hosts or control_plane_count.',
    gate: 'ready',
  },
  {
    id: 'ntp-server-configured',
    category: 'network',
    checks: 'The clocks of the hosts differ by at most 4 whole minutes (299 s).',
    needs: [],
    claim: (facts) => {
      const skew = clockSkewSeconds(facts);
      return Math.floor(skew / SECONDS_PER_MINUTE) <= SKEW_MINUTES_MAX ? pass() : fail(Math.round(skew));
    },
    messages: {
      success: 'The clocks of the hosts are synchronized',
      failure: {
        message: `The clocks of the hosts differ by {0} s, at most ${SKEW_MINUTES_MAX} minutes are allowed`,
        measured: '{0} s',
        required: `at most ${SKEW_MINUTES_MAX} minutes`,
      },
    },
    remedy: 'Synchronize all hosts with the same NTP source. Add one in the settings of the cluster.',
    gate: 'ready',
    mayFlap: true,
  },
];
