import { INSTALLER_RETRIES, type ServiceAccess, createServiceApi } from '@muster/host-api';
import { StepFailed, type Abilities, type Inventory } from '@muster/service-agent';
import { DURATIONS_MS } from '../durations';
import type { HostStage } from '../installer/host-stages';
import { stagePathOf, type Installation } from '../installer/installation';
import { runInstaller, sendLogs } from '../installer/installer';
import type { InstalledSystem } from '../installer/node';
import type { SimulatedHostRef, SimulationObserver } from '../observer';
import type { SimulatedTimer } from '../timer';
import type { SimulatedWorld } from '../world/simulated-cluster';
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

/** How podman and the shell end when a container is stopped, or its name is taken. */
const STOPPED_EXIT_CODE = 143;
const NAME_TAKEN_EXIT_CODE = 125;

/** The steps that change the machine: what the installer, its log sender and a reclaim do to it. */
export function createInstallAbilities(options: InstallAbilitiesOptions): Abilities {
  const { self, timer, world, observer, inventory } = options;
  let installing: AbortController | undefined;

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
      const path = stagePathOf(order);
      world.knowHost(self.hostId, { hostname: self.hostname, path });
      options.onInstalling();
      const installation: Installation = {
        order,
        path,
        host: { ...self, infraEnvId: order.infraEnvId },
        access,
        api,
        world,
        cluster: world.cluster(order.clusterId),
        timer,
        observer,
        onReported: options.onReported,
      };
      try {
        const config = await runInstaller(installation, signal);
        if (signal.aborted) throw new StepFailed('The installation was stopped.', STOPPED_EXIT_CODE);
        options.onWritten({ clusterId: order.clusterId, path, config });
        // The shutdown is ordered with a delay, so that this step can still be answered.
        void timer.work(DURATIONS_MS.shutdown, power).then(() => {
          if (!power.aborted) options.reboot('disk');
        });
      } finally {
        installing = undefined;
        api.close();
      }
    },
    'stop-installation': async () => installing?.abort(),
    'logs-gather': async (order, signal) => {
      const api = createServiceApi(options.access(), INSTALLER_RETRIES, timer.polls);
      const host = { ...self, infraEnvId: order.infraEnvId };
      await sendLogs({ api, host, timer, observer }, order.clusterId, signal).finally(() => api.close());
    },
    'upgrade-agent': async ({ image }, signal) => {
      await timer.work(DURATIONS_MS.imagePull, signal);
      return { agent_image: image, result: 'success' };
    },
    'download-boot-artifacts': async (_order, signal) => timer.work(DURATIONS_MS.imagePull, signal),
    'reboot-for-reclaim': async (_order, signal) => {
      void timer.work(DURATIONS_MS.shutdown, signal).then(() => {
        if (!signal.aborted) options.reboot('media');
      });
    },
  };
}
