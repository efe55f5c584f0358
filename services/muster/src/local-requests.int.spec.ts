import { randomUUID } from 'node:crypto';
import { connectNatsRequests, type NatsRequests } from '@muster/adapter-nats';
import type { Requests } from '@muster/ports';
import { type NatsServer, requestsContract, startNatsServer } from '@muster/testing';
import { answerLocally } from './local-requests';

const TIMEOUT_MS = 10_000;

let server: NatsServer;
beforeAll(async () => {
  server = await startNatsServer();
});
afterAll(() => server.stop());

const open = async (): Promise<{ bus: NatsRequests; requests: Requests; reported: string[] }> => {
  const bus = await connectNatsRequests({ servers: server.url, name: 'test' });
  const reported: string[] = [];
  return { bus, reported, requests: answerLocally(bus, (subject) => reported.push(subject)) };
};

requestsContract('answerLocally', async () => {
  const { bus, requests } = await open();
  // Every subscriber is a service of its own, so that requests are answered within the process.
  const asService: Requests = {
    ...requests,
    subscribe: (subject, onMessage, options) =>
      requests.subscribe(subject, onMessage, { queue: options?.queue ?? randomUUID() }),
  };
  return { here: asService, there: asService, settled: () => bus.flush(), close: () => requests.close() };
});

describe('answerLocally', () => {
  it('answers requests of its own process while the bus is unavailable', async () => {
    const { bus, requests } = await open();
    const carried: string[] = [];
    const watcher = await connectNatsRequests({ servers: server.url, name: 'watcher' });
    watcher.subscribe('local.>', (message) => void carried.push(message.subject));
    await watcher.flush();
    requests.subscribe('local.served', async (message) => message.body, { queue: 'service' });
    expect(await requests.request('local.served', { a: 1 }, {}, TIMEOUT_MS)).toEqual({ a: 1 });
    requests.publish('local.published', null);
    await bus.flush();
    await watcher.flush();
    expect(carried).toEqual(['local.published']);
    await Promise.all([requests.close(), watcher.close()]);
  });

  it('answers requests of other processes over the bus', async () => {
    const { bus, requests } = await open();
    requests.subscribe('local.served', async () => 'answer', { queue: 'service' });
    await bus.flush();
    const other = await connectNatsRequests({ servers: server.url, name: 'other' });
    expect(await other.request('local.served', null, {}, TIMEOUT_MS)).toBe('answer');
    await Promise.all([requests.close(), other.close()]);
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
