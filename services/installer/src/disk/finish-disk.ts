import { gunzipSync } from 'node:zlib';
import { fromDataUrl, type IgnitionConfig } from '@muster/ignition-config';
import { settleWithin } from '@muster/ports';
import { createJsonReader, errorMessage, textAt } from '@muster/schema';
import { type Static, Type } from '@sinclair/typebox';
import { execute, withRetry } from '../host.port';
import { createProgressReports, type Installation, note, parseIgnition, reportStage } from '../installation';
import { proxyEnvironment } from '../settings';
import { readKargs } from './existing-root';
import { partitionOf } from './write-disk';

const ENCAPSULATED_PATH = '/etc/ignition-machine-config-encapsulated.json';
const ACCEPT = 'application/vnd.coreos.ignition+json; version=3.4.0';
const FETCH_INTERVAL_MS = 5_000;
const FETCH_MS_MAX = 20 * 60_000;
const FETCH_TRIES = FETCH_MS_MAX / FETCH_INTERVAL_MS;
const [BOOT_PARTITION, ROOT_PARTITION] = [3, 4];
const RETRY = { tries: 3, intervalMs: 5_000 };

const MACHINE_CONFIG = Type.Object({
  spec: Type.Optional(
    Type.Object({
      osImageURL: Type.Optional(Type.String()),
      kernelArguments: Type.Optional(Type.Array(Type.String())),
    }),
  ),
});
type MachineConfig = Static<typeof MACHINE_CONFIG>;
const readMachineConfig = createJsonReader(MACHINE_CONFIG, { name: ENCAPSULATED_PATH, nullIsAbsent: true });

/**
 * Writes the operating system of the release to the disk, so that the machine-config daemon does not reboot the host
 * for it. A failure is logged; then the host reboots once more.
 */
export async function skipMcoReboot(installation: Installation, signal: AbortSignal): Promise<void> {
  try {
    const machine = (await execute(installation.host, ['uname', '-m'], signal)).trim();
    if (machine === 's390x') return;
    const config = await fetchMachineConfig(installation, signal);
    const osImage = config?.spec?.osImageURL;
    if (!osImage)
      return note(installation, 'The operating system of the release is not known; the host will reboot once more.');
    await overwriteOperatingSystem(installation, osImage, config?.spec?.kernelArguments ?? [], signal);
  } catch (error) {
    note(installation, `The operating system was not written in advance: ${errorMessage(error)}`);
  }
}

async function fetchMachineConfig(installation: Installation, signal: AbortSignal): Promise<MachineConfig | undefined> {
  const own = parseIgnition(await installation.host.readFile(installation.ignitionPath), installation.ignitionPath);
  const pool = own.ignition.config?.merge?.[0];
  const url = pool?.source;
  if (!url) return undefined;
  const inline = textIn(pool);
  if (inline !== undefined) return encapsulatedOf(parseIgnition(Buffer.from(inline), 'for the pool'));
  const authority = own.ignition.security?.tls?.certificateAuthorities?.[0]?.source;
  const caPem = authority === undefined ? undefined : fromDataUrl(authority);
  const retry = { tries: FETCH_TRIES, intervalMs: FETCH_INTERVAL_MS, sleep: installation.timer.sleep };
  // An attempt without an answer takes a minute, and the stage of the host has a time limit.
  const ending = new AbortController();
  const until = AbortSignal.any([signal, ending.signal]);
  const fetched = withRetry(() => installation.fetchConfig({ url, caPem, accept: ACCEPT }, until), retry, until);
  const late = (): Error =>
    new Error(`the machine-config server did not answer within ${FETCH_MS_MAX / 60_000} minutes`);
  const bytes = await settleWithin(FETCH_MS_MAX, fetched, late).finally(() => ending.abort());
  return encapsulatedOf(parseIgnition(bytes, `at ${url}`));
}

function encapsulatedOf(config: IgnitionConfig): MachineConfig | undefined {
  const file = config.storage?.files?.find(({ path }) => path === ENCAPSULATED_PATH);
  const text = file?.contents && textIn(file.contents);
  return text ? readMachineConfig(text) : undefined;
}

/** Returns the text in the `data:` URL of a resource, undefined for other URLs. The config of a single node is compressed. */
function textIn(resource: { readonly source?: string }): string | undefined {
  const { source = '' } = resource;
  const text = fromDataUrl(source);
  if (text === undefined || textAt(resource, 'compression') !== 'gzip') return text;
  const base64 = decodeURIComponent(source.slice(source.indexOf(',') + 1));
  return gunzipSync(Buffer.from(base64, 'base64')).toString('utf8');
}

