import { readFileSync } from 'node:fs';
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
