import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createHttpClient, NO_RETRIES, realTimer } from '@muster/host-api';
import { upgradedDigestPath } from '@muster/ignition-config';
import { errorMessage } from '@muster/schema';
import type { DiscoverySettings } from '../discovery-settings';
import { type Abilities, StepFailed } from '../machine/machine.port';
import { installFlags } from '../steps/install-flags';
import type { BootArtifacts, InstallRequest } from '../steps/step-work';
import { execute, type RunCommand } from './command';
import { gatherLogs } from './logs-gather';

export interface InstallationStepsOptions {
  readonly settings: DiscoverySettings;
  readonly run: RunCommand;
  /** `uname -m` */
  readonly architecture: string;
  /** Path of this executable; undefined when the agent does not run from it. */
  readonly executablePath: string | undefined;
}

const EXECUTABLE_PREFIX = 'muster-host:';
const INSTALLER_UNIT = 'muster-installer';
const INSTALLER_CONTAINER = 'assisted-installer';
const INSTALL_TIMEOUT_MS = 24 * 60 * 60_000;
const PULL_TRIES = 3;
const PULL_TIMEOUT_MS = 600_000;
const IMAGE_MISSING_EXIT_CODE = 2;
const ARTIFACT_TRIES = 5;
const ARTIFACT_RETRY_MS = 60_000;
const NEVER = { path: '', url: '', sha256: '' };

/** The steps that change the machine. */
export function createInstallationSteps(options: InstallationStepsOptions): Abilities {
  const { run, settings } = options;
  let running: string | undefined;
  /** The digest of the running program, also after an upgrade replaced its file. */
  const digestOfRunning = async (path: string): Promise<string> => (running ??= await digestOf(path));
  return {
    install: (order, signal) =>
      order.installerImage.startsWith(EXECUTABLE_PREFIX)
        ? installWithExecutable(order, options, signal)
        : installWithContainer(order, options, signal),
    'stop-installation': async (_order, signal) => {
      // A machine without one of the programs has not started the installer with it.
      await run('systemctl', ['stop', `${INSTALLER_UNIT}.service`], signal).catch(() => undefined);
      await run('podman', ['stop', '-i', '-t', '5', INSTALLER_CONTAINER], signal).catch(() => undefined);
    },
    'logs-gather': (order, signal) => gatherLogs(order, settings, run, signal),
    'upgrade-agent': async ({ image }, signal) => {
      // The executable does not become a container: it would start again as it is.
      const work =
        settings.executable || image.startsWith(EXECUTABLE_PREFIX)
          ? upgradeExecutable(image, { ...options, digestOfRunning }, signal)
          : execute(run, 'podman', ['pull', image], signal, { timeoutMs: PULL_TIMEOUT_MS });
      return work.then(
        () => ({ agent_image: image, result: 'success' }),
        (error: unknown) => ({ agent_image: image, result: 'failure', reason: errorMessage(error) }),
      );
    },
    'download-boot-artifacts': (order, signal) => downloadBootArtifacts(order, options, signal),
    'reboot-for-reclaim': async ({ hostFsMountDir }, signal) => {
      await execute(run, 'chroot', [hostFsMountDir, 'systemctl', 'reboot'], signal);
    },
  };
}

/** Returns whether the installer runs in its unit or in its container. */
export async function isInstallerRunning(run: RunCommand, signal: AbortSignal): Promise<boolean> {
  const answers = (expected: string, program: string, ...args: string[]): Promise<boolean> =>
    run(program, args, signal).then(
      ({ stdout }) => stdout.trim() === expected,
      // A machine without the program has not started the installer with it.
      () => false,
    );
  return (
    (await answers('active', 'systemctl', 'is-active', `${INSTALLER_UNIT}.service`)) ||
    answers('true', 'podman', 'container', 'inspect', '--format', '{{.State.Running}}', INSTALLER_CONTAINER)
  );
}

