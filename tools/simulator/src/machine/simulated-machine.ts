import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { errorMessage } from '@muster/schema';
import {
  type Abilities,
  connectNats,
  type DiscoverySettings,
  hostIdOf,
  type Inventory,
  type Machine,
  openTransport,
  runAgent,
  StepFailed,
  type Transport,
  TransportUnreachable,
} from '@muster/service-agent';
import { type Hardware, HARDWARE_FAULTS, type HardwareFaultId } from '../hardware/hardware';
import { becomeNode, type InstalledSystem } from '../installation/node';
import type { PowerState, SimulationObserver } from '../observer';
import { createRandom, type Random } from '../random';
import { createSimulatedTimer, DEFAULT_POLL_MS_MIN, DURATIONS_MS } from '../timer';
import { createSimulatedWorld, type SimulatedWorld } from '../world/simulated-cluster';
import { playController } from '../world/simulated-controller';
import { createSimulatedNetwork, type SimulatedNetwork } from '../world/simulated-network';
import { createInstallAbilities } from './install-abilities';
import { createAbilities } from './simulated-abilities';

/** Faults of a machine. All are optional and reproducible with the seed of the machine. */
export interface Mishaps {
  /** Share of step replies that are lost, 0 to 1. */
  readonly lostReplies?: number;
  /** The machine restarts from the discovery image while it writes its disk, once. */
  readonly restartsWhileWriting?: boolean;
  /** Factor by which the machine is slower. */
  readonly slowness?: number;
}

/** Returns a transport that loses some replies. */
export function loseReplies(transport: Transport, share: number, random: Random): Transport {
  return {
    ...transport,
    reply: async (reply, signal) => {
      if (random.next() < share) throw new TransportUnreachable('The reply was lost on the way (simulated).');
      await transport.reply(reply, signal);
    },
  };
}

export interface SimulatedMachineOptions {
  readonly hardware: Hardware;
  /** 1: real time. 60: a minute of the machine takes one second. */
  readonly timeScale: number;
  /** Minimum real time between two polls or retries, in milliseconds. */
  readonly pollMsMin?: number;
  /**
   * Seed of its results and faults.
   * @default its hostname
   */
  readonly seed?: string;
  /** Shared by the machines of a cluster. */
  readonly world?: SimulatedWorld;
  readonly network?: SimulatedNetwork;
  readonly fault?: HardwareFaultId;
  readonly mishaps?: Mishaps;
  /** `http`: do not use NATS, even when the image offers it. */
  readonly transport?: 'nats' | 'http';
  readonly observer?: SimulationObserver;
}

/**
 * A simulated machine. It boots the inserted image, runs the real agent, and simulates the effects of an installation.
 */
export interface SimulatedMachine extends Machine {
  readonly hostId: string;
  readonly hostname: string;
  readonly power: PowerState;
  readonly fault: HardwareFaultId | undefined;
  inventory(): Inventory;
  /** Inserts the discovery image from which the machine boots while its disk is empty. */
  insert(settings: DiscoverySettings): void;
  /**
   * Starts to boot and returns immediately.
   * @throws when there is nothing to boot
   */
  powerOn(): void;
  /** Resolves when all programs have stopped. */
  powerOff(): Promise<void>;
  /**
   * Switches the machine off and on. `media`: boot the discovery image even when the disk is installed, as for a reset.
   */
  restart(from?: 'disk' | 'media'): Promise<void>;
  /**
   * Starts an agent on the node of the installed machine, which runs the steps of a reclaim. Returns immediately.
   * @throws when the machine does not run from its disk
   */
  startNodeAgent(): void;
  /** Switches the machine off, repairs its fault, and switches it on. */
  repair(): Promise<void>;
}

