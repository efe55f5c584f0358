import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { realTimer } from '@muster/host-api';
import type { DiscoverySettings } from '../discovery-settings';
import { StepFailed } from '../machine/machine.port';
import type { InstallRequest } from '../steps/step-work';
import { endOf, execute, type RunCommand } from './command';
import { createMachineFiles, type MachineFiles } from './machine-files';

/** Access of the installer to the service, and the programs that it uses. */
export interface InstallerAccess {
  readonly serviceUrl: string;
  readonly agentVersion: string;
  readonly isInsecure?: boolean;
  /** File with the certificate authority of the service. */
  readonly caPath?: string;
  /**
   * This executable: its path, and its URL for other hosts of the cluster. Absent: the programs are container images.
   */
  readonly executable?: { readonly path: string; readonly url: string; readonly sha256: string };
}

/** Returns the flags of the installer: those of assisted-installer, and three of Muster for its executable. */
export function installFlags(order: InstallRequest, access: InstallerAccess): readonly string[] {
  const { executable } = access;
  const texts: readonly (readonly [string, string])[] = [
    ['role', order.role],
    ['cluster-id', order.clusterId],
    ['infra-env-id', order.infraEnvId],
    ['host-id', order.hostId],
    ['boot-device', order.bootDevice],
    ['url', access.serviceUrl],
    ['openshift-version', order.openshiftVersion],
    ['mco-image', order.mcoImage],
    ['must-gather-image', order.mustGatherImage],
    ['controller-image', order.controllerImage],
    ['agent-image', access.agentVersion],
    ['coreos-image', order.coreosImage],
    ['control-plane-count', order.controlPlaneCount > 0 ? String(order.controlPlaneCount) : ''],
    ['installer-args', order.installerArgs.length > 0 ? JSON.stringify(order.installerArgs) : ''],
    ['cacert', access.caPath ?? ''],
    ['http-proxy', order.httpProxy],
    ['https-proxy', order.httpsProxy],
    ['no-proxy', order.noProxy],
    ['service-ips', order.serviceIps.join(',')],
    ['host-binary-path', executable?.path ?? ''],
    ['host-binary-url', executable?.url ?? ''],
    ['host-binary-sha256', executable?.sha256 ?? ''],
  ];
  const switches: readonly (readonly [string, boolean])[] = [
    ['insecure', access.isInsecure === true],
    ['check-cluster-version', order.checksClusterVersion],
    ['skip-installation-disk-cleanup', order.skipsDiskCleanup],
    ['enable-skip-mco-reboot', order.skipsMcoReboot],
    ['notify-num-reboots', order.notifiesReboots],
  ];
  return [
    ...texts.filter(([, value]) => value !== '').flatMap(([name, value]) => [`--${name}`, value]),
    ...order.disksToFormat.flatMap((disk) => ['--format-disk', disk]),
    ...switches.filter(([, isOn]) => isOn).map(([name]) => `--${name}`),
  ];
}

export interface InstallationStepsOptions {
  readonly settings: DiscoverySettings;
  /** Folder that contains /proc and /run. */
  readonly root: string;
  readonly run: RunCommand;
  /** `uname -m` */
  readonly architecture: string;
  /** Path of this executable; undefined when the agent does not run from it. */
  readonly executablePath: string | undefined;
}

export const EXECUTABLE_PREFIX = 'muster-host:';
const INSTALLER_UNIT = 'muster-installer';
const INSTALLER_CONTAINER = 'assisted-installer';
const INSTALL_TIMEOUT_MS = 24 * 60 * 60_000;
const PULL_TRIES = 3;
export const PULL_TIMEOUT_MS = 600_000;
const IMAGE_MISSING_EXIT_CODE = 2;
const NEVER = { path: '', url: '', sha256: '' };

/** Runs the installer of the order to its end. @throws StepFailed */
export async function runInstaller(
  order: InstallRequest,
  options: InstallationStepsOptions,
  signal: AbortSignal,
): Promise<void> {
  const copiesNetwork = order.installerArgs.some((arg) => COPY_NETWORK.includes(arg));
  const more = !copiesNetwork && (await hasNetworkOfConsole(options.root)) ? COPY_NETWORK.slice(0, 1) : [];
  const complete = { ...order, installerArgs: [...order.installerArgs, ...more] };
  return order.installerImage.startsWith(EXECUTABLE_PREFIX)
    ? installWithExecutable(complete, options, signal)
    : installWithContainer(complete, options, signal);
}

/** The names of one flag of coreos-installer. */
const COPY_NETWORK = ['--copy-network', '-n'];
/** The folder of the interactive console of an image that installs a cluster without another service, and its log. */
const CONSOLE_FOLDER = 'var/log/agent';
const CONSOLE_LOG = 'agent-tui.log';
const CONNECTIONS = 'proc/1/root/etc/NetworkManager/system-connections';

/**
 * Returns whether a connection was written since the console started. A user configured it there, and the service does
 * not know it.
 */
async function hasNetworkOfConsole(root: string): Promise<boolean> {
  const started = await stat(join(root, CONSOLE_FOLDER)).catch(() => undefined);
  const log = await stat(join(root, CONSOLE_FOLDER, CONSOLE_LOG)).catch(() => undefined);
  if (!started || !log) return false;
  for (const name of await readdir(join(root, CONNECTIONS)).catch(() => [])) {
    const path = join(root, CONNECTIONS, name);
    const written = await stat(path).catch(() => undefined);
    if (!written?.isFile() || written.mtimeMs < started.birthtimeMs) continue;
    if ((await readFile(path, 'utf8')).includes('[connection]')) return true;
  }
  return false;
}

