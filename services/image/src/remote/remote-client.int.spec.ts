import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { eventually, type TemporaryDirectory, temporaryDirectory } from '@muster/testing';
import { type FileServer, startFileServer } from './file-server.fixture.spec';
import { openHttpByteSource, RemoteClient, RemoteError } from './remote-client';
import { createCertificate, type SiteProxy, startSiteProxy } from './site-network.fixture.spec';

const FILE = Buffer.from(Array.from({ length: 10_000 }, (_, index) => index % 251));

describe('a file on a server', () => {
  let server: FileServer;
  const client = new RemoteClient({ headers: {}, queryParameters: {} });
  beforeEach(async () => {
    server = await startFileServer();
    server.serve(FILE);
  });
  afterEach(() => server.close());
  afterAll(() => client.close());

  it('returns the requested bytes, in any order and concurrently', async () => {
    const source = await openHttpByteSource(client, server.url);
    const parts = await Promise.all([source.read(9_990, 10), source.read(0, 5_000), source.read(10_000, 0)]);
    expect([source.size, source.version]).toEqual([10_000, '"1"']);
    expect(parts.map((part) => Buffer.from(part))).toEqual([
      FILE.subarray(9_990),
      FILE.subarray(0, 5_000),
      Buffer.alloc(0),
    ]);
  });

  it.each([false, true])(
    'is never read from two versions of the file, If-Range ignored: %s',
    async (ignoresIfRange) => {
      const source = await openHttpByteSource(client, server.url);
      server.serve(Buffer.alloc(10_000, 'x'), { etag: '"2"', ignoresIfRange });
      await expect(source.read(0, 10)).rejects.toThrow(/has changed since/);
    },
  );

  it('is not read any more after a change, also when the server has the first version again', async () => {
    let changes = 0;
    const source = await openHttpByteSource(client, server.url, () => (changes += 1));
    server.serve(Buffer.alloc(10_000, 'x'), { etag: '"2"' });
    await expect(source.read(0, 10)).rejects.toThrow(/has changed since/);
    server.serve(FILE);
    await expect(source.read(0, 10)).rejects.toThrow(RemoteError);
    expect(changes).toBe(1);
  });

  it.each([
    ['that does not support ranges', { withRanges: false }, /does not support range requests/],
    ['without this file', { status: 404 }, /answered 404/],
    ['that redirects to another file', { status: 302, location: 'file:///etc/passwd' }, /not allowed/],
  ])('is refused from a server %s', async (_, options, reason) => {
    server.serve(FILE, options);
    await expect(openHttpByteSource(client, server.url)).rejects.toThrow(reason);
  });

  it('is not received from a server that sends the whole file instead of a range', async () => {
    server.serve(FILE, { withRanges: false, holdAfterBytes: 100 });
    await expect(openHttpByteSource(client, server.url)).rejects.toThrow(RemoteError);
    await eventually('the connection is closed', async () => (await server.connections()) === 0);
  });

  it('fails when the connection is closed early, instead of returning fewer bytes', async () => {
    const source = await openHttpByteSource(client, server.url);
    server.serve(FILE, { cutAfterBytes: 100 });
    await expect(source.read(0, 1_000)).rejects.toThrow(RemoteError);
    await expect(source.read(0, 1_000)).rejects.toThrow(/base\.iso ended before all bytes were received/);
    await expect(source.read(9_999, 2)).rejects.toThrow(RangeError);
  });

  it('continues a read whose connection is closed early', async () => {
    const source = await openHttpByteSource(client, server.url);
    server.serve(FILE, { cutAfterBytes: 600 });
    expect(Buffer.from(await source.read(1_000, 1_000)).equals(FILE.subarray(1_000, 2_000))).toBe(true);
    expect(server.ranges.slice(1)).toEqual(['bytes=1000-1999', 'bytes=1600-1999']);
  });

  it.each([429, 500, 503])('repeats a read that a busy server refuses with %d', async (status) => {
    const source = await openHttpByteSource(client, server.url);
    server.serve(FILE, { status, failures: 1 });
    expect(Buffer.from(await source.read(1_000, 1_000)).equals(FILE.subarray(1_000, 2_000))).toBe(true);
    server.serve(FILE, { status });
    await expect(source.read(0, 10)).rejects.toThrow(new RegExp(`answered ${status}$`));
  });

  it('does not continue with the bytes of another version', async () => {
    let changes = 0;
    const source = await openHttpByteSource(client, server.url, () => (changes += 1));
    server.serve(FILE, { holdAfterBytes: 600 });
    const reading = expect(source.read(0, 1_000)).rejects.toThrow('has changed since the download started');
    await eventually('a part was requested', () => server.ranges.length === 2);
    server.serve(FILE, { etag: '"2"' });
    server.cut();
    await reading;
    expect(changes).toBe(1);
  });

  it('reports the URL that cannot be reached without its query', async () => {
    const error: unknown = await openHttpByteSource(client, 'http://127.0.0.1:1/x.iso?token=canary').catch(
      (e: unknown) => e,
    );
    expect(error).toBeInstanceOf(RemoteError);
    expect(String(error)).toMatch(/127\.0\.0\.1:1\/x\.iso cannot be reached/);
    expect(String(error)).not.toContain('canary');
  });
});

