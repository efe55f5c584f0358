import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { inMemoryReadModels } from '@muster/adapter-in-memory';
import { sqliteEventStore } from '@muster/adapter-sqlite';
import { startProjector } from '@muster/event-sourcing';
import { musterEventStore } from '@muster/nest-kit';
import type { EventStore, Requests } from '@muster/ports';
import { projectEvent } from '@muster/service-events';
import { type Bench, type BenchBed, count, kibibytes, type Measurement, perSecond, seconds } from '../measurement';
import { cloneHistory, readHistory } from '../store/clone-store';
import { cpuMs, residentBytes, startEmbeddedProcess } from './embedded-process';

/** Measures the replay rate: the store alone, and with the projections. */
export const replay: Bench = {
  name: 'replay',
  about: 'events per second read from SQLite, and projected into the read models',
  run: async (bed) => {
    const { dataDirectory } = await bed.recording();
    const file = join(bed.directory('replay'), 'events.sqlite');
    const events = await cloneHistory(await readHistory(dataDirectory), file, bed.isQuick ? 2_000 : 200_000);
    const store = sqliteEventStore({ file });
    try {
      const readMs = await readAll(store);
      const projectMs = await project(store);
      return [
        {
          what: `replay of ${count(events)} events, store only`,
          measured: perSecond(events, readMs),
          budget: '> 100 000/s',
        },
        {
          what: `replay of ${count(events)} events into the views`,
          measured: perSecond(events, projectMs),
          budget: '',
        },
      ];
    } finally {
      await store.close();
    }
  },
};

async function readAll(store: EventStore): Promise<number> {
  const startedMs = performance.now();
  let last = -1;
  for await (const page of store.readAll(-1)) last = page[page.length - 1]?.position ?? last;
  if (last !== (await store.head())) throw new Error('The replay ended before the end of the store.');
  return performance.now() - startedMs;
}

async function project(store: EventStore): Promise<number> {
  const startedMs = performance.now();
  const failures: Error[] = [];
  const feed = await startProjector({
    name: 'views',
    store: musterEventStore(store),
    requests: SILENT_BUS,
    readModels: inMemoryReadModels(),
    project: projectEvent,
    onError: (error) => failures.push(error),
  });
  await feed.caughtUp;
  const ms = performance.now() - startedMs;
  await feed.close();
  if (failures[0]) throw failures[0];
  return ms;
}

/** No live events are published during a replay. */
const SILENT_BUS: Requests = {
  request: () => Promise.reject(new Error('A replay sends no request.')),
  publish: () => undefined,
  subscribe: () => ({ unsubscribe: () => undefined }),
  close: async () => undefined,
};

/** Time from the start of the process to the first `GET /ready` with status 200. */
export const timeToReady: Bench = {
  name: 'ready',
  about: 'time to ready of the embedded profile, from empty and from a million events',
  run: async (bed) => {
    const empty = bed.directory('empty');
    // The first start also creates keys and the simulated image, which is included.
    const first = await start(empty, 'time to ready, first start', '< 3 s');
    const again = await start(empty, 'time to ready, empty store', '< 3 s');
    return [...first, ...again, ...(await fromManyEvents(bed, EVENTS))];
  },
};

export const timeToReadyFromLongHistory: Bench = {
  name: 'ready-long-history',
  about: 'the same from ten million events, which takes a quarter of an hour',
  run: (bed) => fromManyEvents(bed, EVENTS_OF_A_LONG_HISTORY),
};

const QUICK_EVENTS = 5_000;
const EVENTS = 1_000_000;
const EVENTS_OF_A_LONG_HISTORY = 10_000_000;

/** A start that folds all events, a start from the saved state, and a start after the process was killed. */
async function fromManyEvents(bed: BenchBed, eventsByDefault: number): Promise<readonly Measurement[]> {
  const { dataDirectory } = await bed.recording();
  const many = bed.directory(`many-${eventsByDefault}`);
  // The bodies and keys to which the history refers are copied; the events and the state that follows from them are replaced.
  const replaced = /\/(nats|(events|state-[^/]*)\.sqlite.*)$/;
  await cp(dataDirectory, many, { recursive: true, filter: (path) => !replaced.test(path) });
  bed.tell('making a large store');
  const file = join(many, 'events.sqlite');
  const wanted = bed.events ?? (bed.isQuick ? QUICK_EVENTS : eventsByDefault);
  const events = count(await cloneHistory(await readHistory(dataDirectory), file, wanted));
  return [
    ...(await start(many, `time to ready, ${events} events, all replayed`, wanted > EVENTS ? '< 1 GB' : '< 600 MB')),
    ...(await start(many, `time to ready, ${events} events, from the saved state`, budgetOf(wanted))),
    ...(await start(many, `time to ready, ${events} events, again, then killed`, budgetOf(wanted), 'SIGKILL')),
    ...(await start(many, `time to ready, ${events} events, after the kill`, budgetOf(wanted))),
  ];
}

const budgetOf = (events: number): string => (events > EVENTS ? '< 10 s, < 1 GB' : '< 5 s, < 600 MB');

async function start(
  directory: string,
  what: string,
  budget: string,
  end: 'SIGTERM' | 'SIGKILL' = 'SIGTERM',
): Promise<readonly Measurement[]> {
  const muster = await startEmbeddedProcess(directory);
  const bytes = residentBytes(muster.pid);
  const cpu = seconds(cpuMs(muster.pid));
  await muster.stop(end);
  return [{ what, measured: `${seconds(muster.readyMs)} (${cpu} CPU), ${kibibytes(bytes)} resident`, budget }];
}
