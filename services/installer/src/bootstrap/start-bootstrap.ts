import { fromDataUrl } from '@muster/ignition-config';
import { execute, withRetry } from '../host.port';
import { parseIgnition } from '../host-ignition';
import { type Installation, INSTALL_FOLDER, isMultiNodeBootstrap, note, waitUntil } from '../installation';
import { proxyEnvironment } from '../settings';
import { controllerManifests, MANIFESTS_FOLDER } from './controller-manifests';
import { sshMachineConfig, SSH_MACHINE_CONFIG_PATH } from './ssh-machine-config';
import { watchOtherHosts } from './watch-other-hosts';

const BOOTSTRAP_IGNITION = `${INSTALL_FOLDER}/bootstrap.ign`;
const PULL_SECRET_PATH = '/root/.docker/config.json';
const KEY_PATH = '/root/.ssh/id_rsa';
const OC = '/usr/bin/oc';
const APPLY_RETRY = { tries: 3, intervalMs: 1_000 };
const UNIT_POLL_MS = 5_000;
const NODE_IMAGE_UNITS = ['node-image-pull.service', 'node-image-overlay.service'];
const BOOTSTRAP_UNITS = ['bootkube.service', 'approve-csr.service', 'progress.service'];
const HOST_NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;

/** Makes the live system the temporary control plane. */
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
    await execute(host, ['ssh-keygen', '-q', '-f', KEY_PATH, '-N', ''], signal);
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

/** The machine-config daemon writes the files and units of the config onto the running system. */
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
  if (HOST_NAME.test(name) && name !== 'localhost') return;
  await execute(host, ['hostnamectl', 'set-hostname', `random-hostname-${newId()}`], signal);
}

/** Live images without the cluster's client programs get them from the release's node image. */
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
  if (!signal.aborted && !(await host.exists(OC))) throw new Error(`The node image of the release brought no ${OC}.`);
}
