import type { MonitoredOperator, Plain } from '@muster/contracts';
import type { HostSummary } from '../roles/host-summary';
import type { ClusterProgress, ClusterState } from './state';

/** Share of each part in the whole, in percent. The rest is the jump at the end: only an installed cluster shows 100. */
export const PROGRESS_WEIGHTS = { preparing: 10, installing: 70, finalizing: 15 } as const;
const ALL = 100;

const weighed = (part: keyof typeof PROGRESS_WEIGHTS, percentage: number): number =>
  (PROGRESS_WEIGHTS[part] * percentage) / ALL;

/** Hosts and artifacts are prepared. */
export function progressPrepared(progress: ClusterProgress): ClusterProgress {
  return { ...progress, preparing: ALL, total: Math.max(progress.total, PROGRESS_WEIGHTS.preparing) };
}

/** Hosts moved on. The total never falls: a host that starts its stages over is its own bar's matter. */
export function progressInstalling(
  progress: ClusterProgress,
  stagesReached: number,
  stagesTotal: number,
): ClusterProgress {
  const installing = stagesTotal === 0 ? 0 : Math.min(ALL, Math.floor((ALL * stagesReached) / stagesTotal));
  const total =
    Math.floor(weighed('installing', installing)) +
    Math.floor(weighed('preparing', progress.preparing) + weighed('finalizing', progress.finalizing));
  return { ...progress, installing, total: Math.max(progress.total, total) };
}

/** An operator reported. A report that would take the total back changes nothing. */
export function progressFinalizing(
  progress: ClusterProgress,
  operators: readonly Plain<MonitoredOperator>[],
): ClusterProgress {
  if (operators.length === 0) return progress;
  const finalizing = Math.floor((ALL * operators.filter(isOperatorDone).length) / operators.length);
  const total =
    Math.floor(weighed('finalizing', finalizing)) +
    Math.floor(weighed('preparing', progress.preparing) + weighed('installing', progress.installing));
  return total < progress.total ? progress : { ...progress, finalizing, total };
}

export function progressComplete(progress: ClusterProgress): ClusterProgress {
  return { ...progress, finalizing: ALL, total: ALL };
}

/** Built-in operators have to be available; of an optional one a failure is an end too. */
export function isOperatorDone({ operatorType, status }: Plain<MonitoredOperator>): boolean {
  return status === 'available' || (operatorType === 'olm' && status === 'failed');
}

export type ClusterCompletion = 'complete' | 'operators-failed' | 'workers-missing' | 'incomplete';

/** Returns how far the installation is complete. Without monitored operators the kubeconfig alone decides. */
export function completionOf(state: ClusterState, hosts: HostSummary): ClusterCompletion {
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
