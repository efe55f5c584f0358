import { randomUUID } from 'node:crypto';
import { connectNatsRequests } from '@muster/adapter-nats';
import type { Requests } from '@muster/ports';
import { type NatsServer, requestsContract, startNatsServer } from '@muster/testing';
import { answerLocally } from './local-requests';

const TIMEOUT_MS = 10_000;

let server: NatsServer;
beforeAll(async () => {
  server = await startNatsServer();
});
afterAll(() => server.stop());

interface Opened {
  readonly requests: Requests;
  readonly reported: string[];
  /** Resolves when the server has received everything that was sent before. */
  flush(): Promise<void>;
}

const open = async (): Promise<Opened> => {
  const bus = await connectNatsRequests({ servers: server.url, name: 'test' });
  const live = await connectNatsRequests({ servers: server.url, name: 'test live', echo: false });
  const reported: string[] = [];
  return {
    reported,
    requests: answerLocally({ requests: bus, live }, (subject) => reported.push(subject)),
    flush: async () => {
      await live.flush();
      await bus.flush();
    },
  };
};

requestsContract('answerLocally', async () => {
  const { flush, requests } = await open();
  // Every subscriber is a service of its own, so that requests are answered within the process.
  const asService: Requests = {
    ...requests,
    subscribe: (subject, onMessage, options) =>
      requests.subscribe(subject, onMessage, { queue: options?.queue ?? randomUUID() }),
  };
  return { here: asService, there: asService, settled: flush, close: () => requests.close() };
});

requestsContract('answerLocally, subscribers without a queue', async () => {
  const { flush, requests } = await open();
  return { here: requests, there: requests, settled: flush, close: () => requests.close() };
});

describe('answerLocally', () => {
  it('answers requests of its own process while the bus is unavailable', async () => {
    const { flush, requests } = await open();
    const carried: string[] = [];
    const watcher = await connectNatsRequests({ servers: server.url, name: 'watcher' });
    watcher.subscribe('local.>', (message) => void carried.push(message.subject));
    await watcher.flush();
    requests.subscribe('local.served', async (message) => message.body, { queue: 'service' });
    expect(await requests.request('local.served', { a: 1 }, {}, TIMEOUT_MS)).toEqual({ a: 1 });
    requests.publish('local.published', null);
    await flush();
    await watcher.flush();
    expect(carried).toEqual(['local.published']);
    await Promise.all([requests.close(), watcher.close()]);
  });

  it('answers requests of other processes over the bus', async () => {
    const { flush, requests } = await open();
    requests.subscribe('local.served', async () => 'answer', { queue: 'service' });
    await flush();
    const other = await connectNatsRequests({ servers: server.url, name: 'other' });
    expect(await other.request('local.served', null, {}, TIMEOUT_MS)).toBe('answer');
    await Promise.all([requests.close(), other.close()]);
  });

  it('delivers a publication once to its own subscribers, by reference, and once to those of other processes', async () => {
    const { flush, requests } = await open();
    const other = await connectNatsRequests({ servers: server.url, name: 'other' });
    const body = { n: 1 };
    const here: unknown[] = [];
    const there: unknown[] = [];
    requests.subscribe('local.live.*', (message) => void here.push(message.body));
    requests.subscribe('local.>', (message) => void here.push(message.body));
    requests.subscribe('local.other', (message) => void here.push(message.body));
    other.subscribe('local.live.a', (message) => void there.push(message.body));
    await other.flush();
    requests.publish('local.live.a', body);
    await flush();
    await other.flush();
    await flush();
    expect(here).toHaveLength(2);
    expect(here.every((received) => received === body)).toBe(true);
    expect(there).toEqual([body]);
    other.publish('local.live.a', 'from another process');
    await other.flush();
    await flush();
    expect(here.slice(2)).toEqual(['from another process', 'from another process']);
    await Promise.all([requests.close(), other.close()]);
  });

  it('delivers publications to its own subscribers while the bus is unavailable', async () => {
    const own = await startNatsServer();
    const bus = await connectNatsRequests({ servers: own.url, name: 'test' });
    const live = await connectNatsRequests({ servers: own.url, name: 'test live', echo: false });
    const requests = answerLocally({ requests: bus, live }, () => undefined);
    await own.stop();
    const seen = new Promise((resolve) => requests.subscribe('local.live', ({ body }) => resolve(body)));
    requests.publish('local.live', 'still there');
    expect(await seen).toBe('still there');
    await requests.close();
  });

  it('reports the error of a handler with its subject', async () => {
    const { requests, reported } = await open();
    requests.subscribe('local.broken', () => Promise.reject(new Error('broken')), { queue: 'service' });
    await expect(requests.request('local.broken', null, {}, TIMEOUT_MS)).rejects.toThrow(
      /failed to process the request/,
    );
    expect(reported).toEqual(['local.broken']);
    await requests.close();
  });
});
