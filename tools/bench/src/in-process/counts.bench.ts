import { createHook } from 'node:async_hooks';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FilteredState, WorkQueue } from '@muster/event-sourcing';
import type { EventStore, JsonValue, Requests } from '@muster/ports';
import { type OpenPlatform, startEmbedded } from '@muster/service-muster';
import { embeddedSettings } from '@muster/testing';
import { openCaller } from '../load/caller';
import {
  defineFleet,
  type FleetHost,
  inventoryReply,
  poll,
  registerCluster,
  registerInfraEnv,
  registration,
} from '../load/fleet';
import type { Call } from '../load/load';
import type { Bench, Measurement } from '../measurement';

/** Costs of one kind of call that do not depend on the machine. */
export interface Counts {
  readonly events: number;
  readonly appends: number;
  /** Reads of one stream. */
  readonly reads: number;
  /** Events of all streams that were read from the store, by all readers together. */
  readonly scanned: number;
  /** Subscriptions to the store. */
  readonly subscriptions: number;
  /** Requests, replies and publications. */
  readonly messages: number;
  /** Size of the stored events in JSON. */
  readonly eventBytes: number;
  readonly parses: number;
  readonly stringifications: number;
  /** Length of the JSON texts that were written. */
  readonly characters: number;
  readonly reactions: number;
  /** Reads and searches of the files of saved states. */
  readonly savedReads: number;
  /**
   * Promises until the response, including a few of the caller: those of the call with the fewest, because whatever
   * else the process does meanwhile adds to a call and never takes away.
   */
  readonly promises: number;
}

export type Counter = { -readonly [Name in Exclude<keyof Counts, 'promises'>]: number };

export const newCounter = (): Counter => ({
  events: 0,
  appends: 0,
  reads: 0,
  scanned: 0,
  subscriptions: 0,
  messages: 0,
  eventBytes: 0,
  parses: 0,
  stringifications: 0,
  characters: 0,
  reactions: 0,
  savedReads: 0,
});

/** Returns the same ports with every use counted. A request counts as two messages because of its reply. */
export const countedPlatform = (platform: OpenPlatform, counter: Counter): OpenPlatform => ({
  ...platform,
  eventStore: countedStore(platform.eventStore, counter),
  requests: countedRequests(platform.requests, counter),
});

const countedStore = (store: EventStore, counter: Counter): EventStore => ({
  ...store,
  append: (streamId, expected, events) => {
    counter.appends += 1;
    counter.events += events.length;
    counter.eventBytes += plainText(events).length;
    return store.append(streamId, expected, events);
  },
  readStream: (streamId, afterRevision) => {
    counter.reads += 1;
    return store.readStream(streamId, afterRevision);
  },
  readAll: async function* (afterPosition) {
    for await (const page of store.readAll(afterPosition)) {
      counter.scanned += page.length;
      yield page;
    }
  },
  subscribe: (...given) => {
    counter.subscriptions += 1;
    return store.subscribe(...given);
  },
});

const countedRequests = (requests: Requests, counter: Counter): Requests => ({
  request: (subject, body, headers, timeoutMs) => {
    counter.messages += 2;
    return requests.request(subject, body, headers, timeoutMs);
  },
  publish: (subject, body, headers) => {
    counter.messages += 1;
    requests.publish(subject, body, headers);
  },
  subscribe: (subject, onMessage, options) => requests.subscribe(subject, onMessage, options),
  close: () => requests.close(),
});

let plainText: (value: unknown) => string = JSON.stringify;

/** Counts every JSON text and every reaction of this process until the returned function is called. */
export function countProcess(counter: Counter): () => void {
  const { parse, stringify } = JSON;
  const runOne = WorkQueue.prototype['runOne'];
  const readSaved = FilteredState.prototype['readSaved'];
  const { find } = FilteredState.prototype;
  plainText = stringify;
  JSON.parse = (text: string, reviver?: (key: string, value: unknown) => unknown): JsonValue => {
    counter.parses += 1;
    return parse(text, reviver) as JsonValue;
  };
  JSON.stringify = ((...values: Parameters<typeof stringify>) => {
    const text: string | undefined = stringify(...values);
    counter.stringifications += 1;
    counter.characters += text?.length ?? 0;
    return text;
  }) as typeof stringify;
  WorkQueue.prototype['runOne'] = function (this: WorkQueue, key: string) {
    counter.reactions += 1;
    return runOne.call(this, key);
  };
  FilteredState.prototype['readSaved'] = function (this: FilteredState, ...row) {
    counter.savedReads += 1;
    return readSaved.call(this, ...row);
  };
  FilteredState.prototype.find = function (this: FilteredState, ...query) {
    counter.savedReads += 1;
    return find.call(this, ...query);
  };
  return () => {
    Object.assign(JSON, { parse, stringify });
    WorkQueue.prototype['runOne'] = runOne;
    FilteredState.prototype['readSaved'] = readSaved;
    FilteredState.prototype.find = find;
  };
}

/** A start without saved states, which reads every stored event. */
export const START = 'start';
const SAVED_STATE = /^state-.*\.sqlite/;
const QUIET_MS = 400;
const SILENT = { log: silence, error: silence, warn: silence, debug: silence, verbose: silence, fatal: silence };
const MORE_MEMORY_GIB = 96;
const TOO_LITTLE_MEMORY_GIB = 4;

export interface CountedCall {
  readonly what: string;
  /** Per call. */
  readonly counts: Counts;
}

