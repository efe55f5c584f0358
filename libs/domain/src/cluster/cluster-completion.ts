import type { HostSummary } from '../roles/host-summary';
import { isOperatorDone } from './cluster-progress';
import type { ClusterState } from './cluster-state';
import type { ClusterVariables } from './cluster-row';

/** Is the installation over, and how well did it go? Without monitored operators the kubeconfig alone decides. */
export function completionOf(state: ClusterState, hosts: HostSummary): ClusterVariables['completion'][number] {
  const settled = (hosts.statuses['installed'] ?? 0) + (hosts.statuses['error'] ?? 0) === hosts.total;
  if (hosts.total === 0 || !settled || !state.hasKubeconfig || !state.operators.every(isOperatorDone))
    return 'incomplete';
  if (failedOperators(state).length > 0) return 'operators-failed';
  return hosts.installed.workers < hosts.effectiveWorkers ? 'workers-missing' : 'complete';
}

/** Names of the optional operators that failed. */
export function failedOperators(state: ClusterState): readonly string[] {
  return state.operators
    .filter(({ operatorType, status }) => operatorType === 'olm' && status === 'failed')
    .map(({ name }) => name);
}
