import { type ClusterSettingsFacts } from '@muster/validation-rules';
import type { FactsView } from './facts-view';
import type { ClusterEntry, HostEntry } from './view-entries';

/** With fewer hosts nobody can tell which of them is cut off. */
const HOSTS_MIN = 3;
/** Two control plane hosts that fence each other are all there is. */
const FENCED_HOSTS_MIN = 2;

function majorityHostsMin({ controlPlaneCount }: ClusterSettingsFacts, hosts: readonly HostEntry[]): number {
  const isFenced = controlPlaneCount === 2 && hosts.some(({ state }) => state.settings.fencingCredentialsSet);
  return isFenced ? FENCED_HOSTS_MIN : HOSTS_MIN;
}

/** Every host of a cluster asks: hosts are looked at only where they may matter. */
export const majorityHostsMinOf = (cluster: ClusterEntry, view: FactsView): number =>
  majorityHostsMin(cluster.facts, cluster.facts.controlPlaneCount === 2 ? view.hostsOf(cluster) : []);
