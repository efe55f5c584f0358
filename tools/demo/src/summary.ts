import { funnelLines, type FunnelView } from './funnel-lines';
import type { InstalledCluster } from './scenario';
import type { StoredFigures } from './stored-figures';

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