/** A machine without one of the programs has not started the installer with it. */
export async function stopInstaller(run: RunCommand, signal: AbortSignal): Promise<void> {
  await run('systemctl', ['stop', `${INSTALLER_UNIT}.service`], signal).catch(() => undefined);
  await run('podman', ['stop', '-i', '-t', '5', INSTALLER_CONTAINER], signal).catch(() => undefined);
}

/** A unit that ends may take a minute, and systemd starts no other one with its name meanwhile. */
const RUNNING_STATES = ['activating', 'active', 'deactivating'];

/** Folder of the processes of the unit, in version 2 and version 1 of control groups. systemd removes it when the unit has ended. */
const UNIT_FOLDERS = ['', 'systemd/'].map(
  (version) => `/sys/fs/cgroup/${version}system.slice/${INSTALLER_UNIT}.service`,
);

const hasUnit = (files: Pick<MachineFiles, 'exists'>): boolean => UNIT_FOLDERS.some((folder) => files.exists(folder));
const UNIT_POLL_MS = 5_000;

/** Returns whether the installer runs in its unit or in its container. */
export async function isInstallerRunning(
  files: Pick<MachineFiles, 'exists'>,
  run: RunCommand,
  signal: AbortSignal,
): Promise<boolean> {
  // systemd may not answer in time while the temporary control plane needs all memory. The host would count as restarted.
  if (hasUnit(files)) return true;
  const answers = (expected: readonly string[], program: string, ...args: string[]): Promise<boolean> =>
    run(program, args, signal).then(
      ({ stdout }) => expected.includes(stdout.trim()),
      // A machine without the program has not started the installer with it.
      () => false,
    );
  return (
    (await answers(RUNNING_STATES, 'systemctl', 'is-active', `${INSTALLER_UNIT}.service`)) ||
    answers(['true'], 'podman', 'container', 'inspect', '--format', '{{.State.Running}}', INSTALLER_CONTAINER)
  );
}

/** Runs in a systemd unit of its own, because the agent may restart meanwhile. */
async function installWithExecutable(
  order: InstallRequest,
  { architecture, executablePath, root, run, settings }: InstallationStepsOptions,
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
  const environmentPath = join(root, 'run', `${INSTALLER_UNIT}.env`);
  // The default description is the command with all its arguments, which systemd writes to the journal.
  const unit = ['--unit', INSTALLER_UNIT, '--wait', '--collect', '--quiet', '--description=Installer of Muster'];
  const properties = ['LogExtraFields=TAG=installer', `EnvironmentFile=${environmentPath}`];
  // systemd replaces variables in the command, and reads $$ as one dollar sign. A password can have one.
  const command = [executablePath, 'install', ...flags].map((text) => text.replaceAll('$', '$$$$'));
  const args = [...unit, ...properties.map((property) => `--property=${property}`), ...command];
  await writeFile(environmentPath, environmentFile({ ...process.env, PULL_SECRET_TOKEN: settings.token }), {
    mode: 0o600,
  });
  try {
    await execute(run, 'systemd-run', args, signal, { timeoutMs: INSTALL_TIMEOUT_MS });
  } catch (error) {
    const files = createMachineFiles(root);
    if (!hasUnit(files)) throw error;
    // Then only systemd-run has ended, for example because systemd did not answer in time. The installer reports its own failure.
    while (hasUnit(files) && !signal.aborted) await realTimer.sleep(UNIT_POLL_MS, signal);
  } finally {
    await rm(environmentPath, { force: true });
  }
}

const PASSED_VARIABLES = [
  'PULL_SECRET_TOKEN',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
];

/**
 * Returns the variables of the installer for EnvironmentFile= of systemd. Arguments of systemd-run are visible to all
 * users of the machine, and systemd 239 of RHEL 8 takes no values from the environment of systemd-run.
 */
const environmentFile = (environment: { readonly [name: string]: string | undefined }): string =>
  PASSED_VARIABLES.flatMap((name) => {
    const value = environment[name];
    return value ? `${name}="${value.replace(/["\\`$]/g, '\\$&')}"\n` : [];
  }).join('');

/** Returns the SHA-256 digest of the file. */
export async function digestOf(path: string): Promise<string> {
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
    const { exitCode, stderr = '' } = await run('podman', ['pull', image], signal, { timeoutMs: PULL_TIMEOUT_MS });
    if (exitCode === 0) break;
    if (tried >= PULL_TRIES)
      throw new StepFailed(`The installer image ${image} cannot be pulled: ${endOf(stderr)}`, IMAGE_MISSING_EXIT_CODE);
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
    // The agent may restart meanwhile. Podman would pass its signal on to the installer.
    '--sig-proxy=false',
    ...mounts.flatMap((mount) => ['-v', mount]),
    ...['--env=PULL_SECRET_TOKEN', image, ...installFlags(order, { ...settings, executable: undefined })],
  ];
  // A container that ended keeps its name.
  await run('podman', ['rm', '-i', INSTALLER_CONTAINER], signal);
  await execute(run, 'podman', args, signal, {
    timeoutMs: INSTALL_TIMEOUT_MS,
    environment: { PULL_SECRET_TOKEN: settings.token },
  });
}
