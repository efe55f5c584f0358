import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Unavailable } from '@muster/ports';
import {
  eventually,
  needsServer,
  objectAreasContract,
  objectStoreContract,
  startTcpProxy,
  type TcpProxy,
} from '@muster/testing';
import { minioObjectAreas, minioObjectStore } from './object-store';

jest.setTimeout(60_000);

needsServer('MINIO_URL', 'http://key:secret@127.0.0.1:9000/bucket', 'minioObjectStore', (url) => {
  objectStoreContract('minioObjectStore', async () => ({
    objects: await minioObjectStore({ url }),
    close: async () => undefined,
  }));
  objectAreasContract('minioObjectAreas', () => minioObjectAreas({ url, prefix: 'areas/' }));

  describe('a server that freezes while a body is transferred', () => {
    const BODY_BYTES = 32 * 1024 ** 2;
    const MAX_BYTES = 2 * BODY_BYTES;
    let proxy: TcpProxy;
    let proxied: string;
    beforeAll(async () => {
      const server = new URL(url);
      proxy = await startTcpProxy(Number(server.port));
      server.port = String(proxy.port);
      proxied = server.href;
    });
    const recover = async (): Promise<void> => {
      await proxy.recover();
      // The first request may use a connection that was reset.
      const isFound = (): Promise<boolean> => minioObjectStore({ url: proxied }).then(Boolean, () => false);
      await eventually('the server is found again', isFound);
    };
    afterEach(recover);
    afterAll(() => proxy.close());

    it('fails an upload, and the next one stores the body', async () => {
      const store = await minioObjectStore({ url: proxied });
      const body = randomBytes(BODY_BYTES);
      // The server stores the body, and its answer does not arrive.
      proxy.freezeAfter(1);
      await expect(store.put(body, MAX_BYTES)).rejects.toBeInstanceOf(Unavailable);
      await recover();
      const { digest, bytes } = await store.put(body, MAX_BYTES);
      expect(bytes).toBe(BODY_BYTES);
      await store.remove(digest);
    });

    it('fails a download that was started', async () => {
      const store = await minioObjectStore({ url: proxied });
      const { digest } = await store.put(randomBytes(BODY_BYTES), MAX_BYTES);
      proxy.freezeAfter(1024 ** 2);
      await expect(store.get(digest)).rejects.toBeInstanceOf(Unavailable);
      await recover();
      const body = await store.open(digest);
      proxy.freezeAfter(1024 ** 2);
      await expect(buffer(body ?? Readable.from([]))).rejects.toBeInstanceOf(Unavailable);
      await recover();
      expect((await store.get(digest))?.length).toBe(BODY_BYTES);
      await store.remove(digest);
    });

    it('fails the list of the objects', async () => {
      const store = await minioObjectStore({ url: proxied });
      proxy.freeze();
      const list = async (): Promise<void> => {
        for await (const object of store.list()) expect(object).toBeDefined();
      };
      await expect(list()).rejects.toBeInstanceOf(Unavailable);
    });
  });

  it('stores a body again, with the time of its last put', async () => {
    const store = await minioObjectStore({ url });
    const storedAtMs = async (wanted: string): Promise<number> => {
      for await (const { digest, storedAtMs: atMs } of store.list()) if (digest === wanted) return atMs;
      return 0;
    };
    const body = randomBytes(100);
    const { digest } = await store.put(body, body.length);
    const before = await storedAtMs(digest);
    await eventually('the time is later', async () => {
      await store.put(body, body.length);
      return (await storedAtMs(digest)) > before;
    });
    await store.remove(digest);
  });

  it('waits for a reader that is slower than the server', async () => {
    const store = await minioObjectStore({ url });
    const sent = randomBytes(16 * 1024 ** 2);
    const { digest } = await store.put(sent, sent.length);
    const body = await store.open(digest);
    // Longer than a server may be silent. The buffers of the connection are smaller than the body.
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    expect((await buffer(body ?? Readable.from([]))).equals(sent)).toBe(true);
    await store.remove(digest);
  });
});

