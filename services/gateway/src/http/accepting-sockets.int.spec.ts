import { createServer, get, type Server } from 'node:http';
import { portOf } from '@muster/nest-kit';
import { eventually } from '@muster/testing';
import { fastify, type FastifyInstance } from 'fastify';
import { acceptFromManySockets, ACCEPTING_SOCKETS, addAcceptingSockets } from './accepting-sockets';

const CONNECTIONS = 64;
const TURN_MS = 20;

/** Each turn of the event loop takes a time until the result is called. Returns the number of turns. */
function slowTurns(): () => number {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    for (const endsAtMs = performance.now() + TURN_MS; performance.now() < endsAtMs;);
    if (!isOver) setImmediate(turn);
  };
  turn();
  return () => {
    isOver = true;
    return turns;
  };
}

const request = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', agent: false }, (answer) => answer.resume().once('end', resolve)).once(
      'error',
      reject,
    );
  });

describe('sockets that accept the connections of a server', () => {
  let server: Server;
  let closeServer = async (): Promise<void> => undefined;
  beforeEach(async () => {
    server = createServer((_request, response) => void response.end('answer'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closeServer = () => new Promise((resolve) => void server.close(() => resolve()));
  });
  afterEach(() => closeServer());

  const turnsOfConnections = async (): Promise<number> => {
    const port = portOf(server);
    const stop = slowTurns();
    await Promise.all(Array.from({ length: CONNECTIONS }, () => request(port)));
    return stop();
  };

  it('accept several connections per turn of the event loop, a server alone one', async () => {
    expect(await turnsOfConnections()).toBeGreaterThanOrEqual(CONNECTIONS);
    const sockets = addAcceptingSockets(server);
    expect(await sockets.complete).toBe(ACCEPTING_SOCKETS);
    expect(await turnsOfConnections()).toBeLessThan(CONNECTIONS / 2);
    await sockets.close();
  });

  it('end with their connections, and refuse further ones', async () => {
    const sockets = addAcceptingSockets(server);
    await sockets.complete;
    const port = portOf(server);
    await Promise.all(Array.from({ length: CONNECTIONS }, () => request(port)));
    await Promise.all([sockets.close(), closeServer()]);
    await expect(request(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('are closed before all of them exist', async () => {
    const port = portOf(server);
    const sockets = addAcceptingSockets(server);
    await sockets.close();
    expect(await sockets.complete).toBeLessThan(ACCEPTING_SOCKETS);
    await closeServer();
    await expect(request(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  describe('of an endpoint', () => {
    const warnings: string[] = [];
    let endpoint: FastifyInstance;
    beforeEach(() => {
      warnings.length = 0;
      endpoint = fastify();
    });
    const listen = (): Promise<string> => {
      acceptFromManySockets(endpoint, (text) => warnings.push(text));
      return endpoint.listen({ port: 0, host: '127.0.0.1' });
    };

    it('end with the endpoint, without a warning', async () => {
      await listen();
      const port = portOf(endpoint.server);
      await request(port);
      await endpoint.close();
      await expect(request(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
      expect(warnings).toEqual([]);
    });

    it('are reported when they cannot be created', async () => {
      // A closed socket cannot be duplicated.
      endpoint.addHook('onListen', (done) => void endpoint.server.close(() => done()));
      await listen();
      await eventually('the missing sockets are reported', () => warnings.length > 0);
      expect(warnings).toEqual([expect.stringMatching(/^Only 0 of 15 additional sockets accept connections/)]);
      await endpoint.close();
    });
  });
});
