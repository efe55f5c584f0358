import { type IgnitionConfig, mergeIgnition } from '@muster/ignition-config';
import { parseIgnition } from '../host-ignition';
import { type Installation, INSTALL_FOLDER, reportStage, waitUntil } from '../installation';
import { startBootstrap } from './start-bootstrap';

export const BOOTKUBE_DONE = '/opt/openshift/.bootkube.done';
const MASTER_IGNITION = '/opt/openshift/master.ign';
const POLL_MS = 5_000;

/**
 * A single node: runs the bootstrap control plane in the live system, then merges what it left with this host's own config.
 * What the disk is written with fetches nothing.
 */
export async function bootstrapInPlace(installation: Installation, signal: AbortSignal): Promise<void> {
  const { api, host, settings } = installation;
  await startBootstrap(installation, signal);
  await reportStage(installation, 'Waiting for bootkube', '', signal);
  await waitUntil(installation, 'bootkube', POLL_MS, () => host.exists(BOOTKUBE_DONE), signal);
  if (signal.aborted) return;
  const master = parseIgnition(await host.readFile(MASTER_IGNITION), MASTER_IGNITION);
  const { hostId, infraEnvId } = settings;
  const own = parseIgnition(await api.hostIgnition({ hostId, infraEnvId }, signal), `of host ${hostId}`);
  const path = `${INSTALL_FOLDER}/master-${hostId}.ign`;
  await host.writeFile(path, JSON.stringify(mergeIgnition(master, withoutSources(own))));
  installation.ignitionPath = path;
}

const withoutSources = ({ ignition: { config: _, ...ignition }, ...rest }: IgnitionConfig): IgnitionConfig => ({
  ...rest,
  ignition,
});
