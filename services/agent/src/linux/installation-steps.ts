import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createHttpClient, NO_RETRIES, realTimer } from '@muster/host-api';
import { upgradedDigestPath } from '@muster/ignition-config';
import { errorMessage } from '@muster/schema';
import type { DiscoverySettings } from '../discovery-settings';
import { type Abilities, StepFailed } from '../machine/machine.port';
import type { BootArtifacts } from '../steps/step-work';
import { execute, type RunCommand } from './command';
import { gatherLogs } from './logs-gather';
import {
  digestOf,
  EXECUTABLE_PREFIX,
  type InstallationStepsOptions,
  PULL_TIMEOUT_MS,
  runInstaller,
  stopInstaller,
} from './run-installer';

const ARTIFACT_TRIES = 5;
const ARTIFACT_RETRY_MS = 60_000;

/** The steps that change the machine. */
export function createInstallationSteps(options: InstallationStepsOptions): Abilities {
  const { run, settings } = options;
  let running: string | undefined;
  /** The digest of the running program, also after an upgrade replaced its file. */
  const digestOfRunning = async (path: string): Promise<string> => (running ??= await digestOf(path));
  return {
    install: (order, signal) => runInstaller(order, options, signal),
    'stop-installation': (_order, signal) => stopInstaller(run, signal),
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
      if (options.architecture === 's390x') await writeBootRecord(hostFsMountDir, options, signal);
      await execute(run, 'chroot', [hostFsMountDir, 'systemctl', 'reboot'], signal);
    },
  };
}

interface UpgradeOptions extends InstallationStepsOptions {
  readonly digestOfRunning: (path: string) => Promise<string>;
}

/** The beginning of the help of this executable. */
const OWN_HELP = 'muster-host:';

/**
 * Replaces this executable by the present one of the service. systemd starts it when the agent ends.
 * @throws StepFailed when the service has the same program, because the agent would restart at each poll, and when its program does not run
 * here, because systemd could not start the agent again
 */
async function upgradeExecutable(
  image: string,
  { architecture, digestOfRunning, executablePath, run, settings }: UpgradeOptions,
  signal: AbortSignal,
): Promise<void> {
  if (!executablePath || !settings.executable) throw new StepFailed('This agent was not downloaded from the service.');
  if (!image.startsWith(EXECUTABLE_PREFIX))
    throw new StepFailed(`This agent cannot be replaced by the image ${image}.`);
  const part = `${executablePath}.part`;
  const own = await digestOfRunning(executablePath);
  try {
    const sha256 = await download(`${settings.executable.baseUrl}/${architecture}`, part, settings, signal);
    if (sha256 === own)
      throw new StepFailed(`The service has no other program than this one, although it requires ${image}.`);
    await chmod(part, 0o755);
    const help = await execute(run, part, ['help'], signal).catch(errorMessage);
    if (!help.startsWith(OWN_HELP))
      throw new StepFailed(`The program that the service sent does not run on this machine: ${help}`);
    // Before the program: a program without its digest would be replaced by that of the image.
    await writeFile(upgradedDigestPath(executablePath), `${sha256}\n`);
    await rename(part, executablePath);
  } finally {
    // The files of the live system are in memory, which a part of a program would occupy.
    await rm(part, { force: true });
  }
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

const BOOT_ENTRY = 'boot/loader/entries/00-assisted-discovery.conf';
const CLEANUP_TIMEOUT_MS = 600_000;

/** Makes the installed system boot the discovery image once. After a failure, /boot contains no part of the image. */
async function downloadBootArtifacts(
  { hostFsMountDir, initrdUrl, kernelUrl, rootfsUrl }: BootArtifacts,
  { architecture, run, settings }: InstallationStepsOptions,
  signal: AbortSignal,
): Promise<void> {
  const boot = join(hostFsMountDir, 'boot');
  const folder = join(boot, 'discovery');
  const entryPath = join(hostFsMountDir, BOOT_ENTRY);
  const removeImage = async (): Promise<void> => {
    await rm(entryPath, { force: true });
    await rm(folder, { recursive: true, force: true });
  };
  await run('mount', ['-o', 'remount,rw', boot], signal);
  await removeImage();
  const downloads = await mkdtemp(join(tmpdir(), 'boot-artifacts-'));
  try {
    for (const [url, name] of [
      [kernelUrl, 'vmlinuz'],
      [initrdUrl, 'initrd'],
    ] as const)
      await withTries(() => download(url, join(downloads, name), settings, signal), url, signal);
    await ensureSpace(downloads, hostFsMountDir, run, signal);
    await cp(downloads, folder, { recursive: true });
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
    await mkdir(dirname(entryPath), { recursive: true });
    await writeFile(entryPath, entry.join('\n'));
  } catch (error) {
    await removeImage();
    throw error;
  } finally {
    await rm(downloads, { recursive: true });
  }
}

/** Removes the previous operating system from /boot when the downloads need its space. @throws StepFailed */
async function ensureSpace(
  downloads: string,
  hostFsMountDir: string,
  run: RunCommand,
  signal: AbortSignal,
): Promise<void> {
  const files = await readdir(downloads);
  const sizes = await Promise.all(files.map(async (name) => (await stat(join(downloads, name))).size));
  const required = sizes.reduce((sum, size) => sum + size, 0);
  const freeBytes = async (): Promise<number> => {
    const args = ['--block-size=1', '--output=avail', join(hostFsMountDir, 'boot')];
    return Number(/\d+/.exec(await execute(run, 'df', args, signal))?.[0]);
  };
  if ((await freeBytes()) > required) return;
  const cleanup = [hostFsMountDir, 'rpm-ostree', 'cleanup', '--os=rhcos', '-r'];
  await execute(run, 'chroot', cleanup, signal, { timeoutMs: CLEANUP_TIMEOUT_MS });
  const free = await freeBytes();
  if (!(free > required))
    throw new StepFailed(
      `The discovery image needs ${required} bytes in /boot, and ${free} bytes are free. Remove files from /boot, or boot the discovery image at the machine.`,
    );
}

/** Kernel arguments that configure the network and the disks of a machine of s390x. */
const DEVICE_ARGUMENTS = /^(ip|nameserver|rd\.znet|zfcp\.allow_lun_scan|rd\.zfcp|rd\.dasd)=/;

/** Machines of s390x boot from a record that zipl writes. They do not read the boot entries. @throws StepFailed */
async function writeBootRecord(
  hostFsMountDir: string,
  { root, run }: InstallationStepsOptions,
  signal: AbortSignal,
): Promise<void> {
  const entry = await readFile(join(hostFsMountDir, BOOT_ENTRY), 'utf8');
  const own = (await readFile(join(root, 'proc/cmdline'), 'utf8')).trim().split(/\s+/);
  const kernelArguments = [
    /^options (.*)$/m.exec(entry)?.[1] ?? '',
    ...own.filter((argument) => DEVICE_ARGUMENTS.test(argument)),
  ].join(' ');
  const files = ['-t', '/boot', '-i', '/boot/discovery/vmlinuz', '-r', '/boot/discovery/initrd'];
  await run('mount', ['-o', 'remount,rw', join(hostFsMountDir, 'boot')], signal);
  await execute(run, 'chroot', [hostFsMountDir, 'zipl', '-V', ...files, '-P', kernelArguments], signal);
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