async function overwriteOperatingSystem(
  installation: Installation,
  osImage: string,
  kernelArguments: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { device, host, settings, timer } = installation;
  const { appended } = readKargs(settings.installerArgs);
  const retried = <T>(work: () => Promise<T>): Promise<T> => withRetry(work, { ...RETRY, sleep: timer.sleep }, signal);
  const environment = proxyEnvironment(settings);
  const run = (...command: string[]): Promise<string> => retried(() => execute(host, command, signal, { environment }));
  const boot = await retried(() => partitionOf(host, device, BOOT_PARTITION, signal));
  const root = await retried(() => partitionOf(host, device, ROOT_PARTITION, signal));
  // The rest of the disk stays free: the config of the host can create partitions there at its first boot.
  const percent = Math.floor(((root.freeBytes - root.bytes) * 100) / root.diskBytes);
  await run('growpart', ...(percent > 0 ? [`--free-percent=${percent}`] : []), device, String(ROOT_PARTITION));
  const mounted: string[] = [];
  const mount = async (source: string, target: string): Promise<void> => {
    await run('mount', source, target);
    mounted.unshift(target);
  };
  try {
    await mount(root.path, '/mnt');
    await mount(boot.path, '/mnt/boot');
    await run('xfs_growfs', '/mnt');
    await run('setenforce', '0');
    await run(
      ...['ostree', 'container', 'image', 'deploy', '--sysroot', '/mnt', '--authfile', '/root/.docker/config.json'],
      ...['--imgref', `ostree-unverified-registry:${osImage}`, '--karg', 'ignition.platform.id=metal'],
      ...['--karg', '$ignition_firstboot', '--stateroot', 'rhcos'],
      // The new deployment does not inherit the arguments of the one that coreos-installer wrote.
      ...[...appended, ...kernelArguments].flatMap((karg) => ['--karg', karg]),
    );
    for (const target of [...mounted]) {
      await run('fsfreeze', '--freeze', target);
      await run('fsfreeze', '--unfreeze', target);
      await run('umount', target);
      mounted.shift();
    }
  } finally {
    // The registry data is in a folder of /mnt, which a mounted partition hides.
    for (const target of mounted) await run('umount', target);
  }
}

const REGISTRY_MARK = '/run/media/iso/registry';
const SOURCE = '/mnt/agentdata';
const ROOT_MOUNT = '/mnt/root';
const TARGET = `${ROOT_MOUNT}/ostree/deploy/rhcos/var/lib/iri-registry`;
/** Free space required for the copy and its extraction, as a multiple of its size. */
const RESERVE_FACTOR = 2.5;
const FREE_PERCENT_MIN = 1;
const TRANSPOSE = '/usr/lib/dracut/modules.d/40ignition-ostree/ignition-ostree-transposefs.sh';
const PROGRESS_STEP_PERCENT = 5;

export const hasRegistryData = ({ host }: Installation): Promise<boolean> => host.exists(REGISTRY_MARK);

/** Copies the registry of an image for disconnected installation to the installed disk. */
export async function copyRegistryData(installation: Installation, signal: AbortSignal): Promise<void> {
  const { device, host } = installation;
  await reportStage(installation, 'Copying registry data to disk', '', signal);
  const bytes = Number((await execute(host, ['du', '-sb', SOURCE], signal)).split(/\s/)[0]);
  const reserve = Math.ceil(bytes * RESERVE_FACTOR);
  const { path: partition, ...disk } = await partitionOf(host, device, ROOT_PARTITION, signal);
  const freePercent = Math.floor(((disk.freeBytes - reserve) * 100) / disk.diskBytes);
  if (!(freePercent >= FREE_PERCENT_MIN))
    throw new Error(
      `The registry data needs ${reserve} bytes, and the disk ${device} has ${disk.freeBytes} that are free. Use a larger disk.`,
    );
  const grow = ['growpart', `--free-percent=${freePercent}`, device, String(ROOT_PARTITION)];
  await execute(host, grow, signal).catch((error: Error) =>
    note(installation, `The root partition did not grow: ${error.message}`),
  );
  await remakeRoot(installation, signal);
  await execute(host, ['mkdir', '-p', ROOT_MOUNT], signal);
  await execute(host, ['mount', partition, ROOT_MOUNT], signal);
  try {
    await execute(host, ['xfs_growfs', ROOT_MOUNT], signal);
    await execute(host, ['mkdir', '-p', TARGET], signal);
    await copy(installation, signal);
  } finally {
    // The reboot unmounts it too, and a failure would replace the reason of the block above.
    await execute(host, ['umount', ROOT_MOUNT], signal).catch((error: unknown) =>
      note(installation, `The root file system was not unmounted: ${errorMessage(error)}`),
    );
  }
}

/**
 * Makes the root file system for the size of its partition. The first boot moves the content of one that grew much to
 * memory, which is too small for the registry data.
 */
async function remakeRoot(installation: Installation, signal: AbortSignal): Promise<void> {
  const { host } = installation;
  if (!(await host.exists(TRANSPOSE)))
    return note(installation, `The root file system is not made again: ${TRANSPOSE} does not exist.`);
  const save = `set -o pipefail; sed 's/threshold=[0-9]*/threshold=0/' ${TRANSPOSE} | bash -s autosave-xfs`;
  await execute(host, ['bash', '-c', save], signal);
  await execute(host, ['bash', TRANSPOSE, 'restore'], signal);
  await execute(host, ['bash', TRANSPOSE, 'cleanup'], signal);
}

async function copy(installation: Installation, signal: AbortSignal): Promise<void> {
  let reported = 0;
  const reports = createProgressReports(installation, 'Copying registry data to disk', signal);
  const command = ['rsync', '-ah', '--info=progress2', `${SOURCE}/`, `${TARGET}/`];
  await execute(installation.host, command, signal, {
    onLine: (line) => {
      const percent = Number(/(\d+)%/.exec(line)?.[1] ?? NaN);
      if (!(percent >= reported + PROGRESS_STEP_PERCENT || (percent === 100 && reported < 100))) return;
      reported = percent;
      reports.add(percent);
    },
  }).finally(() => reports.end());
}
