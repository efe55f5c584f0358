import { type Installation, reportStage, waitUntil } from './installation';

const POLL_MS = 5_000;
const CONTROL_PLANE_HOSTS_MIN = 2;
const CONTROL_PLANE_ROLES = ['master', 'arbiter'];

/** A worker reboots when two hosts of the control plane are done; a host of day 2 does not wait. */
export async function waitForControlPlane(installation: Installation, signal: AbortSignal): Promise<void> {
  const { api, settings } = installation;
  await reportStage(installation, 'Waiting for control plane', '', signal);
  const { kind } = await api.cluster(settings.clusterId, false, signal);
  if (kind === 'AddHostsCluster') return;
  const areEnoughDone = async (): Promise<boolean> => {
    const hosts = await Promise.all(
      CONTROL_PLANE_ROLES.map((role) => api.hostsOfRole(settings.clusterId, role, signal)),
    );
    const done = hosts.flat().filter(({ progress }) => progress?.current_stage === 'Done');
    return done.length >= CONTROL_PLANE_HOSTS_MIN;
  };
  await waitUntil(installation, 'the control plane', POLL_MS, areEnoughDone, signal);
}
