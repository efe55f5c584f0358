import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { count, kibibytes, seconds } from '../figures';
import type { Bench, BenchBed, Measurement } from '../measurement';
import { cloneHistory, readHistory } from '../store/clone-store';
import { residentBytes } from './cpu-time';
import { startEmbeddedProcess } from './embedded-process';

/** From the start of the process to the first `GET /ready` that says yes. */
export const timeToReady: Bench = {
  name: 'ready',
  about: 'time to ready of the embedded profile, from empty and from a million events',
  run: async (bed) => {
    const empty = bed.directory('empty');
    // The first start also makes keys and the small base image; both are counted.
    const first = await start(empty, 'time to ready, first start', '< 3 s');
    const again = await start(empty, 'time to ready, empty store', '< 3 s');
    return [...first, ...again, ...(await fromManyEvents(bed))];
  },
};

async function fromManyEvents(bed: BenchBed): Promise<readonly Measurement[]> {
  const { dataDirectory } = await bed.recording();
  const many = bed.directory('many');
  // Bodies and keys that the history refers to come along; the history itself is replaced.
  await cp(dataDirectory, many, { recursive: true, filter: (path) => !/\/(nats|events\.sqlite.*)$/.test(path) });
  await rm(join(many, 'events.sqlite'), { force: true });
  bed.tell('making a large store');
  const file = join(many, 'events.sqlite');
  const events = await cloneHistory(await readHistory(dataDirectory), file, bed.isQuick ? 5_000 : 1_000_000);
  return start(many, `time to ready, ${count(events)} events`, '');
}

async function start(directory: string, what: string, budget: string): Promise<readonly Measurement[]> {
  const muster = await startEmbeddedProcess(directory);
  const bytes = residentBytes(muster.pid);
  await muster.stop();
  return [{ what, measured: `${seconds(muster.readyMs)}, ${kibibytes(bytes)} resident`, budget }];
}
