import { CONTROLLER_RETRIES, createServiceApi } from '@muster/host-api';
import { type ControllerHost, type ControllerLogEntry, runController } from '@muster/service-controller';
import { DURATIONS_MS } from '../durations';
import { percentOf } from '../installation/host-stages';
import type { SimulationObserver } from '../observer';
import type { SimulatedTimer } from '../timer';
import type { ControllerConfig, SimulatedCluster, SimulatedWorld } from './simulated-cluster';
import { createSimulatedClusterApi } from './simulated-cluster-api';

interface ControllerPlay {
  readonly config: ControllerConfig;
  readonly cluster: SimulatedCluster;
  readonly world: SimulatedWorld;
  readonly timer: SimulatedTimer;
  readonly observer: SimulationObserver;
}

/** Runs the controller in a simulated cluster until the installation has ended or `signal` is aborted. */
export async function playController(play: ControllerPlay, signal: AbortSignal): Promise<void> {
  const { cluster, config, timer, world } = play;
  const api = createServiceApi(config, CONTROLLER_RETRIES, timer.polls);
  try {
    await timer.work(DURATIONS_MS.controllerStart, signal);
    await runController(
      {
        settings: config,
        api,
        cluster: createSimulatedClusterApi(cluster, world, timer),
        host: simulatedControllerHost(cluster),
        timer: timer.polls,
        observe: (entry) => show(entry, play),
      },
      signal,
    );
    if (signal.aborted) return;
    cluster.isFinished = true;
    world.changed();
  } finally {
    api.close();
  }
}

function show(entry: ControllerLogEntry, { config, observer, world }: ControllerPlay): void {
  const say = (text: string): void => observer.onController?.(config.clusterId, text);
  switch (entry.type) {
    case 'ready':
      return say('controller ready');
    case 'finalizing':
      return say(entry.stage);
    case 'host-stage': {
      const { hostname, path } = world.host(entry.hostId);
      return observer.onStage?.({ hostId: entry.hostId, hostname }, entry.stage, percentOf(path, entry.stage));
    }
    case 'ended':
      return say(`cluster is ${entry.status}`);
    case 'note':
      return say(entry.text);
    default:
      return entry satisfies never;
  }
}

/** Programs succeed; the log shows the nodes. */
const simulatedControllerHost = (cluster: SimulatedCluster): ControllerHost => ({
  run: async () => ({ exitCode: 0, output: '' }),
  writeTemporary: async (name) => `/tmp/${name}`,
  readFile: async (path) => {
    if (path !== '/tmp/controller_logs.log') return undefined;
    return Buffer.from([...cluster.nodes].map(([id, node]) => `${id} ready=${node.isReady}\n`).join(''));
  },
  archive: async () => Buffer.alloc(0),
});