describe('uploads to an S3 server', () => {
  /** A file without a name has the suffix `(deleted)`. */
  const openFiles = (): string[] =>
    readdirSync('/proc/self/fd').flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/self/fd/${fd}`)];
      } catch {
        return [];
      }
    });

  it('send a stream in one request without reading it into memory, and keep no file', async () => {
    const part = randomBytes(1024 ** 2);
    const parts = 48;
    const requests: { heldBytes: number; digest: string | undefined; body: string; files: readonly string[] }[] = [];
    const server = createServer((request, answer) => {
      if (request.method === 'GET') return void answer.end('<LocationConstraint></LocationConstraint>');
      if (request.method === 'HEAD') return void answer.writeHead(request.url?.includes('objects') ? 404 : 200).end();
      const heldBytes = process.memoryUsage().arrayBuffers - heldBefore;
      const files = openFiles().filter((path) => path.includes('muster-upload-'));
      const hash = createHash('sha256');
      request.on('data', (chunk: Buffer) => hash.update(chunk));
      request.on('end', () => {
        const digest = request.headers['x-amz-content-sha256']?.toString();
        requests.push({ heldBytes, digest, body: hash.digest('hex'), files });
        answer.setHeader('etag', '"1"').end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const store = await minioObjectStore({ url: `http://key:secret@127.0.0.1:${port}/bucket` });
    const heldBefore = process.memoryUsage().arrayBuffers;
    const stream = Readable.from(Array<Buffer>(parts).fill(part), { objectMode: false, highWaterMark: 1 });
    const { digest, bytes } = await store.put(stream, parts * part.length);
    expect(bytes).toBe(parts * part.length);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ digest: digest.slice(7), body: digest.slice(7) });
    expect(requests[0]?.files).toEqual([expect.stringMatching(/\(deleted\)$/)]);
    expect(requests[0]?.heldBytes).toBeLessThan(bytes / 2);
    expect(await store.put(Buffer.alloc(0), 0)).toMatchObject({ bytes: 0 });
    expect(requests[1]?.body).toBe(createHash('sha256').digest('hex'));
    expect(openFiles().filter((path) => path.includes('muster-upload-'))).toEqual([]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('a server that stores a large body slowly', () => {
  it('has more time for its answer to a larger body', async () => {
    const server = createServer((request, answer) => {
      if (request.method !== 'PUT') return void answer.end('<LocationConstraint></LocationConstraint>');
      request.resume();
      // Longer than a server may be silent otherwise.
      request.on('end', () => setTimeout(() => answer.setHeader('etag', '"1"').end(), 5_000));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const store = await minioObjectStore({ url: `http://key:secret@127.0.0.1:${port}/bucket` });
    const large = randomBytes(32 * 1024 ** 2);
    const [ofLarge, ofSmall] = await Promise.allSettled([
      store.put(large, large.length),
      store.put(Buffer.from('small'), 10),
    ]);
    expect(ofLarge).toMatchObject({ status: 'fulfilled', value: { bytes: large.length } });
    expect(ofSmall).toMatchObject({ status: 'rejected', reason: expect.any(Unavailable) as unknown });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('a body that is stored again', () => {
  it('replaces a damaged body of equal size', async () => {
    const bodies = new Map<string, Buffer>();
    const server = createServer((request, answer) => {
      const name = request.url ?? '';
      const stored = bodies.get(name);
      if (request.method === 'PUT')
        return void buffer(request).then((body) => {
          bodies.set(name, body);
          answer.setHeader('etag', '"1"').end();
        });
      if (!name.includes('objects')) return void answer.end('<LocationConstraint></LocationConstraint>');
      if (!stored) return void answer.writeHead(404).end();
      answer.writeHead(200, { 'content-length': stored.length, etag: '"1"' });
      answer.end(request.method === 'GET' ? stored : undefined);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const store = await minioObjectStore({ url: `http://key:secret@127.0.0.1:${port}/bucket` });
    const { digest } = await store.put(Buffer.from('whole'), 10);
    for (const name of bodies.keys()) bodies.set(name, Buffer.from('other'));
    await expect(store.get(digest)).rejects.toThrow(/is damaged or incomplete/);
    await store.put(Buffer.from('whole'), 10);
    expect((await store.get(digest))?.toString()).toBe('whole');
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('object store on an S3 server that is not available', () => {
  it('throws Unavailable with the address and without the secret', async () => {
    const attempt = minioObjectStore({ url: 'http://key:hidden@127.0.0.1:1/bucket' });
    await expect(attempt).rejects.toMatchObject({ server: 'S3 at 127.0.0.1:1', isRefused: false });
    await expect(attempt).rejects.not.toThrow(/hidden/);
  });

  it.each([
    [503, 'SlowDown', false],
    [500, 'InternalError', false],
    [403, 'SignatureDoesNotMatch', true],
    [403, 'RequestTimeTooSkewed', true],
  ])('converts the answer %i %s to the error of the port', async (status, code, isRefused) => {
    const server = createServer((_, answer) => {
      answer.writeHead(status, { 'content-type': 'application/xml' });
      answer.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>No.</Message></Error>`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const attempt = minioObjectStore({ url: `http://key:hidden@127.0.0.1:${port}/bucket` });
    await expect(attempt).rejects.toBeInstanceOf(Unavailable);
    await expect(attempt).rejects.toMatchObject({ isRefused });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('keeps no connection for each answer of a busy server', async () => {
    const connections = new Set<number | undefined>();
    const server = createServer((request, answer) => {
      if (!request.url?.includes('objects')) return void answer.end('<LocationConstraint></LocationConstraint>');
      connections.add(request.socket.remotePort);
      answer.writeHead(503, { 'content-type': 'application/xml' });
      answer.end('<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>No.</Message></Error>');
    });
    server.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const store = await minioObjectStore({ url: `http://key:secret@127.0.0.1:${port}/bucket` });
    const attempts = 10;
    for (let attempt = 0; attempt < attempts; attempt += 1)
      await expect(store.get(`sha256:${'0'.repeat(64)}`)).rejects.toBeInstanceOf(Unavailable);
    expect(connections.size).toBeLessThan(attempts / 2);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('throws Unavailable when the connection is reset', async () => {
    const server = createServer((request) => request.socket.resetAndDestroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const attempt = minioObjectStore({ url: `http://key:hidden@127.0.0.1:${port}/bucket` });
    await expect(attempt).rejects.toBeInstanceOf(Unavailable);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
