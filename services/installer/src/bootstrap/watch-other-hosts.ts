import { hasFetchedIgnition, type ServiceHost } from '@muster/host-api';
import { type Installation, note, reportStageOf, type Stage } from '../installation';

const POLL_MS = 30_000;
const LOG_FOLDER = '/var/log/containers';
const LOG_NAME = /machine-config-server.*\.log$/;
const PAST_CONFIGURING: readonly string[] = ['Configuring', 'Joined', 'Done', 'Waiting for ignition'];

/**
 * Reports which hosts fetched their ignition from the machine-config server of the bootstrap host, until `signal` is aborted.
 * A worker is then at Waiting for ignition: its kubelet asks the cluster itself once more.
 */
export async function watchOtherHosts(installation: Installation, signal: AbortSignal): Promise<void> {
  const { api, settings, timer } = installation;
  while (!signal.aborted) {
    try {
      const log = await machineConfigServerLog(installation);
      if (log !== '') {
        const { hosts = [] } = await api.cluster(settings.clusterId, true, signal);
        for (const host of hosts.filter(({ id }) => id !== settings.hostId))
          await reportConfiguring(installation, host, log, signal);
      }
    } catch (error) {
      if (!signal.aborted) note(installation, `The other hosts were not reported: ${(error as Error).message}`);
    }
    await timer.sleep(POLL_MS, signal);
  }
}

async function reportConfiguring(
  installation: Installation,
  host: ServiceHost,
  log: string,
  signal: AbortSignal,
): Promise<void> {
  const stage = host.progress?.current_stage ?? '';
  if (PAST_CONFIGURING.includes(stage) || host.status === 'installed' || !hasFetchedIgnition(host, log)) return;
  const next: Stage = host.role === 'worker' ? 'Waiting for ignition' : 'Configuring';
  const infraEnvId = host.infra_env_id ?? installation.settings.infraEnvId;
  await reportStageOf(installation, { hostId: host.id, infraEnvId }, next, '', signal);
}

async function machineConfigServerLog({ host }: Installation): Promise<string> {
  const name = (await host.list(LOG_FOLDER)).find((file) => LOG_NAME.test(file));
  return name === undefined ? '' : ((await host.readFile(`${LOG_FOLDER}/${name}`))?.toString('utf8') ?? '');
}
