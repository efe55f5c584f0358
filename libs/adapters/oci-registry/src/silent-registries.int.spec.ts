import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageRegistry, SendHttp } from '@muster/ports';
import { manualClock, type TemporaryDirectory, temporaryDirectory } from '@muster/testing';
import { blobCache } from './blob-cache';
import { answerOf, type MemoryRegistry, memoryRegistry } from './memory-registry.fixture.spec';
import { ociImageRegistry } from './oci-image-registry';
import { parsePullSecret } from './registry-client';

/** A request without an answer ends after this time. */
const SILENCE_MS = 60_000;
const { signal } = new AbortController();

describe('a registry that sends nothing', () => {
  let directory: TemporaryDirectory;
  let images: MemoryRegistry;
  let clock: ReturnType<typeof manualClock>;
  let requests: string[];
  beforeEach(() => {
    directory = temporaryDirectory();
    images = memoryRegistry();
    clock = manualClock();
    requests = [];
  });
  afterEach(() => directory.remove());

  const open = (send: SendHttp): Promise<ImageRegistry> =>
    ociImageRegistry({
      send: (request, stop) => {
        requests.push(new URL(request.url).host);
        return send(request, stop);
      },
      pullSecret: parsePullSecret(''),
      sleep: async (ms) => clock.advance(ms),
      random: () => 0,
      nowMs: clock.nowMs,
      mirrors: [{ source: 'quay.io', mirrors: ['dead.lan', 'live.lan'], neverContactSource: true }],
      cache: blobCache(directory.path, 1e9),
    });
  const silence = (): never => {
    clock.advance(SILENCE_MS);
    throw new Error('no answer within 60 s');
  };

  it('is given up after two minutes', async () => {
    const registry = await open(async () => silence());
    const failure = registry.manifest(`dead.lan/a@${images.add({})}`, 'amd64', signal);
    await expect(failure).rejects.toMatchObject({ fault: 'unreachable', reason: 'no answer within 60 s' });
    expect(requests).toEqual(['dead.lan', 'dead.lan']);
  });

  it('is tried again several times when it refuses connections, because that costs no time', async () => {
    const registry = await open(async () => {
      throw new Error('ECONNREFUSED');
    });
    await expect(registry.manifest('dead.lan/a:1', 'amd64', signal)).rejects.toThrow('ECONNREFUSED');
    expect(requests).toHaveLength(5);
  });

  /** An answer whose connection breaks in the middle of the body. */
  const broken = (status = 200) => ({
    ...answerOf(),
    status,
    body: (async function* () {
      yield Buffer.from('{"layers":');
      throw new Error('aborted');
    })(),
  });

  it('receives a request for a manifest again when the connection breaks in the middle of it', async () => {
    const digest = images.add({ a: 'text' });
    const registry = await open(async (request) => (requests.length < 3 ? broken() : images.answer(request)));
    expect((await registry.manifest(`live.lan/a@${digest}`, 'amd64', signal)).digest).toBe(digest);
    expect(requests).toHaveLength(3);
  });

  it('is unreachable when the connection breaks in the middle of each manifest, also when it stops first', async () => {
    const refused = { fault: 'unreachable', reason: 'aborted' };
    const registry = await open(async () => broken());
    await expect(registry.manifest('live.lan/a:1', 'amd64', signal)).rejects.toMatchObject(refused);
    expect(requests).toHaveLength(6);
    requests = [];
    const slow = await open(async () => {
      clock.advance(SILENCE_MS);
      return broken();
    });
    await expect(slow.manifest('live.lan/a:1', 'amd64', signal)).rejects.toMatchObject(refused);
    expect(requests).toHaveLength(2);
  });

  it.each([
    [503, 'failing', 5],
    [404, 'missing', 1],
  ])(
    'keeps the meaning of status %i when the connection breaks in the middle of its text',
    async (status, fault, tries) => {
      const registry = await open(async () => broken(status));
      await expect(registry.manifest('live.lan/a:1', 'amd64', signal)).rejects.toMatchObject({ fault, status });
      expect(requests).toHaveLength(tries);
    },
  );

  it('is given up when the download of a layer stops for two minutes', async () => {
    const image = `live.lan/a@${images.add({ a: 'text' })}`;
    const registry = await open(async (request) => {
      if (request.url.includes('/manifests/')) return images.answer(request);
      const stopped = (async function* () {
        if (requests.length === 2) yield Buffer.from('x');
        silence();
      })();
      return { ...answerOf(), status: 206, body: stopped };
    });
    await expect(registry.extractFile(image, 'amd64', 'a', signal)).rejects.toMatchObject({ fault: 'unreachable' });
    // The manifest, the layer, and its continuation.
    expect(requests).toHaveLength(3);
  });

  it('receives a request for the whole layer when it refuses to continue an interrupted download', async () => {
    const image = `live.lan/a@${images.add({ a: 'text' })}`;
    const registry = await open(async (request) => {
      if (request.url.includes('/manifests/')) return images.answer(request);
      if (request.headers['range'] !== undefined) return { ...answerOf(), status: 416 };
      if (requests.length > 2) return images.answer(request);
      const broken = (async function* () {
        yield Buffer.from('x');
        throw new Error('the connection broke off');
      })();
      return { ...answerOf(), body: broken };
    });
    const { path } = await registry.extractFile(image, 'amd64', 'a', signal);
    expect(readFileSync(path, 'utf8')).toBe('text');
    // The manifest, the layer, its continuation, and the whole layer.
    expect(requests).toHaveLength(4);
  });

  it('is tried after the other mirrors for the rest of the release', async () => {
    const [first, second] = [images.add({ a: 'one' }), images.add({ a: 'two' })];
    const registry = await open(async (request) =>
      request.url.startsWith('https://dead.lan/') ? silence() : images.answer(request),
    );
    for (const digest of [first, second, first])
      await registry.extractFile(`quay.io/release@${digest}`, 'amd64', 'a', signal);
    expect(requests.filter((host) => host === 'dead.lan')).toHaveLength(2);
  });
});

