import { hasFetchedIgnition, ignitionClients, type ServiceHost } from '@muster/host-api';
import { fromDataUrl } from '@muster/ignition-config';
import { errorMessage } from '@muster/schema';
import { isHostname } from '@muster/validation-rules';
import { execute, withRetry } from '../host.port';
import {
  INSTALL_FOLDER,
  type Installation,
  isMultiNodeBootstrap,
  note,
  parseIgnition,
  reportStageOf,
  type Stage,
  waitUntil,
} from '../installation';
import { proxyEnvironment } from '../settings';
import { controllerManifests, MANIFESTS_FOLDER } from './controller-manifests';

const NAME = '99-assisted-installer-master-ssh';
export const SSH_MACHINE_CONFIG_PATH = `/opt/openshift/openshift/99_openshift-machineconfig_${NAME}.yaml`;

/**
 * Returns a MachineConfig (JSON, which is valid YAML) that permits the bootstrap host to log in to control plane hosts
 * to collect logs.
 */
export function sshMachineConfig(publicKey: string): string {
  return `${JSON.stringify(
    {
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfig',
      metadata: { labels: { 'machineconfiguration.openshift.io/role': 'master' }, name: NAME },
      spec: {
        config: {
          ignition: { version: '3.1.0' },
          passwd: { users: [{ name: 'core', sshAuthorizedKeys: [publicKey] }] },
        },
      },
    },
    undefined,
    2,
  )}\n`;
}

const HOSTS_POLL_MS = 30_000;
const LOG_FOLDER = '/var/log/containers';
const LOG_NAME = /machine-config-server.*\.log$/;
const PAST_CONFIGURING: readonly string[] = ['Configuring', 'Joined', 'Done', 'Waiting for ignition'];

/**
 * Reports which hosts downloaded their Ignition config from the machine-config server of the bootstrap host, until
 * `signal` is aborted. A worker is then in stage Waiting for ignition, because its kubelet requests another config from
 * the cluster.
 */
export async function watchOtherHosts(installation: Installation, signal: AbortSignal): Promise<void> {
  const { api, settings, timer } = installation;
  while (!signal.aborted) {
    try {
      const clients = ignitionClients(await machineConfigServerLog(installation));
      if (clients.size > 0) {
        const { hosts = [] } = await api.cluster(settings.clusterId, true, signal);
        for (const host of hosts.filter(({ id }) => id !== settings.hostId))
          await reportConfiguring(installation, host, clients, signal);
      }
    } catch (error) {
      if (!signal.aborted) note(installation, `The other hosts were not reported: ${errorMessage(error)}`);
    }
    await timer.sleep(HOSTS_POLL_MS, signal);
  }
}

async function reportConfiguring(
  installation: Installation,
  host: ServiceHost,
  clients: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  const stage = host.progress?.current_stage ?? '';
  if (PAST_CONFIGURING.includes(stage) || host.status === 'installed' || !hasFetchedIgnition(host, clients)) return;
  const next: Stage = host.role === 'worker' ? 'Waiting for ignition' : 'Configuring';
  const infraEnvId = host.infra_env_id ?? installation.settings.infraEnvId;
  await reportStageOf(installation, { hostId: host.id, infraEnvId }, next, '', signal);
}

/** A server that was restarted has a log for each of its containers. */
async function machineConfigServerLog({ host }: Installation): Promise<string> {
  const names = (await host.list(LOG_FOLDER)).filter((file) => LOG_NAME.test(file));
  const logs = await Promise.all(names.map((name) => host.readFile(`${LOG_FOLDER}/${name}`)));
  return logs.map((log) => log?.toString('utf8') ?? '').join('\n');
}

const BOOTSTRAP_IGNITION = `${INSTALL_FOLDER}/bootstrap.ign`;
const PULL_SECRET_PATH = '/root/.docker/config.json';
const KEY_PATH = '/root/.ssh/id_rsa';
const OC = '/usr/bin/oc';
const APPLY_RETRY = { tries: 3, intervalMs: 1_000 };
const UNIT_POLL_MS = 5_000;
const NODE_IMAGE_UNITS = ['node-image-pull.service', 'node-image-overlay.service'];
const BOOTSTRAP_UNITS = ['bootkube.service', 'approve-csr.service', 'progress.service'];

