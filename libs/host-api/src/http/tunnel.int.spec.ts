import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { realTimer } from '../timer';
import { createHttpClient } from './http-client';

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));

describe('client behind a proxy', () => {
  const seen: string[] = [];
  const proxy = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    response.end('{"from":"proxy"}');
  });
  proxy.on('connect', (request, socket) => {
    seen.push(`CONNECT ${request.url}`);
    if (request.url?.startsWith('refused.')) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const target = connect(Number(request.url?.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    target.on('error', () => socket.destroy());
  });
  let port = 0;
  beforeAll(async () => {
    port = await listen(proxy);
  });
  afterAll(() => proxy.close());
  beforeEach(() => seen.splice(0));
  const get = async (baseUrl: string): Promise<string> => {
    const address = `http://user:secret@127.0.0.1:${port}`;
    const settings = { httpProxy: address, httpsProxy: address, noProxy: '' };
    const client = createHttpClient({ baseUrl, proxy: settings, timer: realTimer });
    const { signal } = new AbortController();
    try {
      return (await client.call({ method: 'GET', path: '/x', query: { a: '1' } }, signal)).body.toString();
    } finally {
      client.close();
    }
  };

  it("sends the whole URL of a request without TLS to the proxy, with the proxy's credentials", async () => {
    expect(await get('http://service.example.com:8090')).toBe('{"from":"proxy"}');
    expect(seen).toEqual(['GET http://service.example.com:8090/x?a=1 Basic dXNlcjpzZWNyZXQ=']);
  });

  it("opens a tunnel for TLS, and throws with the proxy's name when the proxy refuses", async () => {
    await expect(get('https://refused.example.com')).rejects.toThrow(/answered 403 to CONNECT refused.example.com:443/);
    expect(seen).toEqual(['CONNECT refused.example.com:443']);
  });
});
