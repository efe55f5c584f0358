import { imageDownload, imageThroughput } from './image/image.bench';
import { makeArtifacts } from './in-process/artifacts.bench';
import { costPerChange } from './in-process/cost-per-change.bench';
import { counts } from './in-process/counts.bench';
import { durableCommands } from './in-process/durable-commands.bench';
import { prepareAtOnce } from './in-process/prepare-at-once.bench';
import type { Bench } from './measurement';
import { agentTransports, commonCalls, showCluster } from './process/calls.bench';
import { idleClusters, idleHosts } from './process/idle.bench';
import { outcomeLatency } from './process/outcome-latency.bench';
import { replay, timeToReady } from './process/start.bench';
import { installationPhases, installationSize } from './store/installation.bench';

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

export interface BenchOptions {
  readonly benches: readonly Bench[];
  readonly isQuick: boolean;
  readonly writes: boolean;
  readonly dataDirectory: string | undefined;
}

export const USAGE = `npm run bench -- [options]
  --quick        small numbers: shows that everything works, not how fast
  --only NAME    this benchmark only; may be given several times
  --data DIR     data directory of a finished run instead of recording an installation
  --write        also writes docs/benchmarks.md; with --only the other rows of the same machine stay
  --help

Benchmarks:
${BENCHES.map(({ name, about }) => `  ${name.padEnd(14)} ${about}`).join('\n')}`;

export class UsageError extends Error {}

/** undefined: help was asked for. Throws UsageError. */
export function parseCommandLine(args: readonly string[]): BenchOptions | undefined {
  const only: Bench[] = [];
  let isQuick = false;
  let writes = false;
  let dataDirectory: string | undefined;
  const rest = [...args];
  const valueOf = (option: string): string => {
    const value = rest.shift();
    if (value === undefined || value.startsWith('--')) throw new UsageError(`${option} needs a value.`);
    return value;
  };
  for (let option = rest.shift(); option !== undefined; option = rest.shift()) {
    if (option === '--help') return undefined;
    else if (option === '--quick') isQuick = true;
    else if (option === '--write') writes = true;
    else if (option === '--data') dataDirectory = valueOf(option);
    else if (option === '--only') only.push(benchNamed(valueOf(option)));
    else throw new UsageError(`There is no option ${option}.`);
  }
  return { benches: only.length > 0 ? only : BENCHES, isQuick, writes, dataDirectory };
}

function benchNamed(name: string): Bench {
  const found = BENCHES.find((bench) => bench.name === name);
  if (!found) throw new UsageError(`There is no benchmark ${name}, only ${BENCHES.map((b) => b.name).join(', ')}.`);
  return found;
}
