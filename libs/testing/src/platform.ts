import { join } from 'node:path';
import { filesystemObjectAreas, filesystemObjectStore, filesystemSecrets } from '@muster/adapter-filesystem';
import {
  inMemoryEventStore,
  inMemoryObjectAreas,
  inMemoryObjectStore,
  inMemoryReadModels,
  inMemorySecrets,
  inMemoryStateStore,
} from '@muster/adapter-in-memory';
import { connectNatsRequests, type NatsRequests } from '@muster/adapter-nats';
import { sqliteEventStore } from '@muster/adapter-sqlite';
import { SavedStates, startRelay } from '@muster/event-sourcing';
import type { Environment, Platform } from '@muster/nest-kit';
import type { Clock, EventStore, Ids, RecordedEvent, StreamId } from '@muster/ports';
import { seededIds } from './clock-and-ids';
import { collectPages } from './event-store-reading.contract';
import { startNatsServer, temporaryDirectory } from './processes';

export interface TestPlatformOptions {
  /** `memory`: all ports in memory. `disk`: SQLite and files in the temporary directory. @default memory */
  readonly storage?: 'memory' | 'disk';
  /** A store that the test opened. It replaces the one of `storage` and is not closed with the platform. */
  readonly eventStore?: EventStore;
  /** A nats-server that several platforms share. @default a server of this platform */
  readonly natsUrl?: string;
  readonly environment?: Environment;
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** Whether live copies of stored events are published, as the events service does. @default false */
  readonly publishesEvents?: boolean;
}

/** The ports of a service over a real bus, and utilities for tests. */
export interface TestPlatform extends Platform {
  readonly requests: NatsRequests;
  readonly natsUrl: string;
  /** Path of a directory that is deleted when the platform is closed. */
  readonly directory: string;
  /** Returns another connection to the bus. It is closed with the platform. */
  connect(name: string): Promise<NatsRequests>;
  /** Returns all events of the stream in order of revision. */
  eventsOf(streamId: StreamId): Promise<RecordedEvent[]>;
  close(): Promise<void>;
}

/** Opens the ports of a service. Every integration test of a service uses this platform. */
export async function openTestPlatform(options: TestPlatformOptions = {}): Promise<TestPlatform> {
  const endings: (() => Promise<void> | void)[] = [];
  const close = async (): Promise<void> => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  try {
    return { ...(await open(options, endings)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(
  options: TestPlatformOptions,
  endings: (() => Promise<void> | void)[],
): Promise<Omit<TestPlatform, 'close'>> {
  const directory = temporaryDirectory();
  endings.push(() => directory.remove());
  const natsUrl = options.natsUrl ?? (await ownServer(endings));
  const connect = async (name: string): Promise<NatsRequests> => {
    const requests = await connectNatsRequests({ servers: natsUrl, name });
    endings.push(() => requests.close());
    return requests;
  };
  const pathOf = (name: string): string => join(directory.path, name);
  const isOnDisk = options.storage === 'disk';
  const stores = isOnDisk
    ? {
        objectStore: await filesystemObjectStore({ directory: pathOf('objects') }),
        logs: filesystemObjectAreas({ directory: pathOf('logs') }),
        secrets: await filesystemSecrets({ directory: pathOf('secrets'), masterKeyFile: pathOf('master.key') }),
      }
    : { objectStore: inMemoryObjectStore(), logs: inMemoryObjectAreas(), secrets: inMemorySecrets() };
  const eventStore =
    options.eventStore ?? (isOnDisk ? sqliteEventStore({ file: pathOf('events.db') }) : inMemoryEventStore());
  if (!options.eventStore) endings.push(() => eventStore.close());
  const onStateError = (error: Error): never => {
    throw error;
  };
  const states = new SavedStates(inMemoryStateStore(), eventStore, onStateError);
  endings.push(() => states.close());
  const requests = await connect('test');
  if (options.publishesEvents) {
    const onError = (error: Error): never => {
      throw error;
    };
    const relay = await startRelay({ store: eventStore, requests, onError });
    endings.push(() => relay.close());
  }
  return {
    ...stores,
    eventStore,
    readModels: inMemoryReadModels(),
    states,
    requests,
    clock: options.clock ?? { nowMs: () => Date.now() },
    ids: options.ids ?? seededIds(),
    environment: options.environment ?? {},
    natsUrl,
    directory: directory.path,
    connect,
    eventsOf: (streamId) => collectPages(eventStore.readStream(streamId)),
  };
}

async function ownServer(endings: (() => Promise<void> | void)[]): Promise<string> {
  const nats = await startNatsServer();
  endings.push(() => nats.stop());
  return nats.url;
}
export { expectInterruptedAsReplayed, interrupted, type RunningConsumer } from './interrupted-consumer';
export { expectDocumentShape, expectSavedShape } from './saved-shape';
export { expectInfraEnvKeptWithHosts, expectSavedAsReplayed, textOf } from './saved-views';
