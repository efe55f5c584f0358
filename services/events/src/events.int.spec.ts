import { ALL_EVENTS, HEAD_BEACON, projectionSubject } from '@muster/event-sourcing';
import 'reflect-metadata';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sqliteEventStore } from '@muster/adapter-sqlite';
import { COLLECTIONS } from '@muster/assisted-api';
import { EventsService } from '@muster/contracts';
import { callService, type Environment } from '@muster/nest-kit';
import { type EventStore, NO_STREAM } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { eventually, type NatsServer, startNatsServer, temporaryDirectory } from '@muster/testing';
import { openTestPlatform } from '@muster/testing/platform';
import type { LoggerService } from '@nestjs/common';
import { type RunningEvents, startEvents } from './main';
import {
  CLUSTER_ID,
  clusterRegistered,
  type TestEvent,
  hostRegistered,
  onHost,
  record,
  timeAt,
} from './views/view-events.fixture.spec';

const SILENT: LoggerService = { log: () => undefined, warn: () => undefined, error: () => undefined };
const NOTE = {
  name: 'reboots_for_node',
  severity: 'info',
  category: 'user',
  message: 'Node master-0 rebooted.',
  clusterId: CLUSTER_ID,
  hostId: '',
  infraEnvId: '',
};
const context = (commandId: string) => ({ commandId, correlationId: commandId, actor: 'agent:x' });

let nats: NatsServer;
beforeAll(async () => {
  nats = await startNatsServer();
});
afterAll(() => nats.stop());

