import type { RestClient } from './rest-client';

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
    const funnel = await client.getOwn<FunnelView>('/funnel');
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
