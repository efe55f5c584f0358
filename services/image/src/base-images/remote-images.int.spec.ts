import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { eventually, type NatsServer, startNatsServer } from '@muster/testing';
import { coreOsIso } from '../coreos-iso.fixture.spec';
import { BUILD, type ImageStage, INFRA_ENV_ID, openImageStage } from '../image-stage.fixture.spec';
import { type FileServer, startFileServer } from '../remote/file-server.fixture.spec';

let nats: NatsServer;
let stage: ImageStage;
let server: FileServer;
const BASE = coreOsIso('x86_64');
beforeAll(async () => {
  nats = await startNatsServer();
});
beforeEach(async () => {
  server = await startFileServer();
  server.serve(BASE);
});
afterEach(async () => {
  server.release();
  await stage.close();
  await server.close();
});
afterAll(() => nats.stop());

const open = async (environment: Record<string, string> = {}): Promise<void> => {
  const entry = { openshift_version: '4.18', cpu_architecture: 'x86_64', url: server.url, version: BUILD };
  const sha256 = createHash('sha256').update(BASE).digest('hex');
  // Two names of one build: one file.
  const OS_IMAGES = JSON.stringify([
    { ...entry, sha256 },
    { ...entry, openshift_version: '4.19' },
  ]);
  const thresholds = { OS_IMAGES_ROOTFS_BYTES_MIN: '1000', OS_IMAGES_KERNEL_BYTES_MIN: '1' };
  stage = await openImageStage(nats.url, { OS_IMAGES, ...thresholds, ...environment });
};
const get = (file = 'full.iso', version = '4.18', init: RequestInit = {}): Promise<Response> =>
  fetch(`${stage.url}/byid/${INFRA_ENV_ID}/${version}/x86_64/${file}`, init);
const list = async () => (await (await fetch(`${stage.url}/base-images`)).json()) as readonly Record<string, unknown>[];
const isServed = (): Promise<unknown> => eventually('the image is there', async () => (await get()).status === 200);

describe('a base image on a server', () => {
  it('is fetched when it is first wanted, once for all its names, and says how far it is', async () => {
    await open();
    expect(server.ranges).toEqual([]);
    server.serve(BASE, { holdAfterBytes: BASE.length / 2 });
    const early = await get();
    expect([early.status, early.headers.get('retry-after')]).toEqual([503, '5']);
    await eventually('half of it is there', async () => (await list())[0]?.['received_bytes'] === BASE.length / 2);
    expect((await list()).map(({ state }) => state)).toEqual(['downloading', 'downloading']);
    expect(await (await get('full.iso', '4.19')).text()).toContain('50 %');
    // No other request waits for it.
    expect((await fetch(`${stage.url}/health`)).status).toBe(200);
    server.release();
    await isServed();
    expect((await get('minimal.iso', '4.19')).status).toBe(200);
    expect(server.ranges).toEqual(['']);
  });

  it('is fetched at the start where that is wanted', async () => {
    await open({ OS_IMAGES_FETCH: 'eager' });
    await eventually('both are ready', async () => (await list()).every(({ state }) => state === 'ready'));
    expect(server.ranges).toEqual(['']);
    expect((await get()).status).toBe(200);
  });

  it('is read where it is, without storing it, where that is wanted', async () => {
    await open({ OS_IMAGES_FETCH: 'stream' });
    const response = await get();
    const image = Buffer.from(await response.arrayBuffer());
    expect([response.status, image.length]).toEqual([200, BASE.length]);
    const part = await get('full.iso', '4.18', { headers: { range: 'bytes=-1000' } });
    expect(Buffer.from(await part.arrayBuffer()).equals(BASE.subarray(-1_000))).toBe(true);
    expect(server.ranges.every((range) => range !== '')).toBe(true);
    // The file was replaced: downloads in progress end, so no client receives a mixture.
    server.serve(Buffer.alloc(BASE.length, 'x'), { etag: '"2"' });
    const cold = await get('full.iso', '4.18', { headers: { range: 'bytes=0-10' } });
    expect([206, 503]).toContain(cold.status);
  });

  it('that is not what it should be is never served', async () => {
    server.serve(Buffer.alloc(BASE.length, 'x'));
    await open({ OS_IMAGES_FETCH: 'eager' });
    await eventually('it failed', async () => (await list())[0]?.['state'] === 'failed');
    const response = await get();
    expect([response.status, await response.text()]).toEqual([503, expect.stringContaining('SHA-256')]);
  });
});

describe('a client that goes away', () => {
  it('stops the reading and frees its place at once', async () => {
    await open({ OS_IMAGES_FETCH: 'stream', MAX_CONCURRENT_REQUESTS: '1' });
    await new Promise<void>((resolve, reject) => {
      const asked = request(`${stage.url}/byid/${INFRA_ENV_ID}/4.18/x86_64/full.iso`, (answer) => {
        answer.once('data', () => {
          asked.destroy();
          resolve();
        });
      });
      asked.once('error', reject);
      asked.end();
    });
    await eventually(
      'the place is free',
      async () => (await get('full.iso', '4.18', { method: 'HEAD' })).status === 200,
    );
    const before = server.ranges.length;
    expect((await fetch(`${stage.url}/live`)).status).toBe(200);
    expect(server.ranges.length).toBe(before);
  });
});