/** Runs the temporary control plane in the live system. */
export async function startBootstrap(installation: Installation, signal: AbortSignal): Promise<void> {
  const { host, settings } = installation;
  const isMultiNode = isMultiNodeBootstrap(installation);
  await execute(host, ['mkdir', '-p', '/root/.ssh'], signal);
  const bytes = await installation.api.clusterFile(settings.clusterId, 'bootstrap.ign', signal);
  const config = parseIgnition(bytes, BOOTSTRAP_IGNITION);
  await host.writeFile(BOOTSTRAP_IGNITION, bytes);
  const pullSecret = config.storage?.files?.find(({ path }) => path === PULL_SECRET_PATH)?.contents?.source;
  if (pullSecret) await host.writeFile(PULL_SECRET_PATH, fromDataUrl(pullSecret) ?? '');
  await applyConfig(installation, signal);
  if (isMultiNode) {
    await ensureKey(installation, signal);
    const publicKey = (await host.readFile(`${KEY_PATH}.pub`))?.toString('utf8').trim() ?? '';
    await host.writeFile(SSH_MACHINE_CONFIG_PATH, sshMachineConfig(publicKey), 0o644);
  }
  await execute(host, ['systemctl', 'daemon-reload'], signal);
  await checkHostname(installation, signal);
  if (isMultiNode) await execute(host, ['systemctl', 'restart', 'NetworkManager.service'], signal);
  for (const [name, text] of controllerManifests(settings))
    await host.writeFile(`${MANIFESTS_FOLDER}/${name}`, text, 0o644);
  await pullNodeImage(installation, signal);
  for (const unit of BOOTSTRAP_UNITS) await execute(host, ['systemctl', 'start', unit], signal);
  if (isMultiNode) void watchOtherHosts(installation, installation.background.signal);
}

/** Keeps a key that this live system has: ssh-keygen asks before it overwrites a key, and fails without an answer. */
async function ensureKey({ host }: Installation, signal: AbortSignal): Promise<void> {
  if ((await host.exists(KEY_PATH)) && (await host.exists(`${KEY_PATH}.pub`))) return;
  await execute(host, ['rm', '-f', KEY_PATH], signal);
  await execute(host, ['ssh-keygen', '-q', '-f', KEY_PATH, '-N', ''], signal);
}

/** The machine-config daemon writes the files and units of the config to the running system. */
async function applyConfig(installation: Installation, signal: AbortSignal): Promise<void> {
  const { host, settings, timer } = installation;
  const command = [
    ...['podman', 'run', '--net', 'host', '--pid=host', '--volume', '/:/rootfs:rw'],
    ...['--volume', '/usr/bin/rpm-ostree:/usr/bin/rpm-ostree', '--privileged'],
    ...['--entrypoint', '/usr/bin/machine-config-daemon', settings.mcoImage],
    ...['start', '--node-name', 'localhost', '--root-mount', '/rootfs'],
    ...['--once-from', BOOTSTRAP_IGNITION, '--skip-reboot'],
  ];
  const environment = proxyEnvironment(settings);
  await withRetry(
    () => execute(host, command, signal, { environment }),
    { ...APPLY_RETRY, sleep: timer.sleep },
    signal,
  );
}

async function checkHostname({ host, newId }: Installation, signal: AbortSignal): Promise<void> {
  const name = (await execute(host, ['hostname'], signal)).trim();
  if (isHostname(name)) return;
  await execute(host, ['hostnamectl', 'set-hostname', `random-hostname-${newId()}`], signal);
}

/** A live image without the client programs of the cluster gets them from the node image of the release. */
async function pullNodeImage(installation: Installation, signal: AbortSignal): Promise<void> {
  const { host } = installation;
  if (await host.exists(OC)) return;
  await execute(host, ['systemctl', 'start', '--no-block', ...NODE_IMAGE_UNITS], signal);
  for (const unit of NODE_IMAGE_UNITS) {
    note(installation, `Waiting for ${unit}.`);
    let state = '';
    await waitUntil(
      installation,
      unit,
      UNIT_POLL_MS,
      async () => {
        state = (await execute(host, ['systemctl', 'show', '-P', 'ActiveState', unit], signal)).trim();
        return state === 'active' || state === 'failed';
      },
      signal,
    );
    if (state === 'failed') throw new Error(`${unit} failed. See "journalctl --unit ${unit}" on the bootstrap host.`);
  }
  if (!signal.aborted && !(await host.exists(OC)))
    throw new Error(`The node image of the release does not contain ${OC}.`);
}
