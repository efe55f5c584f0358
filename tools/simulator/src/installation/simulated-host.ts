import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toIgnitionJson } from '@muster/ignition-config';
import { errorMessage } from '@muster/schema';
import type { Inventory } from '@muster/service-agent';
import { type CommandOptions, type Host, type InstallerSettings, parseIgnition } from '@muster/service-installer';
import { checkBootstrapRoot } from '../scratch-root/check-roots';
import { applyIgnition } from '../scratch-root/scratch-roots';
import { DURATIONS_MS, type SimulatedTimer } from '../timer';
import { poolConfigs, startMachineConfigServer } from '../world/machine-config-server';
import type { SimulatedCluster, SimulatedWorld } from '../world/simulated-cluster';
import { machineConfigServerLog } from '../world/simulated-controller';
import { readBootstrapManifests } from './ignition-documents';

export const diskNamed = (inventory: Inventory, wanted: string): Inventory['disks'][number] | undefined =>
  inventory.disks.find(({ id, path, by_id, by_path }) => [id, path, by_id, by_path].includes(wanted));

/** The state on which the programs of a simulated live system operate. */
export interface LiveSystem {
  readonly hostId: string;
  readonly hostname: string;
  readonly settings: InstallerSettings;
  /** Folder that represents the file system. */
  readonly root: string;
  readonly world: SimulatedWorld;
  readonly cluster: SimulatedCluster;
  readonly timer: SimulatedTimer;
  readonly agentVersion: string;
  inventory(): Inventory;
  /** Called with the Ignition config that was written to the disk. */
  onWritten(ignition: Buffer): void;
  onShutdown(): void;
  sendLogs(signal: AbortSignal): Promise<void>;
}

/**
 * Returns stdout.
 * @throws with the stderr text of a real program
 */
type Play = (
  system: LiveSystem,
  args: readonly string[],
  options: CommandOptions,
  signal: AbortSignal,
) => Promise<string | void>;

const succeeds: Play = async () => undefined;
const WRITE_STEP_PERCENT = 5;
const READY_NODES_MAX = 2;
const BOOTKUBE_DONE = '/opt/openshift/.bootkube.done';

/** The programs that the installer runs, by name. */
export const PROGRAMS: ReadonlyMap<string, Play> = new Map<string, Play>([
  ['coreos-installer', writeDisk],
  ['cp', succeeds],
  ['dd', succeeds],
  ['dmsetup', async () => 'No devices found\n'],
  ['efibootmgr', async () => 'BootCurrent: 0001\nBoot0003* Red Hat Enterprise Linux\n'],
  ['fsfreeze', succeeds],
  ['growpart', succeeds],
  ['hostname', async ({ hostname }) => `${hostname}\n`],
  ['hostnamectl', succeeds],
  ['lsblk', async (_system, args) => JSON.stringify({ blockdevices: [partitionsOf(args.at(-1) ?? '')] })],
  ['mdadm', succeeds],
  ['mkdir', succeeds],
  ['mount', succeeds],
  ['muster-host', async (system, _args, _options, signal) => system.sendLogs(signal)],
  ['ostree', succeeds],
  ['podman', runContainer],
  ['pvs', succeeds],
  ['readlink', async ({ inventory }, args) => diskNamed(inventory(), args.at(-1) ?? '')?.path ?? args.at(-1)],
  ['rm', removeFiles],
  ['setenforce', succeeds],
  ['shutdown', async (system) => system.onShutdown()],
  ['ssh-keygen', makeKey],
  ['systemctl', controlUnits],
  ['umount', succeeds],
  ['uname', async ({ inventory }) => `${inventory().cpu.architecture}\n`],
  ['vgs', succeeds],
  ['wipefs', async ({ timer }, _args, _options, signal) => timer.work(DURATIONS_MS.preparation, signal)],
  ['xfs_growfs', succeeds],
]);

function partitionsOf(device: string): object {
  const name = device.replace('/dev/', '');
  const infix = /\d$/.test(name) ? 'p' : '';
  const children = [1, 2, 3, 4].map((number) => ({ name: `${name}${infix}${number}`, type: 'part' }));
  return { name, type: 'disk', children };
}

async function writeDisk(
  { root, timer, onWritten }: LiveSystem,
  args: readonly string[],
  { onLine }: CommandOptions,
  signal: AbortSignal,
): Promise<void> {
  const ignition = readFileSync(join(root, args[args.indexOf('-i') + 1] ?? ''));
  for (let percent = WRITE_STEP_PERCENT; percent <= 100 && !signal.aborted; percent += WRITE_STEP_PERCENT) {
    await timer.work(DURATIONS_MS.writeStep, signal);
    onLine?.(`Read disk ${percent}.0 MiB/100.0 MiB (${percent}%)`);
  }
  if (signal.aborted) throw new Error('The write was interrupted.');
  onWritten(ignition);
}

