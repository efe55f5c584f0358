import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sqliteEventStore } from '@muster/adapter-sqlite';
import type { RestClient } from './rest-client';
import type { InstalledCluster } from './scenario';

/** The members of `GET /api/muster/v1/funnel` that the demo uses. */
export interface FunnelView {
  readonly clusters: number;
  readonly installed: number;
  readonly steps: readonly FunnelStepView[];
}

interface FunnelStepView {
  readonly step: string;
  readonly reached: number;
  readonly median_seconds: number | null;
}

const SHOWN: ReadonlyMap<string, string> = new Map([
  ['cluster-created', 'created'],
  ['image-first-downloaded', 'image'],
  ['host-discovered', 'hosts'],
  ['cluster-ready', 'ready'],
  ['installing', 'installing'],
  ['host-joined', 'joined'],
  ['installed', 'installed'],
]);

/** Number and interval of the queries until the projection has caught up with the demo. */
const LOOKS_MAX = 50;
const LOOK_MS = 100;

/** Returns the funnel once it shows the clusters as installed, or its last state after a few seconds. */
export async function readFunnel(client: RestClient, clusters: number): Promise<FunnelView> {
  for (let looks = 1; ; looks += 1) {
    const funnel = await client.getMusterApi<FunnelView>('/funnel');
    if (funnel.installed >= clusters || looks === LOOKS_MAX) return funnel;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Two lines of the summary: how many clusters reached each step, and the slowest step. */
export function funnelLines({ steps }: FunnelView): readonly string[] {
  const counts = steps.flatMap(({ step, reached }) => {
    const name = SHOWN.get(step);
    return name ? [`${reached} ${name}`] : [];
  });
  const [slowest] = [...steps].sort((first, second) => (second.median_seconds ?? 0) - (first.median_seconds ?? 0));
  const longest = slowest?.median_seconds
    ? [`  longest step                to ${slowest.step}, ${slowest.median_seconds.toFixed(1)} s (median)`]
    : [];
  return [`  funnel                      ${counts.join(' › ')}`, ...longest];
}

export interface StoredFigures {
  readonly events: number;
  readonly bytes: number;
  /** Bytes of event data and metadata, without the structure of the file. */
  readonly eventBytes: number;
  readonly byType: ReadonlyMap<string, number>;
}

/** Reads the figures of a store that no process has open. */
export async function storedFigures(dataDirectory: string): Promise<StoredFigures> {
  const file = join(dataDirectory, 'events.sqlite');
  const store = sqliteEventStore({ file });
  const byType = new Map<string, number>();
  let events = 0;
  let eventBytes = 0;
  try {
    for await (const page of store.readAll(-1)) {
      for (const event of page) {
        events += 1;
        eventBytes += Buffer.byteLength(JSON.stringify(event));
        byType.set(event.type, (byType.get(event.type) ?? 0) + 1);
      }
    }
  } finally {
    await store.close();
  }
  return { events, eventBytes, bytes: (await stat(file)).size, byType };
}

const PHASES = [
  { name: 'discovery and checks', from: '', to: 'ready' },
  { name: 'preparation', from: 'ready', to: 'installing' },
  { name: 'installation', from: 'installing', to: 'finalizing' },
  { name: 'finalizing', from: 'finalizing', to: 'installed' },
] as const;

/** Formats the summary: installed clusters, duration of each phase, stored events and bytes. */
export function summarize(run: {
  readonly clusters: readonly InstalledCluster[];
  readonly funnel: FunnelView;
  readonly stored: StoredFigures;
  readonly startMs: number;
  readonly totalMs: number;
  readonly hostCount: number;
  readonly timeScale: number;
}): string {
  const { clusters, funnel, stored } = run;
  const rows = PHASES.map(
    ({ name, from, to }) =>
      `  ${name.padEnd(22)}${clusters.map((cluster) => seconds(duration(cluster, from, to)).padStart(14)).join('')}`,
  );
  return [
    '',
    `  ${''.padEnd(22)}${clusters.map(({ name }) => name.padStart(14)).join('')}`,
    ...rows,
    '',
    `  all services ready after    ${seconds(run.startMs)}`,
    `  the whole demo              ${seconds(run.totalMs)}, at ${run.timeScale} times the speed of real machines`,
    `  events stored               ${stored.events} for ${clusters.length} clusters and ${run.hostCount} hosts`,
    `  bytes stored                ${kib(stored.eventBytes)} of events, ${kib(stored.bytes)} on disk`,
    `  discovery images            ${clusters.map(({ imageBytes, imageMs }) => `${kib(imageBytes)} in ${Math.round(imageMs)} ms`).join(', ')}`,
    ...funnelLines(funnel),
    ...clusters.map(({ name, kubeconfigFile }) => `  kubeconfig of ${name.padEnd(14)}${kubeconfigFile}`),
    '',
  ].join('\n');
}

function duration({ firstSeenMs }: InstalledCluster, from: string, to: string): number | undefined {
  const start = from === '' ? 0 : firstSeenMs.get(from);
  const end = firstSeenMs.get(to);
  return start === undefined || end === undefined ? undefined : end - start;
}

const seconds = (ms: number | undefined): string => (ms === undefined ? '–' : `${(ms / 1_000).toFixed(1)} s`);
const kib = (bytes: number): string => `${Math.round(bytes / 1024)} KiB`;
