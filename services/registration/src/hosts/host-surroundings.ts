import type { HostSurroundings } from '@muster/domain';
import type { HostEntry, RegistrationView } from '../view/registration-view';
import { isComplete } from '../view/host-summary';

export function surroundingsOf(entry: HostEntry, view: RegistrationView, softTimeouts: boolean): HostSurroundings {
  const cluster = view.cluster(entry.state.clusterId);
  return {
    conditions: entry.conditions,
    softTimeouts,
    cluster: cluster && {
      status: cluster.state.status,
      // Asked of hosts that wait for a person only: a sum over the cluster is not worth it for the others.
      isInstallationQuorumMet:
        entry.state.status === 'installing-pending-user-action' &&
        isComplete(
          view.hostsOf(cluster.id).filter(({ key }) => key !== entry.key),
          cluster.state.settings.controlPlaneCount ?? 3,
        ),
    },
  };
}
