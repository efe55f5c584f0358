import type { Bench } from './measurement';
import { agentDoors } from './process/agent-doors.bench';
import { idleClusters } from './process/idle-clusters.bench';
import { idleHosts } from './process/idle-hosts.bench';
import { showCluster } from './process/show-cluster.bench';
import { timeToReady } from './process/time-to-ready.bench';
import { durableCommands } from './store/durable-commands.bench';
import { installationSize } from './store/installation-size.bench';
import { replay } from './store/replay.bench';

/** In the order in which they run. */
export const BENCHES: readonly Bench[] = [
  durableCommands,
  installationSize,
  replay,
  timeToReady,
  idleClusters,
  idleHosts,
  agentDoors,
  showCluster,
];
