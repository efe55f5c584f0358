import { join } from 'node:path';
import {
  emptyIgnition,
  type ManifestFile,
  toIgnitionJson,
  toIgnitionConfig,
  toInstallConfigText,
} from '@muster/ignition-config';
import type { DocumentWorkers } from '@muster/nest-kit';
import { parseJson } from '@muster/schema';
import { placedManifests } from '../host-configs';
import { documentTokenOf } from '../identities';
import { composedInstallConfig } from '../install-config-input';
import { ArtifactsRefused, type InstallRequest } from '../toolchain.port';
import { collectOutput, type InstallerOutput, type InstallFolder, openInstallFolder } from './install-folder';
import type { OpenshiftInstallSettings } from './installer-binaries';
import { endProcessesOf, ProgramFailed, type ProgramLimits, runProgram } from './run-program';

const BOOTSTRAP = 'bootstrap.ign';
const FILE_BYTES_MAX = 256 * 1024 * 1024;
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
/** Threads count as processes. */
const PROCESSES_MAX = 512;
/** Machine manifests of clouds are left out because the machines exist already. */
const CLOUD_MACHINES =
  /^99_openshift-(?:cluster-api_master-machines-\d+|cluster-api_worker-machineset-\d+|machine-api_master-control-plane-machine-set)\.yaml$/;
const CLOUDS: ReadonlySet<string> = new Set(['vsphere', 'nutanix']);

/**
 * Runs the installer of a release in a folder of its own:
 * 1. write the install-config, 2. copy configured certificates, 3. `create manifests`, 4. remove cloud machines and add the
 * manifests of users and operators, 5. `create ignition-configs`, 6. collect the output. Every run creates new keys.
 * @throws ArtifactsRefused with the end of the installer's output.
 */
export async function makeWithInstaller(
  order: InstallRequest,
  installer: string,
  settings: OpenshiftInstallSettings,
  documents: DocumentWorkers,
  slot = 0,
  signal?: AbortSignal,
): Promise<InstallerOutput> {
  // The run may have waited for others.
  signal?.throwIfAborted();
  const folder = await openInstallFolder(join(settings.workDirectory, 'install-config-generate', order.clusterId));
  try {
    const installConfig = composedInstallConfig(order);
    await folder.write('install-config.yaml', toInstallConfigText(installConfig));
    if (settings.certificatesDirectory) await folder.copyIn(settings.certificatesDirectory, 'tls');
    const create = (what: string) =>
      runInstaller({
        installer,
        command: ['create', what],
        folder,
        settings,
        slot,
        variables: variablesOf(order, settings),
        secrets: credentialsIn(installConfig),
        signal,
      });
    await create('manifests');
    await folder.replaceManifests(await manifestsOf(order, await folder.manifests(), documents));
    if (order.settings.controlPlaneCount === 1) {
      await create('single-node-ignition-config');
      await folder.rename('bootstrap-in-place-for-live-iso.ign', BOOTSTRAP);
      const { version } = toIgnitionConfig(JSON.parse(await folder.read(BOOTSTRAP))).ignition;
      for (const role of ['master', 'worker'])
        await folder.write(`${role}.ign`, toIgnitionJson(emptyIgnition(version)));
    } else await create('ignition-configs');
    return await collectOutput(folder);
  } finally {
    await folder.remove();
  }
}

const CREDENTIAL = /^(?:auth|password|\w*token)$/i;
/** User and password of a URL. */
const USER_INFO = /\/\/([^/\s]+)@/g;

/** Returns the credentials in the input of an installer, which prints the value of a field that it refuses. */
export function credentialsIn(input: unknown, name = ''): readonly string[] {
  if (typeof input === 'object' && input !== null)
    return Object.entries(input).flatMap(([member, value]) => credentialsIn(value, member));
  if (typeof input !== 'string') return [];
  const parsed = name === 'pullSecret' ? parseJson(input) : undefined;
  if (parsed !== undefined) return credentialsIn(parsed);
  if (name === 'pullSecret' || CREDENTIAL.test(name)) return [input];
  return [...input.matchAll(USER_INFO)].flatMap(([, userInfo]) => userInfo ?? []);
}

