import { randomUUID } from 'node:crypto';
import {
  createServiceApi,
  hostLogArchive,
  INSTALLER_RETRIES,
  type ServiceAccess,
  type ServiceApi,
} from '@muster/host-api';
import { errorMessage } from '@muster/schema';
import { type Abilities, installFlags, type Inventory, StepFailed } from '@muster/service-agent';
import {
  type InstallerLogEntry,
  type InstallerSettings,
  parseIgnition,
  parseInstallFlags,
  runInstaller,
} from '@muster/service-installer';
import { type HostStage, percentOf, type StagePath } from '../installation/host-stages';
import { fetchPoolConfig } from '../installation/ignition-documents';
import type { InstalledSystem } from '../installation/node';
import { createSimulatedHost } from '../installation/simulated-host';
import type { SimulatedHostRef, SimulationObserver } from '../observer';
import { DURATIONS_MS, type SimulatedTimer } from '../timer';
import type { SimulatedWorld } from '../world/simulated-cluster';
import { createSimulatedClusterApi } from '../world/simulated-controller';
import { hasDisk } from './simulated-abilities';

export interface InstallAbilitiesOptions {
  readonly self: SimulatedHostRef;
  readonly timer: SimulatedTimer;
  readonly world: SimulatedWorld;
  readonly observer: SimulationObserver;
  inventory(): Inventory;
  access(): ServiceAccess;
  onInstalling(): void;
  onWritten(system: InstalledSystem): void;
  onReported(stage: HostStage, info: string): void;
  reboot(from: 'disk' | 'media'): void;
}

/** Path of the executable in a live image. */
const EXECUTABLE = { path: '/usr/local/bin/muster-host', url: '', sha256: '' };
/** Exit codes of podman and the shell when a container was stopped or its name is in use. */
const STOPPED_EXIT_CODE = 143;
const NAME_TAKEN_EXIT_CODE = 125;

