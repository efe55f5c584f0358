import { WorkQueue } from '@muster/event-sourcing';
import type { EventStore, JsonValue, Requests } from '@muster/ports';
import type { OpenPlatform } from '@muster/service-muster';

/** What one kind of call costs, whatever the machine. */
export interface Counts {
  readonly events: number;
  readonly appends: number;
  readonly reads: number;
  /** Requests, replies and publications. */
  readonly messages: number;
  /** Of events as stored, in JSON. */
  readonly eventBytes: number;
  readonly parses: number;
  readonly stringifications: number;
  readonly reactions: number;
}

export type Counter = { -readonly [Name in keyof Counts]: number };

export const newCounter = (): Counter => ({
  events: 0,
  appends: 0,
  reads: 0,
  messages: 0,
  eventBytes: 0,
  parses: 0,
  stringifications: 0,
  reactions: 0,
});

/** The same ports, each use counted. A request counts as two messages, because a reply follows. */
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
  plainText = stringify;
  JSON.parse = (text: string, reviver?: (key: string, value: unknown) => unknown): JsonValue => {
    counter.parses += 1;
    return parse(text, reviver) as JsonValue;
  };
  JSON.stringify = ((...values: Parameters<typeof stringify>) => {
    counter.stringifications += 1;
    return stringify(...values);
  }) as typeof stringify;
  WorkQueue.prototype['runOne'] = function (this: WorkQueue, key: string) {
    counter.reactions += 1;
    return runOne.call(this, key);
  };
  return () => {
    Object.assign(JSON, { parse, stringify });
    WorkQueue.prototype['runOne'] = runOne;
  };
}
