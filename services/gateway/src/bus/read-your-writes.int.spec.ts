import { inMemoryEventStore, inMemoryReadModels } from '@muster/adapter-in-memory';
import { connectNatsRequests, type NatsRequests } from '@muster/adapter-nats';
import { VIEWS_PROJECTION } from '@muster/assisted-api';
import { HEAD_BEACON } from '@muster/event-sourcing';
import { musterEventStore, Readiness } from '@muster/nest-kit';
import { type NatsServer, startNatsServer } from '@muster/testing';
import { ReadYourWrites } from './read-your-writes';

describe('an answer that waits for the read models', () => {
  const readModels = inMemoryReadModels();
  let server: NatsServer;
  let requests: NatsRequests;
  let waiting: ReadYourWrites;
  beforeAll(async () => {
    server = await startNatsServer();
    requests = await connectNatsRequests({ servers: server.url, name: 'test' });
    waiting = new ReadYourWrites(musterEventStore(inMemoryEventStore()), readModels, requests, new Readiness());
    await waiting.onApplicationBootstrap();
  });
  afterAll(async () => {
    waiting.onApplicationShutdown();
    await requests.close();
    await server.stop();
  });

  it('reminds them of a fact that was lost on its way', async () => {
    const reminded: unknown[] = [];
    requests.subscribe(HEAD_BEACON, ({ body }) => {
      reminded.push(body);
      void readModels.commit(VIEWS_PROJECTION, 5, []);
    });
    await requests.flush();
    expect(await waiting.passed(5)).toBe(true);
    expect(reminded[0]).toEqual({ position: 5 });
  });

  it('does not wait for what they have', async () => {
    expect(await waiting.passed(5)).toBe(true);
  });

  it('says so when they did not get there in time', async () => {
    expect(await waiting.passed(6, 10)).toBe(false);
  });
});
