import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ReplacedBytes,
  type Replacement,
  SqliteCompaction,
  type StatementWork,
  vacuumSqliteFile,
  writerHere,
} from '@muster/adapter-sqlite';
import {
  eventCategory,
  isEventOf,
  MUSTER_CODEC,
  type MusterEvent,
  type RecordedMusterEvent,
  type StreamCategory,
  streamIdOf,
  toStoredData,
} from '@muster/contracts';
import { clusterDecider, clusterFinishedAt, hostDecider } from '@muster/domain';
import { compactOutcomes, type IsNamed } from '@muster/evaluation';
import { compactReports } from '@muster/inventory';
import { SettingsError, type SettingsReader } from '@muster/nest-kit';
import { type ObjectStore, parseStreamId } from '@muster/ports';
import { lockDataDirectory, SEALED_FILE } from './data-directory';
import { openObjectStores } from './profile';
import { reach, StartError } from './start-error';

/** Streams between two lines of progress. */
const PROGRESS_STREAMS = 1_000;

export interface CompactionOptions {
  /** Directory of the store. The caller has locked it. */
  readonly dataDirectory: string;
  readonly objectStore: ObjectStore;
  /** Events before this time may be removed, in milliseconds since the Unix epoch. */
  readonly beforeMs: number;
  readonly print: (line: string) => void;
}

export interface CompactionSummary extends ReplacedBytes {
  /** Events that keep their place only. */
  readonly removed: number;
  /** Events that keep a part of their data. */
  readonly reduced: number;
  readonly bodies: number;
}

/**
 * Removes reports and outcomes that newer ones replaced, of clusters that were finished before the time and of their hosts. Everything
 * that Muster shows of them at present stays. It can be killed at any time and run again: each stream is changed in one transaction.
 */
export async function compactStore(options: CompactionOptions): Promise<CompactionSummary> {
  const { dataDirectory, objectStore, print } = options;
  const store = new SqliteCompaction(join(dataDirectory, 'events.sqlite'));
  try {
    const total = { removed: 0, reduced: 0, before: 0, after: 0, bodies: 0 };
    const clusters = finishedClusters(store, options);
    print(`${clusters.size} clusters were finished before ${new Date(options.beforeMs).toISOString()}`);
    const change = (): string => `${total.removed} events removed, ${total.reduced} reduced`;
    const compactAll = (replacements: readonly Replacement[]): void => {
      const replaced = replacements.length > 0 ? store.replace(replacements) : undefined;
      if (!replaced) return;
      const { before, after } = replaced;
      const removed = replacements.filter(({ data }) => !data).length;
      total.removed += removed;
      total.reduced += replacements.length - removed;
      total.before += before;
      total.after += after;
    };
    const clusterVisited = counting(clusters.size, (count) => print(`${count} finished clusters, ${change()}`));
    for (const id of clusters) {
      compactAll(outcomesToReplace(store, id, options.beforeMs, eventsOf(store, 'cluster', id)));
      clusterVisited();
    }
    const hostVisited = counting(store.countStreams('host-'), (count) => print(`${count} hosts, ${change()}`));
    for (const streamId of store.streams('host-')) {
      const { id } = parseStreamId(streamId);
      const host = eventsOf(store, 'host', id);
      if (isFinishedHost(host, clusters, options.beforeMs)) {
        compactAll(outcomesToReplace(store, id, options.beforeMs, host));
        compactAll(reportsToReplace(store, id, options.beforeMs, endsOf(host)));
      }
      hostVisited();
    }
    const unused = store.unusedBodies((searched) => print(`${searched} events searched for documents`));
    const bodyRemoved = counting(unused.length, (count) => print(`${count} documents removed`));
    for (const digest of unused) {
      await objectStore.remove(digest);
      bodyRemoved();
    }
    store.forgetBodies();
    return { ...total, bodies: unused.length };
  } finally {
    store.close();
  }
}

/**
 * Compacts the store and shrinks the files of a data directory, which no other process may use.
 * @throws StartError `settings` without a retention, `dataDirectory` when the directory is in use, `dependency` without the server of
 * MINIO_URL
 * @throws SettingsError when the retention is not a duration
 * @throws DatabaseUnusable when a file cannot be read or written
 */
