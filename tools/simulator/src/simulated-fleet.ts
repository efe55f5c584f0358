import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFileByteSource } from '@muster/adapter-filesystem';
import { readBootImageFile } from '@muster/service-agent';
import { checkImage, downloadImage, fetchRootfs } from './discovery-image';
import { generateHardware, type Hardware, type HardwareFaultId } from './hardware/hardware';
import { type Mishaps, simulatedMachine, type SimulatedMachine } from './machine/simulated-machine';
import type { SimulationObserver } from './observer';
import { createSimulatedTimer } from './timer';
import { createServerNames } from './world/server-names';
import { createSimulatedWorld, type SimulatedWorld } from './world/simulated-cluster';
import { createSimulatedNetwork, parseNetwork, type SimulatedNetwork } from './world/simulated-network';

/** One machine of a fleet. Absent values are generated from the seed of the fleet. */
export interface FleetMember {
  readonly hostname?: string;
  readonly hardware?: Hardware;
  readonly cpuCount?: number;
  readonly memoryGib?: number;
  readonly fault?: HardwareFaultId;
  readonly mishaps?: Mishaps;
}

export interface SimulatedFleetOptions {
  /** Number of machines, or the properties of each. */
  readonly machines: number | readonly FleetMember[];
  /** The same seed gives the same fleet, including host ids. */
  readonly seed: string;
  readonly timeScale: number;
  /**
   * IPv4 network, at most /8. Machines get its addresses from `firstAddress`.
   * @default 192.168.111.0/24
   */
  readonly machineNetwork?: string;
  /** @default 20 */
  readonly firstAddress?: number;
  /**
   * The machines are named `<prefix>-1` and so on.
   * @default host
   */
  readonly namePrefix?: string;
  readonly pollMsMin?: number;
  readonly transport?: 'nats' | 'http';
  readonly observer?: SimulationObserver;
  /** Additional domain names of the fleet's name server. */
  readonly names?: { readonly [domain: string]: readonly string[] };
  /** Folder in which fleets of several processes find each other's machine-config servers. Absent: they do not. */
  readonly serverNamesFolder?: string;
}

/** Machines in one network, which can form clusters. */
export interface SimulatedFleet {
  readonly machines: readonly SimulatedMachine[];
  readonly world: SimulatedWorld;
  readonly network: SimulatedNetwork;
  /**
   * Returns the machine with the hostname.
   * @throws when it does not exist
   */
  machine(hostname: string): SimulatedMachine;
  /** Downloads the ISO once and boots every machine from it. Resolves when all are switched on. */
  bootFromUrl(imageUrl: string, signal?: AbortSignal): Promise<BootedImage>;
  /** Boots every machine from an ISO file. */
  bootFromFile(path: string): Promise<void>;
  powerOff(): Promise<void>;
}

export interface BootedImage {
  readonly bytes: number;
  readonly downloadMs: number;
  /** Size of the downloaded root file system; 0 when the image contains it. */
  readonly rootfsBytes: number;
}

export const DEFAULT_MACHINE_NETWORK = '192.168.111.0/24';
const DEFAULT_FIRST_ADDRESS = 20;

/** @throws when the network has no address for each machine */
export function simulatedFleet(options: SimulatedFleetOptions): SimulatedFleet {
  const { serverNamesFolder } = options;
  const world = createSimulatedWorld(serverNamesFolder ? createServerNames(serverNamesFolder) : undefined);
  const network = createSimulatedNetwork(options.names);
  const subnet = parseNetwork(options.machineNetwork ?? DEFAULT_MACHINE_NETWORK);
  const members =
    typeof options.machines === 'number' ? Array<FleetMember>(options.machines).fill({}) : options.machines;
  const firstAddress = options.firstAddress ?? DEFAULT_FIRST_ADDRESS;
  // The last address of a network is the one of its broadcasts.
  const lastAddress = subnet.size - 2;
  if (firstAddress + members.findLastIndex(({ hardware }) => !hardware) > lastAddress)
    throw new Error(
      `${members.length} machines from address number ${firstAddress} do not fit into the network ${subnet.cidr}: its last machine can have number ${lastAddress}. Use fewer machines, a lower first address or a larger network.`,
    );
  const prefix = options.namePrefix ?? 'host';
  const machines = members.map((member, index) => {
    const hostname = member.hostname ?? `${prefix}-${index + 1}`;
    const seed = `${options.seed} ${hostname}`;
    const hardware =
      member.hardware ??
      generateHardware({
        seed,
        hostname,
        address: `${subnet.address(firstAddress + index)}/${subnet.prefix}`,
        gateway: subnet.address(1),
        cpuCount: member.cpuCount,
        memoryGib: member.memoryGib,
      });
    const { fault, mishaps } = member;
    const { timeScale, pollMsMin, transport, observer } = options;
    return simulatedMachine({
      hardware,
      seed,
      fault,
      mishaps,
      timeScale,
      pollMsMin,
      transport,
      observer,
      world,
      network,
    });
  });

  const bootFromFile = async (path: string): Promise<void> => {
    await checkImage(path);
    for (const machine of machines) {
      // Each machine reads the image itself, as real machines do.
      machine.insert(await readBootImageFile(path));
      machine.powerOn();
    }
  };

  return {
    machines,
    world,
    network,
    machine: (hostname) => {
      const found = machines.find((one) => one.hostname === hostname);
      if (!found)
        throw new Error(`The fleet has no machine ${hostname}, only ${machines.map((m) => m.hostname).join(', ')}.`);
      return found;
    },
    bootFromUrl: async (url, signal = new AbortController().signal) => {
      const folder = mkdtempSync(join(tmpdir(), 'muster-image-'));
      try {
        const path = join(folder, 'discovery.iso');
        const timer = createSimulatedTimer(options).polls;
        const startedMs = performance.now();
        const onRetry = (reason: string): void => options.observer?.onImageRetry?.(reason);
        const bytes = await downloadImage({ url, path, timer, signal, onRetry });
        const downloadMs = performance.now() - startedMs;
        const image = await openFileByteSource(path);
        // Downloaded once, because all machines would receive the same file.
        const rootfsBytes = await fetchRootfs(image, { timer, signal, onRetry }).finally(() => image.close());
        await bootFromFile(path);
        return { bytes, downloadMs, rootfsBytes };
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    bootFromFile,
    powerOff: async () => {
      await Promise.all(machines.map((machine) => machine.powerOff()));
      world.close();
    },
  };
}
