import { installationBlockingStatus, type SummarizedHost, summarizeHosts } from '@muster/domain';
import type { HostEntry } from './registration-view';

export const toSummarizedHost = ({ state }: HostEntry): SummarizedHost => ({
  status: state.status,
  role: state.role,
  suggestedRole: state.suggestedRole,
  isBootstrap: state.isBootstrap,
  hasArrived: state.progress.stage === 'Done',
  hasFencingCredentials: state.settings.fencingCredentialsSet ?? false,
});

/** Whether the cluster is complete enough to do without one of its hosts. */
export function isComplete(others: readonly HostEntry[], controlPlaneCount: number): boolean {
  return (
    installationBlockingStatus(summarizeHosts(others.map(toSummarizedHost)), controlPlaneCount) === 'enough-installed'
  );
}