export interface InstallerRun {
  readonly installer: string;
  /** Arguments without the folder. */
  readonly command: readonly string[];
  readonly folder: InstallFolder;
  readonly settings: OpenshiftInstallSettings;
  /** Number of this run among those at the same time; each has a user id of its own. */
  readonly slot: number;
  readonly variables: { readonly [name: string]: string };
  /** Credentials in the folder. */
  readonly secrets: readonly string[];
  /** Ends the run. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs the installer in a folder, which contains its output afterwards.
 * @throws ArtifactsRefused with the end of the installer's output without secrets, or for links in the folder.
 */
export async function runInstaller({
  installer,
  command,
  folder,
  settings,
  slot,
  variables,
  secrets,
  signal,
}: InstallerRun): Promise<void> {
  const { path } = folder;
  const limits = limitsOf(settings, slot);
  if (limits.user) await folder.giveTo(limits.user.uid);
  try {
    await runProgram({
      file: installer,
      args: [...command, '--dir', path],
      folder: path,
      environment: {
        PATH: process.env.PATH ?? '',
        HOME: path,
        TMPDIR: path,
        ...settings.proxyEnvironment,
        ...variables,
      },
      timeoutMs: settings.timeoutMs,
      limits,
      secrets,
      signal,
    });
  } catch (error) {
    if (!(error instanceof ProgramFailed)) throw error;
    throw new ArtifactsRefused(`openshift-install ${command.join(' ')} failed: ${error.message}`);
  } finally {
    if (limits.user) await endProcessesOf(limits.user.uid);
  }
  await folder.takeBack();
}

/**
 * The installer is a program of the release image, so it gets limits, and where the service is root a user of its own. Runs at
 * the same time have different users: the folder of each contains a pull secret.
 */
function limitsOf(
  { installerUserId, installerMemoryBytes, timeoutMs }: OpenshiftInstallSettings,
  slot: number,
): ProgramLimits {
  const isRoot = process.getuid?.() === 0;
  return {
    cpuSeconds: Math.ceil(timeoutMs / 1_000),
    memoryBytes: installerMemoryBytes,
    fileBytes: FILE_BYTES_MAX,
    outputBytes: OUTPUT_BYTES_MAX,
    ...(isRoot && { user: { uid: installerUserId + slot, processes: PROCESSES_MAX } }),
  };
}

function variablesOf(order: InstallRequest, settings: OpenshiftInstallSettings) {
  const bootstrapAddress = order.hosts.find(({ hostId }) => hostId === order.bootstrapHostId)?.nodeAddress ?? '';
  return {
    OPENSHIFT_INSTALL_RELEASE_IMAGE_OVERRIDE: order.settings.ocpReleaseImage ?? '',
    OPENSHIFT_INSTALL_INVOKER: order.invoker,
    ...(bootstrapAddress && { OPENSHIFT_INSTALL_BOOTSTRAP_NODE_IP: bootstrapAddress }),
    ...(settings.certificatesDirectory && { OPENSHIFT_INSTALL_LOAD_CLUSTER_CERTS: 'true' }),
  };
}

function manifestsOf(
  order: InstallRequest,
  generated: readonly ManifestFile[],
  documents: DocumentWorkers,
): Promise<readonly ManifestFile[]> {
  const isCloud = CLOUDS.has(order.settings.platformType ?? '');
  const ours = isCloud ? generated.filter(({ fileName }) => !CLOUD_MACHINES.test(fileName)) : generated;
  const workers = order.hosts.filter(({ role }) => role === 'worker').length;
  const added = workers === 1 ? [...order.manifests, SEVERAL_PLACES] : order.manifests;
  return placedManifests(documents, ours, added, documentTokenOf(order));
}

/** With one worker, the installer sets topology SingleReplica. The control plane nodes run pods too. */
const SEVERAL_PLACES: ManifestFile = {
  folder: 'manifests',
  fileName: 'cluster-infrastructure-02-config.yml.patch_zz_infrastructure_topology',
  content: '- {op: replace, path: /status/infrastructureTopology, value: HighlyAvailable}\n',
};
