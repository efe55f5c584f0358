import { counts } from './counts/counts.bench';
import { imageThroughput } from './image/image-throughput.bench';
import { makeArtifacts } from './artifacts/make-artifacts.bench';
import { prepareAtOnce } from './artifacts/prepare-at-once.bench';
import type { Bench } from './measurement';
import { agentTransports } from './process/agent-doors.bench';
import { commonCalls } from './process/common-calls.bench';
import { idleClusters } from './process/idle-clusters.bench';
import { idleHosts } from './process/idle-hosts.bench';
import { imageDownload } from './process/image-download.bench';
import { outcomeLatency } from './process/outcome-latency.bench';
import { showCluster } from './process/show-cluster.bench';
import { timeToReady } from './process/time-to-ready.bench';
import { durableCommands } from './store/durable-commands.bench';
import { installationPhases } from './store/installation-phases.bench';
import { installationSize } from './store/installation-size.bench';
import { replay } from './store/replay.bench';
import { costPerChange } from './validation/cost-per-change.bench';

/** In the order in which they run. */
export const BENCHES: readonly Bench[] = [
  counts,
  durableCommands,
  makeArtifacts,
  prepareAtOnce,
  installationSize,
  installationPhases,
  replay,
  costPerChange,
  timeToReady,
  idleClusters,
  idleHosts,
  agentTransports,
  showCluster,
  commonCalls,
  outcomeLatency,
  imageDownload,
  imageThroughput,
];
