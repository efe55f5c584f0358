import { rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { errorMessage } from '@muster/schema';
import { lockDemoDirectory, MusterProcess } from './muster-process';
import { ProgressView } from './progress-view';
import { RestClient } from './rest-client';
import { DEMO_CLUSTERS, installCluster, readTimeScale, USAGE, wantsHelp } from './scenario';
import { readFunnel, storedFigures, summarize } from './summary';

interface Demo {
  readonly directory: string;
  readonly timeScale: number;
  readonly startedMs: number;
}

/** Shows the installation of all clusters, and their figures at the end. */
async function demonstrate(
  muster: MusterProcess,
  view: ProgressView,
  { directory, timeScale, startedMs }: Demo,
): Promise<void> {
  await muster.start();
  const startMs = performance.now() - startedMs;
  view.tell(`all services are ready: REST on ${muster.restUrl}`);
  view.start();
  const client = new RestClient(muster.restUrl);
  const clusters = await Promise.all(
    DEMO_CLUSTERS.map((spec) =>
      installCluster(spec, {
        client,
        timeScale,
        seed: 'demo',
        outputDirectory: relative(process.cwd(), directory) || '.',
        tell: (text) => view.tell(text),
        onLook: (cluster) => view.show(cluster),
      }),
    ),
  );
  const funnel = await readFunnel(client, clusters.length);
  view.stop();
  await muster.stop();
  const stored = await storedFigures(muster.dataDirectory);
  const hostCount = DEMO_CLUSTERS.reduce((sum, { machines }) => sum + machines.length, 0);
  console.log(
    summarize({ clusters, funnel, stored, startMs, totalMs: performance.now() - startedMs, hostCount, timeScale }),
  );
}

async function main(): Promise<void> {
  if (wantsHelp(process.argv.slice(2))) return console.log(USAGE);
  const startedMs = performance.now();
  const timeScale = readTimeScale(process.env.MUSTER_DEMO_TIME_SCALE);
  const directory = resolve(process.env.MUSTER_DEMO_DIRECTORY || join('.muster', 'demo'));
  const dataDirectory = join(directory, 'data');
  const lock = lockDemoDirectory(directory);
  await rm(dataDirectory, { recursive: true, force: true });

  console.log('Muster demo: two clusters on simulated hosts, everything else real (HTTP, NATS, SQLite, ISO images).\n');
  const muster = await MusterProcess.prepare({ dataDirectory });
  const view = new ProgressView(process.stdout);
  try {
    const signal = await Promise.race([demonstrate(muster, view, { directory, timeScale, startedMs }), endSignal()]);
    if (!signal) return;
    view.stop();
    console.error(`\ndemo: ended by ${signal}`);
    process.exitCode = 128 + constants.signals[signal];
  } catch (error) {
    view.stop();
    console.error(`\ndemo: ${errorMessage(error)}`);
    if (muster.output.trim())
      console.error(`\nLast output of Muster:\n${muster.output.split('\n').slice(-25).join('\n')}`);
    process.exitCode = 1;
  } finally {
    await muster.stop();
    lock.release();
  }
}

/**
 * Resolves with the first signal that ends the demo. Without a handler, Muster would continue to run alone. Node ignores SIGPIPE, so a
 * program that no longer reads the output, such as `head`, causes an error of the stream instead.
 */
function endSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, resolve);
    process.stdout.on('error', () => resolve('SIGPIPE'));
  });
}

void main()
  .catch((error: unknown) => {
    console.error(`demo: ${errorMessage(error)}`);
    process.exitCode = 1;
  })
  .then(() => process.exit());
