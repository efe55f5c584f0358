import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClusterSpec, installCluster, MusterProcess, RestClient } from '@muster/tool-demo';
import type { BenchBed, Recording } from './measurement';
import { readHistory } from './store/clone-store';

/** The installation to which the budgets refer: three control plane hosts that also run workloads. */
const COMPACT: ClusterSpec = {
  name: 'compact',
  controlPlaneCount: 3,
  machines: [{}, {}, {}],
  machineNetwork: '192.168.130.0/24',
  vips: { api: '192.168.130.100', ingress: '192.168.130.101' },
};
/** Factor by which the machines are faster than real ones. */
const TIME_SCALE = 300;

/** Installs one cluster of simulated hosts in the directory. */
export async function recordInstallation(
  dataDirectory: string,
  outputDirectory: string,
  tell: (text: string) => void,
): Promise<Recording> {
  const muster = await MusterProcess.prepare({ dataDirectory });
  const killAtExit = (): void => void muster.kill();
  process.prependOnceListener('exit', killAtExit);
  try {
    await muster.start();
    await installCluster(COMPACT, {
      client: new RestClient(muster.restUrl),
      timeScale: TIME_SCALE,
      seed: 'bench',
      outputDirectory,
      tell,
    });
  } finally {
    await muster.stop();
    process.removeListener('exit', killAtExit);
  }
  return describeRecording(dataDirectory);
}

/**
 * Returns the size and content of a data directory that no process has open.
 * @throws when it contains no events
 */
export async function describeRecording(dataDirectory: string): Promise<Recording> {
  // Opening a store creates it.
  const events = existsSync(join(dataDirectory, 'events.sqlite')) ? await readHistory(dataDirectory) : [];
  if (events.length === 0)
    throw new Error(`There are no events in ${dataDirectory}; give the directory of a finished run.`);
  const countOf = (type: string): number => events.filter((event) => event.type === type).length;
  return { dataDirectory, clusters: countOf('ClusterRegistered'), hosts: countOf('HostRegistered') };
}

/** Time in which the programs of an interrupted run end, which may write to a directory while it is deleted. */
const REMOVAL = { maxRetries: 10, retryDelay: 100 };

/** Creates the environment of one run. `remove` deletes all its directories; the exit of the process does so too. */
export function createBenchBed(options: {
  readonly isQuick: boolean;
  readonly dataDirectory: string | undefined;
  readonly program: string | undefined;
  readonly events?: number | undefined;
  readonly hosts?: number | undefined;
  readonly tell: (text: string) => void;
}): BenchBed & { remove(): void } {
  const { isQuick, program, events, hosts, tell } = options;
  const root = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  const remove = (): void => rmSync(root, { recursive: true, force: true, ...REMOVAL });
  process.once('exit', remove);
  const directory = (name: string): string => {
    const path = join(root, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  let recorded: Promise<Recording> | undefined;
  const record = (): Promise<Recording> => {
    if (options.dataDirectory !== undefined) return describeRecording(options.dataDirectory);
    tell('recording an installation of three simulated hosts');
    return recordInstallation(directory('recording'), directory('credentials'), tell);
  };
  return {
    isQuick,
    program,
    events,
    hosts,
    tell,
    directory,
    recording: () => (recorded ??= record()),
    remove,
  };
}