describe('the events service with a real bus and a store on disk', () => {
  const endings: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const end of endings.splice(0).reverse()) await end();
  });

  const openStore = (): EventStore => {
    const directory = temporaryDirectory();
    endings.push(() => directory.remove());
    const store = sqliteEventStore({ file: join(directory.path, 'events.db') });
    endings.push(() => store.close());
    return store;
  };

  const start = async (eventStore: EventStore, environment: Environment = {}) => {
    const platform = await openTestPlatform({ natsUrl: nats.url, eventStore, environment });
    endings.push(() => platform.close());
    const events: RunningEvents = await startEvents(platform, SILENT);
    endings.push(() => events.close());
    return { platform, events, requests: platform.requests };
  };

  const append = async (store: EventStore, ...given: readonly TestEvent[]): Promise<void> => {
    for (const event of record(given))
      await store.append(event.streamId, NO_STREAM, [{ ...event, id: `${event.id}-${event.streamId}` }]);
  };

  it('makes stored events readable and announces their position', async () => {
    const store = openStore();
    const { platform, requests } = await start(store);
    const announced: string[] = [];
    for (const subject of [ALL_EVENTS, projectionSubject('views')])
      requests.subscribe(subject, (message) => void announced.push(message.subject));
    await requests.flush();
    await append(store, clusterRegistered(), hostRegistered());

    await eventually('the cluster counts its host', async () => {
      const cluster = await platform.readModels.get(COLLECTIONS.clusters, CLUSTER_ID);
      return cluster?.total_host_count === 1;
    });
    await eventually('both positions were announced', () =>
      ['event.v1.cluster', 'event.v1.host', 'projection.v1.views', HEAD_BEACON].every((subject) =>
        announced.includes(subject),
      ),
    );
  });

  it('replays stored events at start, and reports its progress until it is ready', async () => {
    const store = openStore();
    await append(store, clusterRegistered(), hostRegistered());
    const { platform, events } = await start(store);
    await events.views.caughtUp();

    expect(events.readiness.notReady()).toEqual([]);
    expect(events.views.position()).toBe(await store.head());
    expect(await events.views.lag()).toBe(0);
    expect(await platform.readModels.find({ collection: COLLECTIONS.events, where: {} })).toHaveLength(2);
  });

  it('rebuilds the same documents', async () => {
    const store = openStore();
    const first = await start(store);
    await append(store, clusterRegistered(), hostRegistered());
    await eventually('the first event was projected', async () => (await first.events.views.lag()) === 0);
    const second = await start(store);
    await second.events.views.caughtUp();

    for (const collection of Object.values(COLLECTIONS)) {
      const query = { collection, where: {} };
      expect(await second.platform.readModels.find(query)).toEqual(await first.platform.readModels.find(query));
    }
  });

  it('stores a note once for a repeated command, and makes it readable', async () => {
    const store = openStore();
    await append(store, clusterRegistered());
    const { platform, events, requests } = await start(store);
    const record = () => callService(requests, EventsService.method.recordNote, { note: NOTE }, context('one'));

    const [first, second] = [await record(), await record()];
    expect(second).toEqual(first);
    await eventually('the note is projected', () => events.views.position() >= first.position);
    const lines = await platform.readModels.find({
      collection: COLLECTIONS.events,
      where: { name: NOTE.name, cluster_id: CLUSTER_ID },
    });
    expect(lines.map(({ document }) => [document.message, document.org_id])).toEqual([[NOTE.message, 'acme']]);
  });

  it('stores a note without the properties that are too long', async () => {
    const store = openStore();
    await append(store, clusterRegistered());
    const { platform, events, requests } = await start(store);
    const note = { ...NOTE, props: { text: 'x'.repeat(1_000_000) } };
    const { position } = await callService(requests, EventsService.method.recordNote, { note }, context('long'));

    await eventually('the note is projected', () => events.views.position() >= position);
    const lines = await platform.readModels.find({ collection: COLLECTIONS.events, where: { cluster_id: CLUSTER_ID } });
    const [line] = lines.map(({ document }) => document).filter(({ name }) => name === NOTE.name);
    expect(line).toMatchObject({ message: NOTE.message });
    expect(JSON.stringify(line?._props)).not.toContain('xxx');
  });

  it('returns a past state over the bus, and refuses a time at which the cluster did not exist', async () => {
    const store = openStore();
    await append(store, clusterRegistered());
    const { requests } = await start(store);
    const past = (clusterId: string, at: string) =>
      callService(requests, EventsService.method.readPast, { clusterId, at }, context('past'));

    const { documents } = await past(CLUSTER_ID, timeAt(0));
    expect(JSON.parse(gunzipSync(Buffer.from(documents, 'base64')).toString())).toMatchObject({
      cluster: { id: CLUSTER_ID, status: 'insufficient' },
      hosts: [],
    });
    await expect(past(CLUSTER_ID, '2001-01-01T00:00:00Z')).rejects.toMatchObject({ refusal: { code: 'not-found' } });
    await expect(past(CLUSTER_ID, 'then')).rejects.toMatchObject({ refusal: { code: 'invalid-input' } });
  });

  it('refuses an unknown category with the allowed ones, and stores nothing', async () => {
    const store = openStore();
    const { requests } = await start(store);
    const refused = callService(
      requests,
      EventsService.method.recordNote,
      { note: { ...NOTE, category: 'gossip' } },
      context('two'),
    );
    await expect(refused).rejects.toMatchObject({ refusal: { code: 'invalid-input', allowed: ['user', 'metrics'] } });
    await expect(refused).rejects.toBeInstanceOf(RefusalError);
    expect(await store.head()).toBe(-1);
  });

  it('does not store a note within the interval of its name', async () => {
    const store = openStore();
    const { requests } = await start(store, { EVENT_RATE_LIMITS: '{"reboots_for_node":"1h"}' });
    const record = (id: string) => callService(requests, EventsService.method.recordNote, { note: NOTE }, context(id));

    const { position } = await record('three');
    expect(await record('four')).toEqual({ position: -1 });
    expect(await store.head()).toBe(position);
  });

  it('continues with other events after one that cannot be projected', async () => {
    const store = openStore();
    const { events } = await start(store);
    await append(store, onHost('HostBootstrapChosen'));
    await eventually('the views are at a later position', async () => (await events.views.lag()) === 0);
  });
});
