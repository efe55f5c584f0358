import type { ClusterFacts } from '../facts/cluster.facts';
import { passIf } from '../rule/rule';
import type { ClusterRule } from './cluster-rule';
import { controlPlaneClaim } from './control-plane-count';

const READY_STATUSES = ['known', 'preparing-for-installation', 'preparing-successful'];
/** Statuses in which the clock of a host is out of date. */
const WITHOUT_CLOCK = ['disconnected', 'discovering', 'resetting-pending-user-action'];
const SKEW_MINUTES_MAX = 4;
const SECONDS_PER_MINUTE = 60;

/** Largest difference between two clocks, in seconds. */
function clockSkewSeconds({ hosts }: ClusterFacts): number {
  let [earliest, latest] = [Infinity, -Infinity];
  for (const { status, clockOffsetSeconds } of hosts) {
    if (clockOffsetSeconds === undefined || WITHOUT_CLOCK.includes(status)) continue;
    earliest = Math.min(earliest, clockOffsetSeconds);
    latest = Math.max(latest, clockOffsetSeconds);
  }
  return latest >= earliest ? latest - earliest : 0;
}

export const HOSTS_RULES: readonly ClusterRule[] = [
  {
    id: 'all-hosts-are-ready-to-install',
    category: 'hosts-data',
    checks: 'Every host is known, or has gone further.',
    needs: [],
    claim: ({ hosts }) => {
      const behind = hosts.filter(({ status }) => !READY_STATUSES.includes(status)).length;
      return passIf(behind === 0, `${behind} of ${hosts.length}`);
    },
    explain: ({ passed, measured }) => (passed ? 'All hosts are ready' : `Hosts that are not ready: ${measured}`),
    remedy: 'Check the validations of the hosts that are not ready; take hosts that are not needed out of the cluster.',
    gate: 'ready',
  },
  {
    id: 'sufficient-masters-count',
    category: 'hosts-data',
    checks:
      'There are as many control plane hosts as the cluster is to have, and an arbiter or fencing for two of them.',
    needs: [],
    claim: controlPlaneClaim,
    explain: ({ passed, measured, required }) =>
      passed ? `There are ${measured}` : `There are ${measured}, needed are ${required}`,
    remedy: 'Add hosts that are strong enough, or change the roles of hosts or control_plane_count.',
    gate: 'ready',
  },
  {
    id: 'ntp-server-configured',
    category: 'network',
    checks: 'The clocks of the hosts differ by at most 4 whole minutes (299 s).',
    needs: [],
    claim: (facts) => {
      const skew = clockSkewSeconds(facts);
      const minutes = Math.floor(skew / SECONDS_PER_MINUTE);
      return passIf(minutes <= SKEW_MINUTES_MAX, `${Math.round(skew)} s`, `${SKEW_MINUTES_MAX} minutes`);
    },
    explain: ({ passed, measured, required }) =>
      passed ? 'Clocks of the hosts agree' : `Clocks of the hosts differ by ${measured}, allowed are ${required}`,
    remedy: 'Let all hosts follow the same time source; name one in the settings of the cluster.',
    gate: 'ready',
    comesAndGoes: true,
  },
];