describe('a download from a registry', () => {
  const LIMIT_BYTES = 10_000;
  let directory: TemporaryDirectory;
  beforeEach(() => (directory = temporaryDirectory()));
  afterEach(() => directory.remove());

  /** Reads the file `a`, of an image with this text or with the tag. Returns the error and the bytes that were written. */
  async function read(text: string, send: (images: MemoryRegistry) => SendHttp, tag?: string) {
    const images = memoryRegistry();
    const registry = await ociImageRegistry({
      send: send(images),
      pullSecret: parsePullSecret(''),
      sleep: async () => undefined,
      random: () => 0,
      nowMs: () => 0,
      mirrors: [],
      cache: blobCache(directory.path, LIMIT_BYTES),
    });
    const image = tag ? `one.lan/a:${tag}` : `one.lan/a@${images.add({ a: text })}`;
    const error = await registry.extractFile(image, 'amd64', 'a', signal).catch((failure: unknown) => failure);
    const sizes = readdirSync(directory.path).map((name) => statSync(join(directory.path, name)).size);
    return { error, bytes: sizes.reduce((sum, size) => sum + size, 0) };
  }

  it('ends when a layer is longer than its manifest states, and keeps nothing of it', async () => {
    let sent = 0;
    const { bytes, error } = await read('text', (images) => async (request) => {
      if (request.url.includes('/manifests/')) return images.answer(request);
      const endless = (async function* () {
        for (; sent < 1_000; sent += 1) yield Buffer.alloc(100);
      })();
      return { ...answerOf(), body: endless };
    });
    expect(error).toMatchObject({
      fault: 'corrupt',
      reason: expect.stringMatching(/^the layer has more than \d+ bytes$/),
    });
    expect(sent).toBeLessThan(20);
    expect(bytes).toBe(0);
  });

  it('is not started for a layer whose size the manifest does not state', async () => {
    const urls: string[] = [];
    const manifest = Buffer.from(JSON.stringify({ layers: [{ digest: `sha256:${'a'.repeat(64)}` }] }));
    const answers: SendHttp = async ({ url }) => {
      urls.push(url);
      return answerOf(url.includes('/manifests/') ? manifest : Buffer.alloc(2 * LIMIT_BYTES));
    };
    const { bytes, error } = await read('', () => answers, 'latest');
    expect(error).toMatchObject({ fault: 'content', reason: expect.stringMatching(/^its manifest has no size of /) });
    expect(urls.filter((url) => url.includes('/blobs/'))).toEqual([]);
    expect(bytes).toBe(0);
  });

  it('ends when a layer is larger than the cache may be', async () => {
    const text = randomBytes(2 * LIMIT_BYTES).toString('hex');
    const { bytes, error } = await read(text, (images) => async (request) => images.answer(request));
    expect(error).toMatchObject({ fault: 'corrupt', reason: `the layer has more than ${LIMIT_BYTES} bytes` });
    expect(bytes).toBe(0);
  });

  it('ends when the file is larger than the cache may be, before it is unpacked', async () => {
    const text = ' '.repeat(100 * LIMIT_BYTES);
    const { bytes, error } = await read(text, (images) => async (request) => images.answer(request));
    const reason = expect.stringContaining(`(/a has ${text.length} bytes, and at most ${LIMIT_BYTES} are allowed)`);
    expect(error).toMatchObject({ fault: 'content', reason });
    expect(bytes).toBeLessThan(LIMIT_BYTES);
  });
});
