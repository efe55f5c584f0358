import { imageDownload, imageThroughput } from './image/image.bench';
import { fleet, largeCluster } from './fleet/fleet.bench';
import { prompt } from './fleet/prompt.bench';
import { makeArtifacts } from './in-process/artifacts.bench';
import { costPerChange } from './in-process/cost-per-change.bench';
import { counts } from './in-process/counts.bench';
import { durableCommands } from './in-process/durable-commands.bench';
import { prepareAtOnce } from './in-process/prepare-at-once.bench';
import type { Bench } from './measurement';
import { commonCalls } from './process/calls.bench';
import { cost } from './process/cost.bench';
import { refusals } from './process/refusals.bench';
import { idleClusters, idleHosts } from './process/idle.bench';
import { outcomeLatency } from './process/outcome-latency.bench';
import { replay, timeToReady, timeToReadyFromLongHistory } from './process/start.bench';
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
  timeToReadyFromLongHistory,
  idleClusters,
  idleHosts,
  cost,
  refusals,
  commonCalls,
  outcomeLatency,
  fleet,
  largeCluster,
  prompt,
  imageDownload,
  imageThroughput,
];

export interface BenchOptions {
  readonly benches: readonly Bench[];
  readonly isQuick: boolean;
  readonly writes: boolean;
  readonly dataDirectory: string | undefined;
  readonly program: string | undefined;
  readonly events: number | undefined;
  readonly hosts: number | undefined;
  readonly compare: { readonly ref: string; readonly rounds: number } | undefined;
}

const ROUNDS = 3;
const PROGRAM_BENCHES = BENCHES.filter(({ takesProgram }) => takesProgram);
const PROGRAM_NAMES = PROGRAM_BENCHES.map(({ name }) => name).join(', ');

export const USAGE = `npm run bench -- [options]
  --quick        small numbers that only show whether everything works
  --only NAME    run only this benchmark; may be given several times
  --data DIR     use the data directory of a finished run instead of recording an installation
  --write        also writes docs/benchmarks.md; with --only the other rows of the same machine stay
  --events N     events of the large store of ready and ready-long-history
  --hosts N      hosts of fleet, large-cluster and prompt
  --program FILE the main file of Muster of another tree; benchmarks: ${PROGRAM_NAMES}
  --compare REF  runs that commit and this tree alternately and prints ratios with their spread;
                 without --only: ${PROGRAM_NAMES}
  --rounds N     rounds of a comparison; default ${ROUNDS}
  --help

Benchmarks:
${BENCHES.map(({ name, about }) => `  ${name.padEnd(14)} ${about}`).join('\n')}`;

export class UsageError extends Error {}

/**
 * Returns undefined for --help.
 * @throws UsageError
 */
export function parseCommandLine(args: readonly string[]): BenchOptions | undefined {
  const only: Bench[] = [];
  let isQuick = false;
  let writes = false;
  let dataDirectory: string | undefined;
  let program: string | undefined;
  let events: number | undefined;
  let hosts: number | undefined;
  let ref: string | undefined;
  let rounds: number | undefined;
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
    else if (option === '--program') program = valueOf(option);
    else if (option === '--events') events = countIn(option, valueOf(option), 100_000_000);
    else if (option === '--hosts') hosts = countIn(option, valueOf(option), 100_000);
    else if (option === '--compare') ref = valueOf(option);
    else if (option === '--rounds') rounds = countIn(option, valueOf(option), 999);
    else if (option === '--only') only.push(benchNamed(valueOf(option)));
    else throw new UsageError(`There is no option ${option}.`);
  }
  const withoutNames = ref === undefined && program === undefined ? BENCHES : PROGRAM_BENCHES;
  const benches = only.length > 0 ? only : withoutNames;
  const fixed = benches.find(({ takesProgram }) => !takesProgram);
  if (program !== undefined && fixed)
    throw new UsageError(`${fixed.name} measures this tree only; --program does not apply.`);
  const sizes = { events, hosts };
  // The programs of a comparison get their names and --quick only.
  const ignored = Object.entries({ program, data: dataDirectory, ...sizes }).find(([, value]) => value !== undefined);
  if (ref !== undefined && ignored) throw new UsageError(`--${ignored[0]} does not apply to --compare.`);
  if (ref === undefined && rounds !== undefined) throw new UsageError('--rounds needs --compare.');
  return {
    benches,
    isQuick,
    writes,
    dataDirectory,
    program,
    ...sizes,
    compare: ref === undefined ? undefined : { ref, rounds: rounds ?? ROUNDS },
  };
}

function benchNamed(name: string): Bench {
  const found = BENCHES.find((bench) => bench.name === name);
  if (!found) throw new UsageError(`There is no benchmark ${name}, only ${BENCHES.map((b) => b.name).join(', ')}.`);
  return found;
}

function countIn(option: string, text: string, max: number): number {
  if (!/^[1-9]\d{0,8}$/.test(text) || Number(text) > max)
    throw new UsageError(`${option} is ${text}, but must be a number from 1 to ${max}.`);
  return Number(text);
}
