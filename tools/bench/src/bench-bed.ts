import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClusterSpec, installCluster, MusterProcess, RestClient } from '@muster/tool-demo';
import type { BenchBed, Recording } from './measurement';
import { readHistory } from './store/clone-store';

/** Three control plane nodes and nothing else: the installation that the budgets speak of. */
const COMPACT: ClusterSpec = {
  name: 'compact',
  controlPlaneCount: 3,
  machines: [{}, {}, {}],
  machineNetwork: '192.168.130.0/24',
  vips: { api: '192.168.130.100', ingress: '192.168.130.101' },
};
/** Machines live this many times faster than real ones. */
const TIME_SCALE = 300;

/** Installs one cluster of simulated hosts in the directory. */
export async function recordInstallation(
  dataDirectory: string,
  outputDirectory: string,
  tell: (text: string) => void,
): Promise<Recording> {
  const muster = await MusterProcess.prepare({ dataDirectory });
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
  }
  return describeRecording(dataDirectory);
}

/** What a data directory holds that no process has open. Throws when nothing was ever stored there. */
export async function describeRecording(dataDirectory: string): Promise<Recording> {
  const events = await readHistory(dataDirectory);
  if (events.length === 0)
    throw new Error(`There are no events in ${dataDirectory}; give the directory of a finished run.`);
  const countOf = (type: string): number => events.filter((event) => event.type === type).length;
  return { dataDirectory, clusters: countOf('ClusterRegistered'), hosts: countOf('HostRegistered') };
}

/** The bed of one run; `remove` deletes all that was made in it. */
export function createBenchBed(options: {
  readonly isQuick: boolean;
  readonly dataDirectory: string | undefined;
  readonly program: string | undefined;
  readonly tell: (text: string) => void;
}): BenchBed & { remove(): void } {
  const { isQuick, program, tell } = options;
  const root = mkdtempSync(join(tmpdir(), 'muster-bench-'));
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
    tell,
    directory,
    recording: () => (recorded ??= record()),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