/** The steps that change the machine: installation, log collection and reclaim. */
export function createInstallAbilities(options: InstallAbilitiesOptions): Abilities {
  const { self, timer, world, inventory } = options;
  let installing: AbortController | undefined;

  const sendLogs = async (api: ServiceApi, ids: LogOwner, signal: AbortSignal): Promise<void> => {
    await api.reportHostLogs(ids, 'collecting', signal);
    await timer.work(DURATIONS_MS.logsGathering, signal);
    const bundle = await hostLogArchive(ids.hostId, {
      'agent.logs': `${self.hostname}: simulated agent\n`,
      'installer.logs': `${self.hostname}: simulated installer\n`,
    });
    await api.uploadHostLogs(ids.clusterId, ids, bundle, signal);
    await api.reportHostLogs(ids, 'completed', signal);
  };

  return {
    install: async (order, power) => {
      if (installing)
        throw new StepFailed('the container name "assisted-installer" is already in use', NAME_TAKEN_EXIT_CODE);
      if (!hasDisk(inventory(), order.bootDevice))
        throw new StepFailed(`This machine has no disk ${order.bootDevice}.`);
      installing = new AbortController();
      const signal = AbortSignal.any([power, installing.signal]);
      const access = options.access();
      const api = createServiceApi(access, INSTALLER_RETRIES, timer.polls);
      const settings = parseInstallFlags(installFlags(order, { ...access, executable: EXECUTABLE }), {
        PULL_SECRET_TOKEN: access.token,
      });
      const path = stagePathOf(settings);
      const { interfaces } = inventory();
      const addresses = interfaces
        .flatMap(({ ipv4_addresses, ipv6_addresses }) => [...ipv4_addresses, ...ipv6_addresses])
        .map((address) => address.replace(/\/.*/, ''));
      world.knowHost(self.hostId, { hostname: self.hostname, path, addresses });
      options.onInstalling();
      const cluster = world.cluster(order.clusterId);
      let written: Buffer | undefined;
      const host = createSimulatedHost({
        ...self,
        settings,
        root: world.roots.fresh(self.hostId, 'live'),
        world,
        cluster,
        timer,
        agentVersion: access.agentVersion,
        inventory,
        onWritten: (ignition) => void (written = ignition),
        onShutdown: () => {
          const config = parseIgnition(written, 'on the disk');
          options.onWritten({ clusterId: order.clusterId, path, config });
          // The shutdown has a delay, so that this step can still be answered.
          void timer.work(DURATIONS_MS.shutdown, power).then(() => {
            if (!power.aborted) options.reboot('disk');
          });
        },
        sendLogs: (stop) => sendLogs(api, order, stop),
      });
      try {
        await runInstaller(
          {
            settings,
            host,
            api,
            openCluster: () => createSimulatedClusterApi(cluster, world, timer),
            fetchConfig: ({ url, caPem }, stop) => fetchFromPool(url, caPem, world, stop),
            timer: timer.polls,
            newId: randomUUID,
            observe: (entry) => show(entry, options),
          },
          signal,
        );
        if (signal.aborted) throw new StepFailed('The installation was stopped.', STOPPED_EXIT_CODE);
      } catch (error) {
        throw error instanceof StepFailed ? error : new StepFailed(errorMessage(error), 1);
      } finally {
        installing = undefined;
        api.close();
      }
    },
    'stop-installation': async () => installing?.abort(),
    'logs-gather': async (order, signal) => {
      const api = createServiceApi(options.access(), INSTALLER_RETRIES, timer.polls);
      await sendLogs(api, order, signal).finally(() => api.close());
    },
    'upgrade-agent': async ({ image }, signal) => {
      await timer.work(DURATIONS_MS.imagePull, signal);
      return { agent_image: image, result: 'success' };
    },
    'download-boot-artifacts': async ({ initrdUrl, kernelUrl, rootfsUrl }, signal) => {
      for (const url of [kernelUrl, initrdUrl, rootfsUrl]) {
        const { ok, status } = await fetch(url, { method: 'HEAD', signal });
        if (!ok) throw new StepFailed(`${url} was answered with status ${status}.`);
      }
      await timer.work(DURATIONS_MS.imagePull, signal);
    },
    'reboot-for-reclaim': async (_order, signal) => {
      void timer.work(DURATIONS_MS.shutdown, signal).then(() => {
        if (!signal.aborted) options.reboot('media');
      });
    },
  };
}

interface LogOwner {
  readonly clusterId: string;
  readonly hostId: string;
  readonly infraEnvId: string;
}

function stagePathOf({ role, controlPlaneCount }: InstallerSettings): StagePath {
  if (role === 'bootstrap') return controlPlaneCount === 1 ? 'single-node' : 'bootstrap';
  return role === 'worker' ? 'worker' : 'master';
}

/** Sends a request to the machine-config server that has the name in the URL. */
async function fetchFromPool(
  url: string,
  caPem: string | undefined,
  world: SimulatedWorld,
  signal: AbortSignal,
): Promise<Buffer> {
  const server = world.serverAt(new URL(url).hostname);
  if (!server || signal.aborted) throw new Error(`No machine-config server answers at ${url}.`);
  return fetchPoolConfig(new URL(url), caPem === undefined ? [] : [caPem], server);
}

function show(entry: InstallerLogEntry, { observer, onReported, self, world }: InstallAbilitiesOptions): void {
  switch (entry.type) {
    case 'phase':
      return;
    case 'note':
      // Ordinary log entries are not reported.
      if (!entry.text.startsWith('Waiting for ')) observer.onTrouble?.(self, entry.text);
      return;
    case 'stage': {
      const { hostname, path } = world.host(entry.hostId);
      const share = Number(/^(\d+)%$/.exec(entry.info)?.[1] ?? 0) / 100;
      observer.onStage?.({ hostId: entry.hostId, hostname }, entry.stage, percentOf(path, entry.stage, share));
      if (entry.hostId === self.hostId && entry.stage !== 'Failed') onReported(entry.stage, entry.info);
      return;
    }
    default:
      return entry satisfies never;
  }
}