/** Runs the container of the machine-config daemon or of the log sender. */
async function runContainer(
  system: LiveSystem,
  args: readonly string[],
  _options: CommandOptions,
  signal: AbortSignal,
): Promise<void> {
  const source = args[args.indexOf('--once-from') + 1];
  if (!args.includes('--once-from')) return system.sendLogs(signal);
  const { root, settings, timer } = system;
  applyIgnition(parseIgnition(readFileSync(join(root, source ?? '')), source ?? ''), root);
  checkBootstrapRoot(root, settings.controlPlaneCount === 1);
  await timer.work(DURATIONS_MS.bootstrapPreparation, signal);
}

async function removeFiles({ root }: LiveSystem, args: readonly string[]): Promise<void> {
  for (const path of args.filter((arg) => !arg.startsWith('-'))) rmSync(join(root, path), { force: true });
}

async function makeKey({ root }: LiveSystem, args: readonly string[]): Promise<void> {
  const path = join(root, args[args.indexOf('-f') + 1] ?? '');
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, 'simulated private key\n', { mode: 0o600 });
  writeFileSync(`${path}.pub`, 'ssh-rsa AAAAsimulated root@bootstrap\n');
}

async function controlUnits(
  system: LiveSystem,
  [verb, ...units]: readonly string[],
  _options: CommandOptions,
  signal: AbortSignal,
): Promise<string | void> {
  if (verb === 'start' && units.includes('bootkube.service')) return startBootkube(system, signal);
  if (verb === 'is-active') return system.cluster.isBootstrapped ? 'inactive\n' : 'active\n';
}

/** Starts the temporary control plane, which keeps running after the command returns. */
async function startBootkube(system: LiveSystem, signal: AbortSignal): Promise<void> {
  const { agentVersion, root, settings, timer, world } = system;
  const cluster = world.begin(settings.clusterId);
  Object.assign(cluster, readBootstrapManifests(root, agentVersion));
  const server = await startMachineConfigServer(root);
  if (signal.aborted) return server.close();
  void timer.work(DURATIONS_MS.machineConfigServerStart, signal).then(() => {
    if (signal.aborted) return server.close();
    world.serve(cluster, server);
  });
  if (settings.controlPlaneCount === 1) {
    // No other host fetches its config during the installation; hosts that join later do.
    void timer.work(DURATIONS_MS.bootkube, signal).then(() => {
      if (signal.aborted) return;
      const master = poolConfigs(root).get('master');
      if (master) writeFileSync(join(root, '/opt/openshift/master.ign'), toIgnitionJson(master));
      endBootkube(system, cluster);
    });
    return;
  }
  const required = Math.min(Math.max(settings.controlPlaneCount - 1, 1), READY_NODES_MAX);
  void timer
    .work(DURATIONS_MS.bootkube, signal)
    .then(() => world.until(() => readyControlPlane(cluster) >= required, signal))
    .then(() => {
      if (!signal.aborted) endBootkube(system, cluster);
    });
}

function endBootkube({ root, world }: LiveSystem, cluster: SimulatedCluster): void {
  writeFileSync(join(root, BOOTKUBE_DONE), '');
  cluster.isBootstrapped = true;
  world.changed();
}

const readyControlPlane = (cluster: SimulatedCluster): number =>
  [...cluster.nodes.values()].filter((node) => node.isControlPlane && node.isReady).length;

const PROGRAM_MISSING_EXIT_CODE = 127;
const LOG_FOLDER = '/var/log/containers';
const LOG_NAME = 'machine-config-server.log';
/** Files of a live system whose existence the installer checks. */
const PRESENT = ['/usr/bin/oc', '/mnt/EFI/redhat'];

/** The live system of a simulated machine: files in a scratch folder, and programs of a table. */
export function createSimulatedHost(system: LiveSystem): Host {
  const at = (path: string): string => join(system.root, path);
  const log = (): string => machineConfigServerLog(system.cluster, system.world);
  return {
    run: async (program, args, options, signal) => {
      const play = PROGRAMS.get(program.split('/').at(-1) ?? '');
      if (!play) return { exitCode: PROGRAM_MISSING_EXIT_CODE, stdout: '', stderr: `${program}: command not found` };
      try {
        const stdout = await play(system, args, options, signal);
        return { exitCode: 0, stdout: stdout ?? '', stderr: '' };
      } catch (error) {
        return { exitCode: 1, stdout: '', stderr: errorMessage(error) };
      }
    },
    readFile: async (path) => {
      if (path === `${LOG_FOLDER}/${LOG_NAME}`) return Buffer.from(log());
      return existsSync(at(path)) ? readFileSync(at(path)) : undefined;
    },
    writeFile: async (path, content, mode = 0o600) => {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), content, { mode });
    },
    exists: async (path) => {
      if (path.startsWith('/dev/')) return system.inventory().disks.some((disk) => disk.path === path);
      if (path === '/sys/firmware/efi') return system.inventory().boot?.current_boot_mode === 'uefi';
      return PRESENT.includes(path) || existsSync(at(path));
    },
    list: async (path) => {
      if (path === LOG_FOLDER) return log() === '' ? [] : [LOG_NAME];
      return existsSync(at(path)) ? readdirSync(at(path)).sort() : [];
    },
  };
}
