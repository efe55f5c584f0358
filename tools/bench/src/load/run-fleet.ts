import type { BenchBed } from '../measurement';
import type { EmbeddedProcess } from '../process/embedded-process';
import { defineFleet, type FleetHost, inventoryReply, registration } from './fleet';
import type { Call, HttpTarget, LoadResult } from './load';
import type { LoadProcess } from './load-process';

export const IN_FLIGHT = 16;
/** Calls whose bodies are made at a time, so that ten thousand inventories need not fit in one message. */
const CHUNK_CALLS = 1_000;

export const httpTarget = ({ restUrl }: EmbeddedProcess): HttpTarget => ({
  kind: 'http',
  baseUrl: restUrl,
  sockets: 64,
});

/** Makes one call per host; the sum of all. */
export async function oncePerHost(
  load: LoadProcess,
  hosts: readonly FleetHost[],
  toCall: (host: FleetHost) => Call,
): Promise<LoadResult> {
  const results: LoadResult[] = [];
  for (let start = 0; start < hosts.length; start += CHUNK_CALLS) {
    const calls = hosts.slice(start, start + CHUNK_CALLS).map(toCall);
    results.push(await load.run({ calls, pace: { inFlight: IN_FLIGHT }, stop: { calls: calls.length } }));
  }
  return {
    calls: results.reduce((sum, { calls }) => sum + calls, 0),
    ms: results.reduce((sum, { ms }) => sum + ms, 0),
    latenciesMs: results.flatMap(({ latenciesMs }) => latenciesMs),
    failures: {},
    answerBytes: results[results.length - 1]?.answerBytes ?? 0,
  };
}

/** A fleet whose hosts have registered and told of their hardware. */
export async function bootFleet(
  bed: BenchBed,
  muster: EmbeddedProcess,
  load: LoadProcess,
  shape: { readonly clusters: number; readonly hostsEach: number },
): Promise<readonly FleetHost[]> {
  bed.tell(`defining ${shape.clusters} clusters with ${shape.hostsEach} hosts each`);
  const hosts = await defineFleet(muster.restUrl, shape.clusters, shape.hostsEach);
  await load.open(httpTarget(muster));
  await oncePerHost(load, hosts, registration);
  await oncePerHost(load, hosts, (host) => inventoryReply(host));
  return hosts;
}
