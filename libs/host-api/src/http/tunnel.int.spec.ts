import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, type Server, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import * as x509 from '@peculiar/x509';
import { realTimer } from '../timer';
import { createHttpClient } from './http-client';

const listen = (server: Server, address = '127.0.0.1'): Promise<number> =>
  new Promise((resolve) => server.listen(0, address, () => resolve((server.address() as AddressInfo).port)));

async function selfSigned(type: 'ip' | 'dns', value: string): Promise<{ key: string; cert: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  x509.cryptoProvider.set(globalThis.crypto);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${value}`,
    keys,
    signingAlgorithm: algorithm,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type, value }])],
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    cert: certificate.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`,
  };
}

describe('client behind a proxy', () => {
  const seen: string[] = [];
  const answer: RequestListener = (request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    response.end('{"from":"proxy"}');
  };
  const openTunnel = (request: { readonly url?: string }, socket: Socket): void => {
    seen.push(`CONNECT ${request.url}`);
    if (request.url?.startsWith('refused.')) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const target = connect(Number(request.url?.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    target.on('error', () => socket.destroy());
  };
  const servers: Server[] = [];
  const addresses = { ipv4: '', ipv6: '', tls: '' };
  let [service, caPem] = ['', ''];
  /** The port of a server with a certificate for 192.0.2.1 only. Its answer contains the server name that the client sent. */
  let port = 0;
  beforeAll(async () => {
    const own = await selfSigned('ip', '127.0.0.1');
    const ofService = await selfSigned('dns', 'service.example.com');
    const ofAddress = await selfSigned('ip', '192.0.2.1');
    caPem = [own, ofService, ofAddress].map(({ cert }) => cert).join('\n');
    const [ipv4, ipv6] = [createServer(answer), createServer(answer)];
    const tls = createHttpsServer(own, answer);
    for (const proxy of [ipv4, ipv6, tls]) proxy.on('connect', openTunnel);
    const origin = createHttpsServer(ofService, (_request, response) => response.end('{"from":"service"}'));
    const unnamed = createHttpsServer(ofAddress, (request, response) => {
      const { servername } = request.socket as TLSSocket;
      response.end(JSON.stringify({ servername }));
    });
    servers.push(ipv4, ipv6, tls, origin, unnamed);
    addresses.ipv4 = `http://user:secret@127.0.0.1:${await listen(ipv4)}`;
    addresses.ipv6 = `http://user:secret@[::1]:${await listen(ipv6, '::1')}`;
    addresses.tls = `https://user:secret@127.0.0.1:${await listen(tls)}`;
    service = `service.example.com:${await listen(origin)}`;
    port = await listen(unnamed);
  });
  afterAll(() => servers.forEach((server) => server.close()));
  beforeEach(() => seen.splice(0));
  const get = async (baseUrl: string, proxy: keyof typeof addresses = 'ipv4'): Promise<string> => {
    const settings = { httpProxy: addresses[proxy], httpsProxy: addresses[proxy], noProxy: '' };
    const client = createHttpClient({ baseUrl, caPem, proxy: settings, timer: realTimer });
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

  it.each(['ipv6', 'tls'] as const)('sends a request without TLS to a proxy with %s', async (proxy) => {
    expect(await get(`http://${service}`, proxy)).toBe('{"from":"proxy"}');
    expect(seen).toEqual([`GET http://${service}/x?a=1 Basic dXNlcjpzZWNyZXQ=`]);
  });

  it.each(['ipv4', 'ipv6', 'tls'] as const)('opens a tunnel for TLS through a proxy with %s', async (proxy) => {
    expect(await get(`https://${service}`, proxy)).toBe('{"from":"service"}');
    expect(seen).toEqual([`CONNECT ${service}`]);
  });

  it('sends no server name through a tunnel to an address, and expects a certificate for that address', async () => {
    expect(await get(`https://192.0.2.1:${port}`)).toBe('{"servername":false}');
    await expect(get(`https://192.0.2.2:${port}`)).rejects.toThrow(/IP: 192\.0\.2\.2 is not in the cert/);
  });

  it.each(['http', 'https'])('waits longer than Node for each address of a server with %s', async (scheme) => {
    const connecting = jest.spyOn(Socket.prototype, 'connect');
    await get(`${scheme}://${service}`);
    // The arguments are a list of options and callbacks, or a list of that list.
    const given = connecting.mock.calls.flat(2) as readonly unknown[];
    connecting.mockRestore();
    expect(given).toContainEqual(expect.objectContaining({ autoSelectFamilyAttemptTimeout: 3_000 }));
  });

  it("opens a tunnel for TLS, and throws with the proxy's name when the proxy refuses", async () => {
    await expect(get('https://refused.example.com')).rejects.toThrow(/answered 403 to CONNECT refused.example.com:443/);
    expect(seen).toEqual(['CONNECT refused.example.com:443']);
  });
});
