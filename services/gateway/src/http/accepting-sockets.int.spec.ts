import { createServer, get, type Server } from 'node:http';
import { portOf } from '@muster/nest-kit';
import { ACCEPTING_SOCKETS, addAcceptingSockets } from './accepting-sockets';

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
    await closeServer();
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
});
