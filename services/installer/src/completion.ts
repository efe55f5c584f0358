import { settleWithin } from '@muster/ports';
import { errorMessage } from '@muster/schema';
import { execute, withRetry } from './host.port';
import { type Installation, isBootstrap, isSingleNode, note, reportStage, waitUntil } from './installation';

const POLL_MS = 5_000;
const CONTROL_PLANE_HOSTS_MIN = 2;
const CONTROL_PLANE_ROLES = ['master', 'arbiter'];

/** A worker reboots when two control plane hosts are done. A day-2 host does not wait. */
export async function waitForControlPlane(installation: Installation, signal: AbortSignal): Promise<void> {
  const { api, settings } = installation;
  await reportStage(installation, 'Waiting for control plane', '', signal);
  let kind: string | undefined;
  const areEnoughDone = async (): Promise<boolean> => {
    kind ??= (await api.cluster(settings.clusterId, false, signal)).kind ?? 'Cluster';
    if (kind === 'AddHostsCluster') return true;
    const hosts = await Promise.all(
      CONTROL_PLANE_ROLES.map((role) => api.hostsOfRole(settings.clusterId, role, signal)),
    );
    const done = hosts.flat().filter(({ progress }) => progress?.current_stage === 'Done');
    return done.length >= CONTROL_PLANE_HOSTS_MIN;
  };
  await waitUntil(installation, 'the control plane', POLL_MS, areEnoughDone, signal);
}

/** Longest wait for the logs. Each call is repeated for hours when the server accepts connections and does not answer. */
const LOGS_MS_MAX = 15 * 60_000;

/** Sends the logs of the live system, which are lost with the reboot. A failure is logged. */
export async function sendLogs(installation: Installation, signal: AbortSignal): Promise<void> {
  const ending = new AbortController();
  const sent = gatherLogs(installation, AbortSignal.any([signal, ending.signal]));
  try {
    await settleWithin(LOGS_MS_MAX, sent, () => new Error(`they took longer than ${LOGS_MS_MAX / 60_000} minutes`));
  } catch (error) {
    if (!signal.aborted) note(installation, `The logs were not sent: ${errorMessage(error)}`);
  } finally {
    ending.abort();
  }
}

async function gatherLogs(installation: Installation, signal: AbortSignal): Promise<void> {
  const { api, host, settings } = installation;
  const { clusterId, hostId, infraEnvId } = settings;
  await api.reportHostLogs({ hostId, infraEnvId }, 'requested', signal);
  // The service is reached through the proxy of this process. The cluster may have another one.
  const environment = {
    PULL_SECRET_TOKEN: settings.token,
    MUSTER_SERVICE_URL: settings.serviceUrl,
    MUSTER_INFRA_ENV_ID: settings.infraEnvId,
    MUSTER_INSECURE: String(settings.isInsecure),
    MUSTER_CA_PATH: settings.caPath,
  };
  await execute(host, logCommand(installation, { clusterId, hostId, infraEnvId }), signal, { environment });
}

function logCommand(
  installation: Installation,
  ids: { readonly clusterId: string; readonly hostId: string; readonly infraEnvId: string },
): readonly string[] {
  const { logSender, serviceUrl, isInsecure, caPath } = installation.settings;
  const asBootstrap = isBootstrap(installation);
  if (logSender.kind === 'executable') {
    const order = {
      cluster_id: ids.clusterId,
      host_id: ids.hostId,
      infra_env_id: ids.infraEnvId,
      bootstrap: asBootstrap,
    };
    return [logSender.path, 'step', 'logs-gather', JSON.stringify(order)];
  }
  const mounts = ['/etc/pki:/etc/pki', '/run/systemd/journal/socket:/run/systemd/journal/socket', '/var/log:/var/log'];
  if (asBootstrap) mounts.push('/root/.ssh:/root/.ssh', '/tmp:/tmp');
  if (caPath) mounts.push(`${caPath}:${caPath}`);
  return [
    ...['podman', 'run', '--rm', '--privileged', '--net=host', '--pid=host'],
    ...mounts.flatMap((mount) => ['-v', mount]),
    ...['--env', 'PULL_SECRET_TOKEN', '--name', 'logs-sender', logSender.image, 'logs_sender'],
    ...['-cluster-id', ids.clusterId, '-url', serviceUrl, '-host-id', ids.hostId, '-infra-env-id', ids.infraEnvId],
    ...[`-insecure=${isInsecure}`, `-bootstrap=${asBootstrap}`],
    ...(caPath ? ['-cacert', caPath] : []),
  ];
}

const SHUTDOWN_MESSAGE = 'Installation completed, server is going to reboot.';
/** systemd may not answer in time while the temporary control plane needs all memory. Each attempt then takes half a minute. */
const SYSTEMD_RETRY = { tries: 12, intervalMs: 5_000 };

/** Reports the reboot and schedules it with a delay, so that the install step can still be answered. */
export async function finish(installation: Installation, signal: AbortSignal): Promise<void> {
  const { host, timer } = installation;
  const run = (...command: string[]): Promise<string> =>
    withRetry(() => execute(host, command, signal), { ...SYSTEMD_RETRY, sleep: timer.sleep }, signal);
  const units = await run('systemctl', 'list-units', '--no-legend', 'ironic-agent.service');
  if (units.trim() !== '') {
    await reportStage(installation, 'Rebooting', 'Ironic will reboot the node shortly', signal);
    await run('systemctl', 'stop', 'agent.service');
    return;
  }
  await reportStage(installation, 'Rebooting', '', signal);
  const when = isSingleNode(installation) ? 'now' : '+1';
  await run('shutdown', '-r', when, SHUTDOWN_MESSAGE);
}