/** The counts of each kind of call, on an embedded Muster in this process with one cluster and as many hosts. */
export async function countCalls(dataDirectory: string, hostsEach: number): Promise<readonly CountedCall[]> {
  const counter = newCounter();
  const restore = countProcess(counter);
  const start = () =>
    startEmbedded(embeddedSettings(dataDirectory), SILENT, (platform) => countedPlatform(platform, counter));
  let muster = await start();
  const restUrl = muster.services.find(({ name }) => name === 'gateway')?.endpoints[0] ?? '';
  const caller = await openCaller({ kind: 'http', baseUrl: restUrl, sockets: 1 });
  const counted: CountedCall[] = [];
  let promisesOfCall = 0;
  const promises = createHook({ init: (_id, type) => void (promisesOfCall += type === 'PROMISE' ? 1 : 0) });
  const settled = (): Promise<void> => untilQuiet(counter);
  const measure = async (what: string, calls: number, run: () => Promise<readonly number[]>): Promise<void> => {
    await settled();
    Object.assign(counter, newCounter());
    const promisesOfCalls = await run();
    await settled();
    counted.push({ what, counts: { ...perCall(counter, calls), promises: Math.min(...promisesOfCalls) } });
  };
  const each =
    <Item>(items: readonly Item[], toCall: (item: Item) => Call) =>
    async (): Promise<readonly number[]> => {
      const promisesOfCalls: number[] = [];
      for (const item of items) {
        const call = toCall(item);
        promisesOfCall = 0;
        promises.enable();
        await caller.call(call);
        promises.disable();
        promisesOfCalls.push(promisesOfCall);
        // The caller writes the body of each call itself.
        counter.stringifications -= 1;
        counter.characters -= plainText(call.body ?? '').length;
      }
      return promisesOfCalls;
    };
  try {
    // The first requests of a process also compile the schemas of their bodies.
    const hosts: readonly FleetHost[] = await defineFleet(restUrl, 1, hostsEach);
    const names = Array.from({ length: hostsEach }, (_, n) => `counted-${n}`);
    const clusterId = hosts[0]?.clusterId ?? '';
    await measure('cluster', names.length, each(names, registerCluster));
    await measure(
      'infra-env',
      names.length,
      each(names, (name) => registerInfraEnv(name, clusterId)),
    );
    const callsOfHosts: readonly (readonly [what: string, toCall: (host: FleetHost) => Call])[] = [
      ['registration', registration],
      ['inventory, first', (host) => inventoryReply(host)],
      ['inventory, changed', (host) => inventoryReply(host, MORE_MEMORY_GIB)],
      ['inventory, unchanged', (host) => inventoryReply(host, MORE_MEMORY_GIB)],
      ['instructions, first', poll],
      ['instructions', poll],
      ['inventory, insufficient', (host) => inventoryReply(host, TOO_LITTLE_MEMORY_GIB)],
    ];
    for (const [what, toCall] of callsOfHosts) await measure(what, hostsEach, each(hosts, toCall));
    await muster.close();
    for (const file of await readdir(dataDirectory)) if (SAVED_STATE.test(file)) await rm(join(dataDirectory, file));
    await measure(START, 1, async () => {
      muster = await start();
      return [0];
    });
    return counted;
  } finally {
    await caller.close();
    await muster.close();
    restore();
  }
}

/** Texts are waited for too: on a busy machine, documents are written long after the last event. */
async function untilQuiet(counter: Counter): Promise<void> {
  const done = (): number => counter.events + counter.reactions + counter.stringifications + counter.scanned;
  for (let before = -1; before !== done();) {
    before = done();
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  }
}

const perCall = (counter: Counter, calls: number): Counter =>
  Object.fromEntries(Object.entries(counter).map(([name, total]) => [name, total / calls])) as unknown as Counter;

function silence(): void {
  // Log output would be mixed with the table.
}

const HOSTS = 20;
const QUICK_HOSTS = 3;
/** Round trips to the store (appends and reads) that the design allows. */
const ROUND_TRIPS_MAX: { readonly [what: string]: number } = {
  cluster: 1,
  'infra-env': 1,
  registration: 3,
  'inventory, changed': 3,
  'inventory, unchanged': 0,
};

/** Counts instead of times: they do not depend on the machine. */
export const counts: Bench = {
  name: 'counts',
  about: 'events, round trips, messages, bytes and JSON texts per call, reactions included',
  run: async (bed) => {
    const counted = await countCalls(bed.directory('counts'), bed.isQuick ? QUICK_HOSTS : HOSTS);
    return counted.map(toMeasurement);
  },
};

const oneDigit = (value: number): string => value.toFixed(1).replace('.0', '');

function toMeasurement({ what, counts: found }: CountedCall): Measurement {
  const { events, appends, reads, messages, eventBytes, parses, stringifications, characters, reactions } = found;
  const { savedReads, scanned, subscriptions, promises } = found;
  const allowed = ROUND_TRIPS_MAX[what];
  return {
    what: `counts per ${what}`,
    measured: [
      `${oneDigit(events)} events (${oneDigit(eventBytes / 1_024)} KiB)`,
      `${oneDigit(appends)} appends`,
      `${oneDigit(reads)} reads`,
      `${oneDigit(messages)} messages`,
      `${oneDigit(parses)} parses`,
      `${oneDigit(stringifications)} stringifications (${oneDigit(characters / 1_024)} KiB)`,
      `${oneDigit(reactions)} reactions`,
      `${oneDigit(savedReads)} reads of saved states`,
      ...(what === START ? [`${scanned} events read`, `${subscriptions} subscriptions`] : []),
      `${promises} promises`,
    ].join(', '),
    budget: allowed === undefined ? '' : `round trips ≤ ${allowed}`,
  };
}