describe('a connection that was closed while it was not used', () => {
  it('is replaced, because a device in the network may have ended it', async () => {
    const used = new WeakSet<Socket>();
    let resets = 0;
    const server = createServer(({ socket, headers }, response) => {
      if (used.has(socket)) {
        resets += 1;
        return void socket.resetAndDestroy();
      }
      used.add(socket);
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
      const body = FILE.subarray(Number(first), Number(last) + 1);
      response.writeHead(206, { etag: '"1"', 'content-range': `bytes ${first}-${last}/${FILE.length}` }).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = new RemoteClient({ headers: {}, queryParameters: {} });
    const { port } = server.address() as AddressInfo;
    const source = await openHttpByteSource(client, `http://127.0.0.1:${port}/base.iso`);
    await eventually('a connection was used again', async () => {
      expect(Buffer.from(await source.read(5, 10))).toEqual(FILE.subarray(5, 15));
      return resets > 0;
    });
    client.close();
    server.close();
  });
});

describe('the credentials in the URL of a file', () => {
  let [images, mirror]: [FileServer?, FileServer?] = [];
  beforeEach(async () => {
    [images, mirror] = [await startFileServer(), await startFileServer()];
  });
  afterEach(() => Promise.all([images?.close(), mirror?.close()]));
  const url = (): string => (images?.url ?? '').replace('//', '//user:p%40ss@');
  const BASIC = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;

  it('are sent to its server, and not to the server of a redirect', async () => {
    const client = new RemoteClient({ headers: {}, queryParameters: {} });
    mirror?.serve(FILE);
    images?.serve(FILE, { status: 302, location: mirror?.url });
    expect((await openHttpByteSource(client, url())).size).toBe(FILE.length);
    expect(images?.headers.map(({ authorization }) => authorization)).toEqual([BASIC]);
    expect(mirror?.headers.map(({ authorization }) => authorization)).toEqual([undefined]);
    client.close();
  });

  it('are not sent when OS_IMAGES_REQUEST_HEADERS has others', async () => {
    const client = new RemoteClient({ headers: { Authorization: 'Bearer x' }, queryParameters: {} });
    images?.serve(FILE);
    await openHttpByteSource(client, url());
    expect(images?.headers.map(({ authorization }) => authorization)).toEqual(['Bearer x']);
    client.close();
  });

  it('are sent through a proxy, but not in the request line', async () => {
    const proxy = await startSiteProxy();
    const settings = { httpProxy: proxy.url, httpsProxy: '', noProxy: '' };
    const client = new RemoteClient({ headers: {}, queryParameters: {}, proxy: settings });
    images?.serve(FILE);
    await openHttpByteSource(client, url().replace('127.0.0.1', 'images.example.com'));
    expect(proxy.seen).toEqual(['http://images.example.com/base.iso']);
    expect(images?.headers.map(({ authorization }) => authorization)).toEqual([BASIC]);
    client.close();
    await proxy.close();
  });
});

describe('a file on a server behind the proxy of a site', () => {
  const tls = createCertificate('images.example.com', 'mirror.example.com');
  let [images, mirror, proxy]: [FileServer?, FileServer?, SiteProxy?] = [];
  let directory: TemporaryDirectory;
  let client: RemoteClient;
  beforeEach(async () => {
    directory = temporaryDirectory();
    [images, mirror] = [await startFileServer(await tls), await startFileServer(await tls)];
    proxy = await startSiteProxy();
  });
  afterEach(async () => {
    client.close();
    delete process.env['SSL_CERT_FILE'];
    await Promise.all([proxy?.close(), images?.close(), mirror?.close()]);
    directory.remove();
  });
  const urlAt = (server: FileServer | undefined, host: string): string =>
    (server?.url ?? '').replace('127.0.0.1', host);
  const open = (options: { readonly trustedCa?: string; readonly noProxy?: string }): RemoteClient => {
    const settings = { httpProxy: proxy?.url ?? '', httpsProxy: proxy?.url ?? '', noProxy: options.noProxy ?? '' };
    client = new RemoteClient({ headers: {}, queryParameters: {}, proxy: settings, trustedCa: options.trustedCa });
    return client;
  };

  it('is read through the proxy, and so are the targets of its redirects', async () => {
    open({ trustedCa: (await tls).cert });
    mirror?.serve(FILE);
    images?.serve(FILE, { status: 302, location: urlAt(mirror, 'mirror.example.com') });
    const source = await openHttpByteSource(client, urlAt(images, 'images.example.com'));
    expect(Buffer.from(await source.read(5, 10))).toEqual(FILE.subarray(5, 15));
    expect(new Set(proxy?.seen)).toEqual(new Set(['CONNECT images.example.com', 'CONNECT mirror.example.com']));
  });

  it('is read through the proxy without TLS', async () => {
    const plainServer = await startFileServer();
    plainServer.serve(FILE);
    open({});
    const source = await openHttpByteSource(client, urlAt(plainServer, 'images.example.com'));
    expect(Buffer.from(await source.read(5, 10))).toEqual(FILE.subarray(5, 15));
    expect(proxy?.seen[0]).toBe('http://images.example.com/base.iso');
    await plainServer.close();
  });

  it('is trusted with the certificate authorities of the system', async () => {
    const bundle = join(directory.path, 'ca-bundle.crt');
    writeFileSync(bundle, (await tls).cert);
    images?.serve(FILE);
    const url = urlAt(images, 'images.example.com');
    await expect(openHttpByteSource(open({}), url)).rejects.toThrow(/cannot be reached: .*self-signed/);
    client.close();
    process.env['SSL_CERT_FILE'] = bundle;
    expect((await openHttpByteSource(open({}), url)).size).toBe(FILE.length);
  });

  it('is reached directly when NO_PROXY has its host', async () => {
    open({ noProxy: '.invalid' });
    await expect(openHttpByteSource(client, 'https://images.invalid/base.iso')).rejects.toThrow(/cannot be reached/);
    expect(proxy?.seen).toEqual([]);
  });

  it('fails with a reason when the proxy is not a URL', async () => {
    const settings = { httpProxy: '', httpsProxy: 'http://user:canary@:x', noProxy: '' };
    client = new RemoteClient({ headers: {}, queryParameters: {}, proxy: settings });
    const error: unknown = await openHttpByteSource(client, 'https://images.example.com/x').catch((e: unknown) => e);
    expect(error).toBeInstanceOf(RemoteError);
    expect(String(error)).toMatch(/proxy for https is not a URL/);
    expect(String(error)).not.toContain('canary');
  });
});