export async function compactDataDirectory(
  settings: SettingsReader,
  dataDirectory: string,
  print: (line: string) => void,
): Promise<void> {
  const retentionMs = settings.get('MUSTER_REPORT_RETENTION');
  const reaching = { setting: 'MINIO_URL', waitMs: settings.get('MUSTER_START_WAIT'), report: print } as const;
  if (settings.problems.length > 0) throw new SettingsError(settings.problems);
  if (retentionMs === undefined)
    throw new StartError(
      'settings',
      'MUSTER_REPORT_RETENTION is not set, so all events are kept. Set it to a duration such as 720h.',
    );
  const lock = lockDataDirectory(dataDirectory, 'store compact', 'exclusive');
  const writer = writerHere();
  try {
    const { objectStore, close } = await reach(() => openObjectStores(settings, dataDirectory, writer), reaching);
    try {
      const beforeMs = Date.now() - retentionMs;
      const summary = await compactStore({ dataDirectory, objectStore, beforeMs, print });
      const { removed, reduced, before, after, bodies } = summary;
      print(
        `${removed} events removed and ${reduced} reduced, from ${before} to ${after} bytes; ${bodies} documents removed`,
      );
    } finally {
      await close();
    }
    await vacuumFiles(dataDirectory, print);
  } finally {
    await writer.close();
    lock.release();
  }
}

/** Returns a function that counts what it is called for, and reports the count now and then, such as "1000 of 2500". */
function counting(all: number, report: (count: string) => void): () => void {
  let visited = 0;
  return () => {
    visited += 1;
    if (visited % PROGRESS_STREAMS === 0 || visited === all) report(`${visited} of ${all}`);
  };
}

/** Gives the free space of the files of the data directory back to the disk. */
async function vacuumFiles(dataDirectory: string, print: (line: string) => void): Promise<void> {
  for (const name of ['events.sqlite', 'objects.sqlite', join('secrets', SEALED_FILE)]) {
    const file = join(dataDirectory, name);
    if (!existsSync(file)) continue;
    // To a temporary copy, to the write-ahead log, and to the file.
    print(`${name} is written again: up to about ${mebibytes(3 * statSync(file).size)}`);
    const { before, after } = await vacuumSqliteFile(file, (work) => print(workText(work)));
    print(`${name}: ${before} bytes before, ${after} bytes after`);
  }
}

/** Returns the work of a long statement so far, such as "15 s, 812 MiB read, 1542 MiB written". */
export function workText({ ms, bytes }: StatementWork): string {
  const transferred = bytes ? `, ${mebibytes(bytes.read)} read, ${mebibytes(bytes.written)} written` : '';
  return `${Math.floor(ms / 1_000)} s${transferred}`;
}

const mebibytes = (count: number): string => `${Math.ceil(count / 2 ** 20)} MiB`;

/** Decodes the events of a stream. Those of other versions and those without data are left out. */
function eventsOf<Category extends StreamCategory>(store: SqliteCompaction, category: Category, id: string) {
  const { has } = eventCategory(category);
  return store
    .read(streamIdOf(category, id))
    .map((stored) => MUSTER_CODEC.decode(stored))
    .filter((event): event is RecordedMusterEvent & Extract<typeof event, { type: string }> => has(event));
}

function finishedClusters(store: SqliteCompaction, { beforeMs, print }: CompactionOptions): ReadonlySet<string> {
  const finished = new Set<string>();
  const visited = counting(store.countStreams('cluster-'), (count) => print(`${count} clusters read`));
  for (const streamId of store.streams('cluster-')) {
    const { id } = parseStreamId(streamId);
    const events = eventsOf(store, 'cluster', id).filter((event) => isEventOf('cluster', event));
    const at = clusterFinishedAt(events.reduce(clusterDecider.evolve, clusterDecider.initialState()));
    if (at !== undefined && Date.parse(at) < beforeMs) finished.add(id);
    visited();
  }
  return finished;
}