export function simulatedMachine(options: SimulatedMachineOptions): SimulatedMachine {
  const { hardware, observer = {}, mishaps = {} } = options;
  const pollMsMin = options.pollMsMin ?? DEFAULT_POLL_MS_MIN;
  const timer = createSimulatedTimer({ timeScale: options.timeScale, pollMsMin, slowness: mishaps.slowness });
  const world = options.world ?? createSimulatedWorld();
  const network = options.network ?? createSimulatedNetwork();
  const hostId = hostIdOf({ ...hardware.identity, bootId: '' });
  const { hostname } = hardware.inventory;
  const seed = options.seed ?? hostname;
  const random = createRandom(`${seed} mishaps`);
  const self = { hostId, hostname };

  let fault = options.fault;
  let state: PowerState = 'off';
  let media: DiscoverySettings | undefined;
  let installed: InstalledSystem | undefined;
  let bootsMedia = false;
  let bootId = '';
  let isRestartPending = mishaps.restartsWhileWriting === true;
  let running: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;
  /** Number of times that the machine was switched off. */
  let timesOff = 0;
  const switchOffAndOn = async (whileOff: () => void): Promise<void> => {
    const off = machine.powerOff();
    const own = timesOff;
    await off;
    whileOff();
    // A machine that was switched off again meanwhile stays off, or starts after that.
    if (timesOff === own) machine.powerOn();
  };

  const inventory = (): Inventory => (fault ? HARDWARE_FAULTS[fault].apply(hardware.inventory) : hardware.inventory);
  const enter = (next: PowerState): void => {
    state = next;
    observer.onPower?.(self, next);
  };
  for (const { ipv4_addresses, mac_address = '' } of hardware.inventory.interfaces)
    for (const cidr of ipv4_addresses)
      network.attach({ address: cidr.replace(/\/.*/, ''), mac: mac_address, isUp: () => state !== 'off' });

  const installAbilities = createInstallAbilities({
    self,
    timer,
    world,
    observer,
    inventory,
    access: () => {
      if (!media) throw new StepFailed('The discovery image cannot be read any more.');
      return media;
    },
    onInstalling: () => enter('installing'),
    onWritten: (system) => {
      installed = system;
      bootsMedia = false;
    },
    onReported: (stage, info) => {
      if (!isRestartPending || stage !== 'Writing image to disk' || info !== '50%') return;
      isRestartPending = false;
      observer.onTrouble?.(self, 'the machine restarts while it writes its disk (simulated)');
      void machine.restart('media');
    },
    reboot: (from) => void machine.restart(from),
  });
  const abilities: Abilities = {
    ...createAbilities({ seed, timer, network, world, inventory }),
    ...installAbilities,
  };

  const live = async (signal: AbortSignal): Promise<void> => {
    enter('starting');
    bootId = randomUUID();
    await timer.work(DURATIONS_MS.firmwareStart, signal);
    if (signal.aborted) return;
    if (installed && !bootsMedia) return liveFromDisk(installed, signal);
    await timer.work(DURATIONS_MS.liveSystemStart, signal);
    if (media && !signal.aborted) await liveFromMedia(media, signal);
  };

  const liveFromMedia = async (settings: DiscoverySettings, signal: AbortSignal): Promise<void> => {
    enter('discovery');
    await liveWithAgent(settings, signal);
  };

  const liveWithAgent = async (
    settings: DiscoverySettings,
    signal: AbortSignal,
    isRegistered = false,
  ): Promise<void> => {
    const transport = await openTransport({
      settings,
      hostId,
      timer: timer.polls,
      connectNats: options.transport === 'http' ? undefined : connectNats,
      onFallback: (reason) => observer.onTrouble?.(self, `The bus cannot be used, so HTTP is used: ${reason}`),
    });
    try {
      const way = mishaps.lostReplies ? loseReplies(transport, mishaps.lostReplies, random) : transport;
      await runAgent(
        {
          machine,
          transport: way,
          hostId,
          agentVersion: settings.agentVersion,
          clock: { nowMs: () => Date.now() },
          timer: timer.polls,
          isRegistered,
          observe: (note) => observer.onAgentNote?.(self, note),
        },
        signal,
      );
    } finally {
      await transport.close();
    }
  };

  const liveFromDisk = async (system: InstalledSystem, signal: AbortSignal): Promise<void> => {
    enter('installed');
    await becomeNode({ self, system, world, timer, observer }, signal);
    if (system.path === 'worker') return;
    const cluster = world.cluster(system.clusterId);
    // One control plane node runs the controller. When that node stops, another one runs it.
    while (!signal.aborted) {
      const isFree = () =>
        cluster.isBootstrapped && cluster.controllerOn === undefined && cluster.controllerConfig !== undefined;
      await world.until(() => cluster.isFinished || isFree(), signal);
      const config = cluster.controllerConfig;
      if (signal.aborted || cluster.isFinished || !config || !isFree()) return;
      cluster.controllerOn = hostId;
      await playController({ config, cluster, world, timer, observer }, signal).finally(() => {
        cluster.controllerOn = undefined;
        world.changed();
      });
    }
  };

  const machine: SimulatedMachine = {
    hostId,
    hostname,
    abilities,
    inventory,
    get power() {
      return state;
    },
    get fault() {
      return fault;
    },
    identity: async () => ({ ...hardware.identity, bootId }),
    isMediaReadable: async () => media !== undefined,
    // The installer ends together with the agent that runs it.
    isInstalling: async () => false,
    insert: (settings) => {
      media = settings;
    },
    powerOn: () => {
      if (running) return;
      if (!media && !installed) throw new Error(`${hostname} has no discovery image and no installed system to boot.`);
      const stop = new AbortController();
      setMaxListeners(0, stop.signal);
      const ended = live(stop.signal).catch((error: unknown) => {
        observer.onTrouble?.(self, `the machine stopped: ${errorMessage(error)}`);
      });
      running = { stop, ended };
    },
    powerOff: async () => {
      timesOff += 1;
      const stopping = running;
      running = undefined;
      stopping?.stop.abort();
      await stopping?.ended;
      if (!running && state !== 'off') enter('off');
    },
    restart: async (from = 'disk') => {
      bootsMedia = from === 'media';
      await switchOffAndOn(() => undefined);
    },
    startNodeAgent: () => {
      if (!running || !media || state !== 'installed') throw new Error(`${hostname} does not run from its disk.`);
      void liveWithAgent(media, running.stop.signal, true).catch((error: unknown) => {
        observer.onTrouble?.(self, `the agent on the node stopped: ${errorMessage(error)}`);
      });
    },
    repair: () => switchOffAndOn(() => (fault = undefined)),
  };
  return machine;
}
