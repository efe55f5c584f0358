import { createServer, type Server } from 'node:http';
import { Socket } from 'node:net';
import { portOf } from '@muster/nest-kit';
import { openHttpByteSource, RemoteClient } from './remote-client';

const FILE = Buffer.from('a base image that is read in place');
const SILENCE_MS_MAX = 60_000;

describe('a server that sends nothing', () => {
  let server: Server;
  let client: RemoteClient;
  /** Number of requests that are not answered, after the first one. */
  let silent: number;
  let requests: number;
  beforeEach(async () => {
    requests = 0;
    const realTimeout = Reflect.get(Socket.prototype, 'setTimeout');
    jest.spyOn(Socket.prototype, 'setTimeout').mockImplementation(function (this: Socket, ms, onTimeout) {
      return realTimeout.call(this, ms === SILENCE_MS_MAX ? 500 : ms, onTimeout);
    });
    server = createServer((request, response) => {
      requests += 1;
      if (requests > 1 && requests <= 1 + silent) return;
      const [first = 0, last = 0] = (/bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? []).slice(1).map(Number);
      response.writeHead(206, { 'content-range': `bytes ${first}-${last}/${FILE.length}` });
      response.end(FILE.subarray(first, last + 1));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    client = new RemoteClient({ headers: {}, queryParameters: {} });
  });
  afterEach(() => {
    jest.restoreAllMocks();
    client.close();
    server.closeAllConnections();
    server.close();
  });

  const read = async (): Promise<string> => {
    const source = await openHttpByteSource(client, `http://127.0.0.1:${portOf(server)}/live.iso`);
    return Buffer.from(await source.read(2, 10)).toString();
  };

  it('receives the request again, because the network may have dropped an idle connection', async () => {
    silent = 1;
    expect(await read()).toBe('base image');
    expect(requests).toBe(3);
  });

  it('is given up after three requests', async () => {
    silent = 3;
    await expect(read()).rejects.toThrow(/live\.iso sent no data for 60 s/);
    expect(requests).toBe(4);
  });
});
