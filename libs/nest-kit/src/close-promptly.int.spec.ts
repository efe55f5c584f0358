import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { eventually } from '@muster/testing';
import fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import { closePromptly } from './http-endpoint';

/** Longer than the timeout of a test, so that a test fails when it waits for it. */
const KEEP_ALIVE_MS = 600_000;

describe('endpoint that is closed', () => {
  const agent = new Agent({ keepAlive: true });
  afterAll(() => agent.destroy());

  const opened = async (
    maxWaitMs: number | undefined,
    answer: (unanswered: Promise<void>) => Promise<unknown>,
  ): Promise<{ server: FastifyInstance; ask: () => Promise<string>; letGo: () => void; asked: () => number }> => {
    let letGo: () => void = () => undefined;
    const unanswered = new Promise<void>((resolve) => (letGo = resolve));
    let asked = 0;
    const server = fastify({ keepAliveTimeout: KEEP_ALIVE_MS });
    closePromptly(server, maxWaitMs);
    server.get('/', () => {
      asked += 1;
      return answer(unanswered);
    });
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address() as AddressInfo;
    const ask = (): Promise<string> =>
      new Promise((resolve, reject) => {
        request({ port, host: '127.0.0.1', agent }, (response) => {
          let text = '';
          response.on('data', (chunk) => (text += String(chunk)));
          response.on('end', () => resolve(text));
          response.on('error', reject);
        })
          .on('error', reject)
          .end();
      });
    return { server, ask, letGo, asked: () => asked };
  };

  it('answers accepted requests and does not wait for the next request of the connection', async () => {
    const endpoint = await opened(undefined, async (unanswered) => {
      await unanswered;
      return 'whole';
    });
    const answer = endpoint.ask();
    await eventually('the request was accepted', () => endpoint.asked() === 1);
    const closed = endpoint.server.close();
    endpoint.letGo();
    expect(await answer).toBe('whole');
    await closed;
  });

  it('does not wait for the next request when the headers were already sent', async () => {
    const endpoint = await opened(undefined, (unanswered) =>
      Promise.resolve(
        Readable.from(
          (async function* () {
            yield 'wh';
            await unanswered;
            yield 'ole';
          })(),
        ),
      ),
    );
    const answer = endpoint.ask();
    await eventually('the request was accepted', () => endpoint.asked() === 1);
    const closed = endpoint.server.close();
    endpoint.letGo();
    expect(await answer).toBe('whole');
    await closed;
  });

  it('ends answers that exceed the timeout', async () => {
    const endpoint = await opened(20, () => new Promise(() => undefined));
    const answer = endpoint.ask().catch((error: Error) => error.message);
    await eventually('the request was accepted', () => endpoint.asked() === 1);
    await endpoint.server.close();
    expect(await answer).toMatch(/hang up|reset/);
  });
});