/** Whether the host was deleted before the time or belongs to a finished cluster. */
function isFinishedHost(
  events: readonly RecordedMusterEvent[],
  clusters: ReadonlySet<string>,
  beforeMs: number,
): boolean {
  const own = events.filter((event) => isEventOf('host', event));
  const { status, clusterId, deregisteredAt } = own.reduce(hostDecider.evolve, hostDecider.initialState());
  if (status === 'unregistered') return deregisteredAt !== '' && Date.parse(deregisteredAt) < beforeMs;
  return clusters.has(clusterId);
}

/** `subject`: the events of the host or cluster. */
function outcomesToReplace(
  store: SqliteCompaction,
  id: string,
  beforeMs: number,
  subject: readonly RecordedMusterEvent[],
): readonly Replacement[] {
  const events = eventsOf(store, 'validation', id).filter((event) => isEventOf('validation', event));
  return betweenEnds(events, endsOf(subject)).flatMap((part, index) => {
    // Outcomes that arrived late belong to no registration.
    const first = index === 0 ? 0 : part.findIndex(({ type, data }) => type === 'HostOutcomesChanged' && data.reset);
    const own = first < 0 ? [] : part.slice(first);
    return toReplacements(own, compactOutcomes(own, countBefore(own, beforeMs), namedByStatuses(subject, own)));
  });
}

/** The text of a status in the event log contains the messages of these rules, as their outcomes were at its time. */
export function namedByStatuses(
  subject: readonly RecordedMusterEvent[],
  outcomes: readonly RecordedMusterEvent[],
): IsNamed {
  const statuses = subject.flatMap((event) => {
    if (event.type !== 'HostEnteredStatus' && event.type !== 'ClusterEnteredStatus') return [];
    const { failing = [], pending = [] } = event.data.statusReason ?? {};
    return [{ position: event.position, ruleIds: [...failing, ...pending] }];
  });
  const positionOf = (index: number): number => outcomes[index]?.position ?? Infinity;
  /** The index of the first status after the position. A host may have entered tens of thousands. */
  const firstAfter = (position: number): number => {
    let [low, high] = [0, statuses.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((statuses[middle]?.position ?? Infinity) > position) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  return (ruleId, index, nextIndex) => {
    for (let at = firstAfter(positionOf(index)), end = positionOf(nextIndex); at < statuses.length; at += 1) {
      const status = statuses[at];
      if (!status || status.position >= end) return false;
      if (status.ruleIds.includes(ruleId)) return true;
    }
    return false;
  };
}

const endsOf = (subject: readonly RecordedMusterEvent[]): readonly number[] =>
  subject.filter(({ type }) => type === 'HostDeregistered').map(({ position }) => position);

function reportsToReplace(
  store: SqliteCompaction,
  id: string,
  beforeMs: number,
  ends: readonly number[],
): readonly Replacement[] {
  const events = eventsOf(store, 'inventory', id).filter((event) => isEventOf('inventory', event));
  return betweenEnds(events, ends).flatMap((part) =>
    toReplacements(part, compactReports(part, countBefore(part, beforeMs))),
  );
}

/** Divides the events at these positions. What arrives after the end of a host replaces nothing that is shown of it. */
const betweenEnds = <Event extends RecordedMusterEvent>(
  events: readonly Event[],
  ends: readonly number[],
): readonly (readonly Event[])[] =>
  [-1, ...ends].map((start, index) =>
    events.filter(({ position }) => position > start && position < (ends[index] ?? Infinity)),
  );

const countBefore = (events: readonly RecordedMusterEvent[], beforeMs: number): number => {
  const first = events.findIndex(({ metadata }) => Date.parse(metadata.occurredAt) >= beforeMs);
  return first < 0 ? events.length : first;
};

function toReplacements(
  events: readonly RecordedMusterEvent[],
  kept: readonly (MusterEvent['data'] | undefined)[],
): readonly Replacement[] {
  return events.flatMap((event, index): Replacement[] => {
    const data = kept[index];
    if (data === event.data) return [];
    return [{ position: event.position, data: data && toStoredData(Object.assign({ ...event }, { data })) }];
  });
}