/** Runs in a systemd unit of its own, because the agent may restart meanwhile. */
async function installWithExecutable(
  order: InstallRequest,
  { architecture, executablePath, run, settings }: InstallationStepsOptions,
  signal: AbortSignal,
): Promise<void> {
  if (!executablePath)
    throw new StepFailed(
      'This agent is not the muster-host executable, so it cannot install. Set INSTALLER_IMAGE to a container image.',
    );
  const { executable } = settings;
  // The controller runs this program, also when the service is upgraded during the installation.
  const sha256 = executable ? await digestOf(executablePath) : '';
  const flags = installFlags(order, {
    ...settings,
    executable: {
      ...NEVER,
      path: executablePath,
      ...(executable && {
        url: `${executable.baseUrl}/${architecture}?sha256=${sha256}`,
        sha256,
      }),
    },
  });
  const variables = [
    'PULL_SECRET_TOKEN',
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'NO_PROXY',
    'http_proxy',
    'https_proxy',
    'no_proxy',
  ];
  const unit = [
    ...['--unit', INSTALLER_UNIT, '--wait', '--collect', '--quiet', '--property=LogExtraFields=TAG=installer'],
    ...variables.filter((name) => process.env[name] || name === 'PULL_SECRET_TOKEN').map((name) => `--setenv=${name}`),
  ];
  await execute(run, 'systemd-run', [...unit, executablePath, 'install', ...flags], signal, {
    timeoutMs: INSTALL_TIMEOUT_MS,
    environment: { PULL_SECRET_TOKEN: settings.token },
  });
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function installWithContainer(
  order: InstallRequest,
  { run, settings }: InstallationStepsOptions,
  signal: AbortSignal,
): Promise<void> {
  const image = order.installerImage;
  const isPresent = (await run('podman', ['image', 'exists', image], signal)).exitCode === 0;
  for (let tried = 1; !isPresent; tried += 1) {
    const { exitCode, stderr } = await run('podman', ['pull', image], signal, { timeoutMs: PULL_TIMEOUT_MS });
    if (exitCode === 0) break;
    if (tried >= PULL_TRIES)
      throw new StepFailed(`The installer image ${image} cannot be pulled: ${stderr ?? ''}`, IMAGE_MISSING_EXIT_CODE);
  }
  const mounts = [
    '/dev:/dev:rw',
    '/opt:/opt:rw',
    '/var/log:/var/log:rw',
    '/run/systemd/journal/socket:/run/systemd/journal/socket',
    '/etc/pki:/etc/pki',
    '/tmp:/tmp',
    ...(settings.caPath ? [`${settings.caPath}:${settings.caPath}:rw`] : []),
  ];
  const args = [
    ...['run', '--privileged', '--pid=host', '--net=host', `--name=${INSTALLER_CONTAINER}`],
    ...mounts.flatMap((mount) => ['-v', mount]),
    ...['--env=PULL_SECRET_TOKEN', image, ...installFlags(order, { ...settings, executable: undefined })],
  ];
  await execute(run, 'podman', args, signal, {
    timeoutMs: INSTALL_TIMEOUT_MS,
    environment: { PULL_SECRET_TOKEN: settings.token },
  });
}

interface UpgradeOptions extends InstallationStepsOptions {
  readonly digestOfRunning: (path: string) => Promise<string>;
}

/**
 * Replaces this executable by the present one of the service. systemd starts it when the agent ends.
 * @throws StepFailed when the service has the same program, because the agent would restart at each poll
 */
async function upgradeExecutable(
  image: string,
  { architecture, digestOfRunning, executablePath, settings }: UpgradeOptions,
  signal: AbortSignal,
): Promise<void> {
  if (!executablePath || !settings.executable) throw new StepFailed('This agent was not downloaded from the service.');
  if (!image.startsWith(EXECUTABLE_PREFIX))
    throw new StepFailed(`This agent cannot be replaced by the image ${image}.`);
  const part = `${executablePath}.part`;
  const own = await digestOfRunning(executablePath);
  const sha256 = await download(`${settings.executable.baseUrl}/${architecture}`, part, settings, signal);
  if (sha256 === own) {
    await rm(part);
    throw new StepFailed(`The service has no other program than this one, although it requires ${image}.`);
  }
  await chmod(part, 0o755);
  // Before the program: a program without its digest would be replaced by that of the image.
  await writeFile(upgradedDigestPath(executablePath), `${sha256}\n`);
  await rename(part, executablePath);
}

async function download(url: string, path: string, settings: DiscoverySettings, signal: AbortSignal): Promise<string> {
  const { origin, pathname, search } = new URL(url);
  const { caPem, isInsecure, proxy } = settings;
  const client = createHttpClient({ baseUrl: origin, caPem, isInsecure, proxy, retries: NO_RETRIES, timer: realTimer });
  try {
    const hash = createHash('sha256');
    const body = await client.stream({ method: 'GET', path: pathname + search }, signal);
    body.on('data', (chunk: Buffer) => hash.update(chunk));
    await pipeline(body, createWriteStream(path));
    return hash.digest('hex');
  } finally {
    client.close();
  }
}

/** Makes the installed system boot the discovery image once. */
async function downloadBootArtifacts(
  { hostFsMountDir, initrdUrl, kernelUrl, rootfsUrl }: BootArtifacts,
  { architecture, run, settings }: InstallationStepsOptions,
  signal: AbortSignal,
): Promise<void> {
  const boot = join(hostFsMountDir, 'boot');
  const folder = join(boot, 'discovery');
  await run('mount', ['-o', 'remount,rw', boot], signal);
  await mkdir(folder, { recursive: true });
  for (const [url, name] of [
    [kernelUrl, 'vmlinuz'],
    [initrdUrl, 'initrd'],
  ] as const)
    await withTries(() => download(url, join(folder, name), settings, signal), url, signal);
  const quote = architecture === 's390x' ? '' : "'";
  const more = architecture === 's390x' ? ' ai.ip_cfg_override=1' : '';
  const options = `random.trust_cpu=on ignition.firstboot ignition.platform.id=metal ${quote}coreos.live.rootfs_url=${rootfsUrl}${quote}${more}`;
  const entry = [
    'title Assisted Installer Discovery',
    'version 999',
    `options ${options}`,
    'linux /discovery/vmlinuz',
    'initrd /discovery/initrd',
    '',
  ];
  await mkdir(join(boot, 'loader/entries'), { recursive: true });
  await writeFile(join(boot, 'loader/entries/00-assisted-discovery.conf'), entry.join('\n'));
}

async function withTries(attempt: () => Promise<unknown>, url: string, signal: AbortSignal): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      return void (await attempt());
    } catch (error) {
      // The query contains the token of the image.
      if (tried >= ARTIFACT_TRIES || signal.aborted)
        throw new StepFailed(`${url.split('?', 1)[0]} could not be downloaded: ${errorMessage(error)}`);
      await realTimer.sleep(ARTIFACT_RETRY_MS, signal);
    }
  }
}
