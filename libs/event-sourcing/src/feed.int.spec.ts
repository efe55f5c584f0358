import { join } from 'node:path';
import { connectNatsRequests, type NatsRequests } from '@muster/adapter-nats';
import { sqliteEventStore } from '@muster/adapter-sqlite';
import type { EventStore, RecordedEvent } from '@muster/ports';
import { eventToAppend, eventually, type NatsServer, startNatsServer, temporaryDirectory } from '@muster/testing';
import { type Feed, startFeed } from './feed';
import { type Relay, startRelay } from './relay';
import { appendEvents, numbersOf, upTo, type PlainEventStore, plainEventStore } from './stored-events.fixture.spec';

describe('feed over a real nats-server and a store on disk', () => {
  const directory = temporaryDirectory();
  let server: NatsServer;
  let stored: EventStore;
  let store: PlainEventStore;
  let here: NatsRequests;
  let there: NatsRequests;
  let relay: Relay;
  let seen: RecordedEvent[];
  const errors: Error[] = [];
  const feeds: Feed[] = [];
  const follow = (fromPosition = -1): Feed => {
    const feed = startFeed({
      name: 'test',
      store,
      requests: there,
      fromPosition,
      onPage: async (page) => void seen.push(...page),
      onError: (error) => errors.push(error),
    });
    feeds.push(feed);
    return feed;
  };

  beforeEach(async () => {
    server = await startNatsServer();
    stored = sqliteEventStore({ file: join(directory.path, `${process.hrtime.bigint()}.db`) });
    store = plainEventStore(stored);
    here = await connectNatsRequests({ servers: server.url, name: 'relay' });
    there = await connectNatsRequests({ servers: server.url, name: 'feed' });
    relay = await startRelay({ store, requests: here, onError: (error) => errors.push(error) });
    seen = [];
  });
  afterEach(async () => {
    await Promise.all(feeds.splice(0).map((feed) => feed.close()));
    await relay.close();
    await Promise.all([here.close(), there.close()]);
    await store.close();
    await server.stop();
  });
  afterAll(() => directory.remove());

  it('catches up and then follows appended events', async () => {
    await appendEvents(store, 700);
    await follow().caughtUp;
    expect(numbersOf(seen)).toEqual(upTo(700));
    await appendEvents(store, 50);
    await eventually('the new events arrive', () => seen.length >= 750);
    expect(numbersOf(seen)).toEqual(upTo(750));
  });

  it('continues from a checkpoint after a restart', async () => {
    const first = follow();
    await appendEvents(store, 10);
    await eventually('the first ten arrive', () => seen.length === 10);
    await first.close();
    await appendEvents(store, 10);
    await follow(first.position()).caughtUp;
    expect(numbersOf(seen)).toEqual(upTo(20));
  });

  it('receives all events while the nats-server is killed, not available, and restarted', async () => {
    await follow().caughtUp;
    await appendEvents(store, 20);
    await server.kill();
    await appendEvents(store, 20);
    server = await startNatsServer({ port: server.port });
    await appendEvents(store, 20);
    await eventually('all events arrive', () => seen.length >= 60);
    expect(numbersOf(seen)).toEqual(upTo(60));
  });

  it('receives the last event that was appended while the nats-server was not available', async () => {
    await follow().caughtUp;
    await server.kill();
    await appendEvents(store, 1);
    server = await startNatsServer({ port: server.port });
    await eventually('the event arrives without a following event', () => seen.length === 1);
    expect(errors).toEqual([]);
  });

  it('receives an event that is too large for the bus', async () => {
    await follow().caughtUp;
    const text = 'x'.repeat(3 * 1024 * 1024);
    const large = { ...eventToAppend(), data: { text } };
    // The typed store refuses such an event. A store may contain one of an older release.
    await stored.append('sample-large', -1, [large]);
    await eventually('the event arrives', () => seen.length === 1);
    expect(seen[0]?.data).toEqual({ text });
    expect(errors.splice(0).map(({ name }) => name)).toEqual(['MessageTooLarge']);
  });
});
