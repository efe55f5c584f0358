import { join } from 'node:path';
import { emptyIgnition, type ManifestFile, placeManifests, toIgnitionJson } from '@muster/ignition-config';
import { composedInstallConfig } from '../composed-install-config';
import { documentTokenOf } from '../identities';
import { ArtifactsRefused, type InstallRequest } from '../toolchain.port';
import { type InstallFolder, openInstallFolder } from './install-folder';
import { collectOutput, type InstallerOutput } from './installer-output';
import type { OpenshiftInstallSettings } from './openshift-install-settings';
import { ProgramFailed, runProgram } from './run-program';

const BOOTSTRAP = 'bootstrap.ign';
/** Machines of clouds are none of ours: they would be made a second time. */
const CLOUD_MACHINES =
  /^99_openshift-(?:cluster-api_master-machines-\d+|cluster-api_worker-machineset-\d+|machine-api_master-control-plane-machine-set)\.yaml$/;
const CLOUDS: ReadonlySet<string> = new Set(['vsphere', 'nutanix']);

/**
 * One run of a release's installer, in a folder of its own:
 * 1. install-config; 2. certificates that were brought along; 3. `create manifests`; 4. manifests of clouds away, those of
 * people and operators on top; 5. `create ignition-configs`; 6. what it made is collected. Makes keys: never the same twice.
 * Throws ArtifactsRefused with the end of what the installer said.
 */
export async function makeWithInstaller(
  order: InstallRequest,
  installer: string,
  settings: OpenshiftInstallSettings,
): Promise<InstallerOutput> {
  const folder = await openInstallFolder(join(settings.workDirectory, 'install-config-generate', order.clusterId));
  try {
    await folder.write('install-config.yaml', JSON.stringify(composedInstallConfig(order)));
    if (settings.certificatesDirectory) await folder.copyIn(settings.certificatesDirectory, 'tls');
    const create = (what: string) => runInstaller(what, folder, installer, order, settings);
    await create('manifests');
    await folder.replaceManifests(manifestsOf(order, await folder.manifests()));
    if (order.settings.controlPlaneCount === 1) {
      await create('single-node-ignition-config');
      await folder.rename('bootstrap-in-place-for-live-iso.ign', BOOTSTRAP);
      const { version } = (JSON.parse(await folder.read(BOOTSTRAP)) as { ignition: { version: string } }).ignition;
      for (const role of ['master', 'worker'])
        await folder.write(`${role}.ign`, toIgnitionJson(emptyIgnition(version)));
    } else await create('ignition-configs');
    return await collectOutput(folder);
  } finally {
    await folder.remove();
  }
}

async function runInstaller(
  what: string,
  { path }: InstallFolder,
  installer: string,
  order: InstallRequest,
  settings: OpenshiftInstallSettings,
): Promise<void> {
  try {
    await runProgram({
      file: installer,
      args: ['create', what, '--dir', path],
      folder: path,
      environment: environmentOf(order, path, settings),
      timeoutMs: settings.timeoutMs,
    });
  } catch (error) {
    if (!(error instanceof ProgramFailed)) throw error;
    throw new ArtifactsRefused(`openshift-install create ${what} did not work: ${error.message}`);
  }
}

/** All that the installer sees of the world. */
function environmentOf(order: InstallRequest, folder: string, settings: OpenshiftInstallSettings) {
  const bootstrapAddress = order.hosts.find(({ hostId }) => hostId === order.bootstrapHostId)?.nodeAddress ?? '';
  return {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    TMPDIR: folder,
    ...settings.proxyEnvironment,
    OPENSHIFT_INSTALL_RELEASE_IMAGE_OVERRIDE: order.settings.ocpReleaseImage ?? '',
    OPENSHIFT_INSTALL_INVOKER: order.invoker,
    ...(bootstrapAddress && { OPENSHIFT_INSTALL_BOOTSTRAP_NODE_IP: bootstrapAddress }),
    ...(settings.certificatesDirectory && { OPENSHIFT_INSTALL_LOAD_CLUSTER_CERTS: 'true' }),
  };
}

function manifestsOf(order: InstallRequest, generated: readonly ManifestFile[]): readonly ManifestFile[] {
  const isCloud = CLOUDS.has(order.settings.platformType ?? '');
  const ours = isCloud ? generated.filter(({ fileName }) => !CLOUD_MACHINES.test(fileName)) : generated;
  const workers = order.hosts.filter(({ role }) => role === 'worker').length;
  const added = workers === 1 ? [...order.manifests, SEVERAL_PLACES] : order.manifests;
  const placed = placeManifests(ours, added, documentTokenOf(order));
  if (placed.kind === 'refused') throw new ArtifactsRefused(placed.reason);
  return placed.files;
}

/** With one worker, the installer believes that pods have one place only; control plane nodes take them too. */
const SEVERAL_PLACES: ManifestFile = {
  folder: 'manifests',
  fileName: 'cluster-infrastructure-02-config.yml.patch_zz_infrastructure_topology',
  content: '- {op: replace, path: /status/infrastructureTopology, value: HighlyAvailable}\n',
};
