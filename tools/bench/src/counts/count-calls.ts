import { startEmbedded } from '@muster/service-muster';
import { defineFleet, type FleetHost, inventoryReply, poll, registration } from '../load/fleet';
import type { Call } from '../load/load';
import { openCaller } from '../load/caller';
import { type Counter, countedPlatform, countProcess, type Counts, newCounter } from './counted-platform';

const QUIET_MS = 400;
const SILENT = { log: silence, error: silence, warn: silence, debug: silence, verbose: silence, fatal: silence };
const MORE_MEMORY_GIB = 96;

export interface CountedCall {
  readonly what: string;
  /** Per call. */
  readonly counts: Counts;
}

/** The counts of each kind of call, on an embedded Muster in this process with one cluster and as many hosts. */
export async function countCalls(dataDirectory: string, hostsEach: number): Promise<readonly CountedCall[]> {
  const counter = newCounter();
  const restore = countProcess(counter);
  const muster = await startEmbedded(environmentOf(dataDirectory), SILENT, (platform) =>
    countedPlatform(platform, counter),
  );
  const restUrl = muster.services.find(({ name }) => name === 'gateway')?.endpoints[0] ?? '';
  const caller = await openCaller({ kind: 'http', baseUrl: restUrl, sockets: 1 });
  const counted: CountedCall[] = [];
  const settled = (): Promise<void> => untilQuiet(counter);
  const measure = async (what: string, calls: number, run: () => Promise<unknown>): Promise<void> => {
    await settled();
    Object.assign(counter, newCounter());
    await run();
    await settled();
    counted.push({ what, counts: perCall(counter, calls) });
  };
  const each = (hosts: readonly FleetHost[], toCall: (host: FleetHost) => Call) => async (): Promise<void> => {
    for (const host of hosts) await caller.call(toCall(host));
    // The caller writes the body of each call itself.
    counter.stringifications -= hosts.length;
  };
  try {
    let hosts: readonly FleetHost[] = [];
    await measure('cluster and infra-env', 1, async () => (hosts = await defineFleet(restUrl, 1, hostsEach)));
    await measure('registration', hostsEach, each(hosts, registration));
    await measure(
      'inventory, first',
      hostsEach,
      each(hosts, (host) => inventoryReply(host)),
    );
    await measure(
      'inventory, changed',
      hostsEach,
      each(hosts, (host) => inventoryReply(host, MORE_MEMORY_GIB)),
    );
    await measure(
      'inventory, unchanged',
      hostsEach,
      each(hosts, (host) => inventoryReply(host, MORE_MEMORY_GIB)),
    );
    await measure('instructions, first', hostsEach, each(hosts, poll));
    await measure('instructions', hostsEach, each(hosts, poll));
    return counted;
  } finally {
    await caller.close();
    await muster.close();
    restore();
  }
}

async function untilQuiet(counter: Counter): Promise<void> {
  for (let before = -1; before !== counter.events + counter.reactions;) {
    before = counter.events + counter.reactions;
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  }
}

const perCall = (counter: Counter, calls: number): Counts =>
  Object.fromEntries(Object.entries(counter).map(([name, total]) => [name, total / calls])) as unknown as Counts;

const environmentOf = (dataDirectory: string) => ({
  MUSTER_DATA_DIRECTORY: dataDirectory,
  MUSTER_SIMULATED_IMAGE: 'false',
  REST_HOST: '127.0.0.1',
  REST_PORT: '0',
  IMAGE_HOST: '127.0.0.1',
  IMAGE_PORT: '0',
});

function silence(): void {
  // The counts are the result; a log would only disturb the table.
}
