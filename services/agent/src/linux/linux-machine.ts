import { lookup, Resolver } from 'node:dns/promises';
import { arch, hostname, machine, networkInterfaces } from 'node:os';
import { isSea } from 'node:sea';
import type { DiscoverySettings } from '../discovery-settings';
import type { Inventory } from '../machine/inventory';
import type { Abilities, Machine } from '../machine/machine.port';
import { fetchApiVipIgnition, fetchTangAdvertisements } from '../steps/remote-checks';
import { findFreeAddresses, kernelNeighbours, type NeighbourProbe, verifyVips } from './address-checks';
import { runCommand, type RunCommand } from './command';
import { checkConnectivity } from './connectivity-check';
import { allocateLeases } from './dhcp-leases';
import { checkDiskSpeed } from './disk-speed';
import { readDisks } from './disks';
import { readBoot, readCpu, readGpus, readMemory, readSystemVendor, readTpmVersion } from './hardware';
import { createInstallationSteps } from './installation-steps';
import { createMachineFiles, type MachineFiles, readMounts } from './machine-files';
import { isVirtualMachine, readBmc, withBiosNames } from './machine-tools';
import { type Addresses, hostnameOf, permanentMacs, readInterfaces, readRoutes } from './network';
import { isInstallerRunning } from './run-installer';
import { addressesIfAny, checkImages, type NameLookup, resolveDomains, synchronizeTime } from './service-checks';

export interface LinuxMachineOptions {
  /** Folder that contains /proc, /sys, /dev and /run. */
  readonly root?: string;
  readonly addresses?: () => Addresses;
  readonly hostname?: () => string;
  /** Output of `uname -m`. */
  readonly architecture?: string;
  readonly run?: RunCommand;
  readonly probe?: NeighbourProbe;
  /** Settings of the agent. Absent: steps that need the service or change the machine are not available. */
  readonly settings?: DiscoverySettings;
  /** Path of this executable. @default that of this process, when it is a single executable */
  readonly executablePath?: string;
  /** This process ends after one step, so it needs no other process for it. */
  readonly isForOneStep?: boolean;
}

const MEDIA_MOUNT = '/run/media/iso';

/** The machine on which this process runs. A step whose program is missing fails with the name of the program. */
export function linuxMachine(options: LinuxMachineOptions = {}): Machine {
  const root = options.root ?? '/';
  const files = createMachineFiles(root);
  const addresses = options.addresses ?? networkInterfaces;
  const run = options.run ?? runCommand;
  const probe = options.probe ?? kernelNeighbours(run);
  const architecture = options.architecture ?? (machine() || arch());
  const interfaces = () => readInterfaces(files, addresses());

  const inventory = async (signal: AbortSignal): Promise<Inventory> => {
    const cards = await withBiosNames(interfaces(), run, signal);
    const vendor = readSystemVendor(files);
    return {
      ...(await readBmc(run, signal)),
      boot: readBoot(files),
      cpu: readCpu(files, architecture),
      disks: await readDisks(files),
      gpus: readGpus(files),
      hostname: hostnameOf((options.hostname ?? hostname)(), cards),
      interfaces: cards,
      memory: readMemory(files),
      routes: readRoutes(files, architecture),
      system_vendor: { ...vendor, virtual: vendor.virtual || (await isVirtualMachine(run, signal)) },
      tpm_version: readTpmVersion(files),
    };
  };

  const executablePath = options.executablePath ?? ownExecutable();
  const diskTools = { hanging: new Set<string>(), run, program: options.isForOneStep ? undefined : executablePath };
  const nameFailures = new Map<string, number>();
  const timeMemory = { added: new Set<string>(), listed: 0 };
  const abilities: Abilities = {
    inventory: (_order, signal) => inventory(signal),
    'connectivity-check': (hosts, signal) => checkConnectivity(hosts, interfaces(), run, probe, signal),
    'ntp-synchronizer': ({ sources }, signal) =>
      synchronizeTime({ sources, memory: timeMemory }, nameLookup, run, signal),
    'domain-resolution': ({ domains }) => resolveDomains(domains, nameLookup, nameFailures),
    'free-network-addresses': (networks, signal) =>
      findFreeAddresses(networks, addressesIn(addresses()), run, probe, signal),
    'verify-vips': (vips, signal) => verifyVips(vips, run, probe, signal),
    'dhcp-lease-allocate': (order, signal) => allocateLeases(order, run, signal),
    'installation-disk-speed-check': (order, signal) => checkDiskSpeed(order, diskTools, signal),
    'container-image-availability': async (order, signal) => ({
      // A change of the clock must not end a download.
      images: await checkImages(order, run, () => performance.now(), signal),
    }),
    'api-vip-connectivity-check': fetchApiVipIgnition,
    'tang-connectivity-check': fetchTangAdvertisements,
    ...(options.settings &&
      createInstallationSteps({
        settings: options.settings,
        root,
        run,
        architecture,
        executablePath,
      })),
  };

  return {
    abilities,
    identity: async () => ({
      baseboardSerial: files.text('/sys/class/dmi/id/board_serial') ?? '',
      systemUuid: files.text('/sys/class/dmi/id/product_uuid') ?? '',
      systemSerial: files.text('/sys/class/dmi/id/product_serial') ?? '',
      macAddresses: permanentMacs(files),
      bootId: files.text('/proc/sys/kernel/random/boot_id') ?? '',
    }),
    isMediaReadable: () => isMediaReadable(files),
    isInstalling: (signal) => isInstallerRunning(files, run, signal),
  };
}

const addressesIn = (own: Addresses): readonly string[] =>
  Object.values(own).flatMap((infos = []) => infos.map(({ address }) => address));

const nameLookup: NameLookup = {
  addresses: (name) => addressesIfAny(lookup(name, { all: true })),
  // A resolver keeps the name servers that the machine had when it was created.
  canonicalNames: (name) => new Resolver().resolveCname(name).catch(() => []),
};

/** A process of plain Node has no executable with the same subcommands. */
const ownExecutable = (): string | undefined => (isSea() ? process.execPath : undefined);

/** Only a machine that boots a full image has the medium mounted. Other machines cannot lose it. */
async function isMediaReadable(files: MachineFiles): Promise<boolean> {
  if (!files.exists(MEDIA_MOUNT)) return true;
  const source = readMounts(files).find(({ target }) => target === MEDIA_MOUNT)?.source;
  return source?.startsWith('/dev') === true && (await files.firstBytes(source, 2)) !== undefined;
}
