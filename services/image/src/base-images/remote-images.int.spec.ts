import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { REMOTE_CACHE } from '@muster/boot-image';
import {
  eventually,
  type NatsServer,
  startNatsServer,
  type TemporaryDirectory,
  temporaryDirectory,
} from '@muster/testing';
import { coreOsIso } from '../coreos-iso.fixture.spec';
import { BUILD, type ImageStage, INFRA_ENV_ID, openImageStage } from '../image-stage.fixture.spec';
import { type FileServer, startFileServer } from '../remote/file-server.fixture.spec';
import { createCertificate, startSiteProxy } from '../remote/site-network.fixture.spec';

let nats: NatsServer;
let stage: ImageStage;
let server: FileServer;
const BASE = coreOsIso('x86_64');
const LARGE = Buffer.concat([BASE, Buffer.alloc(REMOTE_CACHE.blockBytes * REMOTE_CACHE.blocksMax)]);
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
  // Two names of one build share one file.
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
const isServed = (): Promise<unknown> => eventually('the image is available', async () => (await get()).status === 200);

describe('a base image on a server', () => {
  it('is downloaded at the first request, once for all its names, and reports its progress', async () => {
    await open();
    expect(server.ranges).toEqual([]);
    server.serve(BASE, { holdAfterBytes: BASE.length / 2 });
    const early = await get();
    expect([early.status, early.headers.get('retry-after')]).toEqual([503, '5']);
    await eventually(
      'half of the file was received',
      async () => (await list())[0]?.['received_bytes'] === BASE.length / 2,
    );
    expect((await list()).map(({ state }) => state)).toEqual(['downloading', 'downloading']);
    expect(await (await get('full.iso', '4.19')).text()).toContain('50 %');
    // Requests for other images do not wait for the download.
    expect((await fetch(`${stage.url}/health`)).status).toBe(200);
    server.release();
    await isServed();
    expect((await get('minimal.iso', '4.19')).status).toBe(200);
    expect(server.ranges).toEqual(['']);
  });

  it('is downloaded when an infra-env is registered whose hosts boot it, before any request for it', async () => {
    await open();
    await stage.givenInfraEnv({ openshiftVersion: '4.19', cpuArchitecture: 'x86_64', imageType: 'minimal-iso' });
    await eventually('both images are ready', async () => (await list()).every(({ state }) => state === 'ready'));
    expect((await get('minimal.iso', '4.19')).status).toBe(200);
    expect(server.ranges).toEqual(['']);
  });

  it('is not downloaded for infra-envs with another version, architecture or type', async () => {
    const entry = { openshift_version: '4.18', cpu_architecture: 'x86_64', url: server.url, version: BUILD };
    const other = { ...entry, openshift_version: '4.17', url: `${server.url}?4.17`, version: '417' };
    await open({ OS_IMAGES: JSON.stringify([entry, other]) });
    const settings = { openshiftVersion: '4.18', cpuArchitecture: 'x86_64' };
    await stage.givenInfraEnv({ ...settings, openshiftVersion: '4.16' }, 'version');
    await stage.givenInfraEnv({ ...settings, cpuArchitecture: 'arm64' }, 'architecture');
    await stage.givenInfraEnv({ ...settings, imageType: 'disconnected-iso' }, 'type');
    await stage.givenInfraEnv({}, 'no settings');
    // Events arrive in their order, so those before were seen when this image is ready.
    await stage.givenInfraEnv({ ...settings, openshiftVersion: '4.17' }, 'last');
    await eventually('the last image is ready', async () => (await list())[1]?.['state'] === 'ready');
    expect((await list())[0]?.['state']).toBe('absent');
    expect(server.urls).toEqual([expect.stringContaining('?4.17')]);
  });

  it('has the date of the server before and after uses, so that clients can continue a download', async () => {
    const modified = new Date(Date.now() - 60_000).toUTCString();
    server.serve(BASE, { modified });
    await open();
    await isServed();
    const { status, headers } = await fetch(`${stage.url}/boot-artifacts/rootfs?version=4.18&arch=x86_64`);
    expect([status, headers.get('last-modified')]).toEqual([200, modified]);
    // The store has marked the file as used meanwhile.
    const range = { range: 'bytes=0-9', 'if-range': modified };
    const part = await fetch(`${stage.url}/boot-artifacts/rootfs?version=4.18&arch=x86_64`, { headers: range });
    expect([part.status, part.headers.get('last-modified')]).toEqual([206, modified]);
  });

  it('is named without the credentials of its URL when it cannot be read', async () => {
    server.serve(BASE, { status: 401 });
    const url = server.url.replace('//', '//user:canary@');
    const entry = { openshift_version: '4.18', cpu_architecture: 'x86_64', url, version: BUILD };
    await open({ OS_IMAGES: JSON.stringify([entry]), OS_IMAGES_FETCH: 'stream' });
    const response = await get();
    const text = await response.text();
    expect([response.status, text]).toEqual([503, expect.stringContaining(`${server.url} answered 401`)]);
    expect(text).not.toContain('canary');
  });

  it('is downloaded at the start when OS_IMAGES_FETCH is eager', async () => {
    await open({ OS_IMAGES_FETCH: 'eager' });
    await eventually('both images are ready', async () => (await list()).every(({ state }) => state === 'ready'));
    expect(server.ranges).toEqual(['']);
    expect((await get()).status).toBe(200);
  });

  it('is downloaded again when its stored file is damaged', async () => {
    const folder = temporaryDirectory();
    try {
      writeFileSync(join(folder.path, `rhcos-full-iso-${BUILD}-x86_64.iso`), BASE.subarray(0, BASE.length / 2));
      const entry = { openshift_version: '4.18', cpu_architecture: 'x86_64', url: server.url, version: BUILD };
      await open({ OS_IMAGES: JSON.stringify([entry]), DATA_DIR: folder.path });
      await isServed();
      expect(server.ranges).toEqual(['']);
    } finally {
      folder.remove();
    }
  });

  it('is not downloaded when the disk would have less than MUSTER_DISK_RESERVE', async () => {
    await open({ MUSTER_DISK_RESERVE: String(Number.MAX_SAFE_INTEGER), OS_IMAGES_FETCH: 'eager' });
    await eventually('it failed', async () => (await list())[0]?.['state'] === 'failed');
    const response = await get();
    expect([response.status, await response.text()]).toEqual([
      503,
      expect.stringMatching(/bytes too few for it and MUSTER_DISK_RESERVE=.*free disk space, or set DATA_DIR/),
    ]);
  });

  it('is read in place without storing it when OS_IMAGES_FETCH is stream', async () => {
    await open({ OS_IMAGES_FETCH: 'stream' });
    const response = await get();
    const image = Buffer.from(await response.arrayBuffer());
    expect([response.status, image.length]).toEqual([200, BASE.length]);
    const part = await get('full.iso', '4.18', { headers: { range: 'bytes=-1000' } });
    expect(Buffer.from(await part.arrayBuffer()).equals(BASE.subarray(-1_000))).toBe(true);
    expect(server.ranges.every((range) => range !== '')).toBe(true);
  });

  it('is opened again when a read in place shows that the server has another file', async () => {
    await open({ OS_IMAGES_FETCH: 'stream' });
    expect((await get('full.iso', '4.18', { method: 'HEAD' })).status).toBe(200);
    // Downloads in progress end, so that no client receives parts of two files.
    const other = Buffer.concat([coreOsIso('x86_64'), Buffer.alloc(2_048)]);
    server.serve(other, { etag: '"2"' });
    await eventually('the new image is served', async () => {
      const next = await get().catch(() => undefined);
      return next?.headers.get('content-length') === String(other.length);
    });
    const whole = Buffer.from(await (await get()).arrayBuffer());
    expect(whole.subarray(-2_048).equals(other.subarray(-2_048))).toBe(true);
  });

  it.each([
    '/boot-artifacts/rootfs?version=4.18',
    `/byid/${INFRA_ENV_ID}/4.18/x86_64/minimal.iso`,
    `/images/${INFRA_ENV_ID}/pxe-initrd?version=4.18`,
  ])('is answered with 503 at %s when a transfer is cut while it is read in place', async (path) => {
    await open({ OS_IMAGES_FETCH: 'stream' });
    server.serve(LARGE, { cutAfterBytes: 100 });
    const ask = async () => {
      const response = await fetch(`${stage.url}${path}`);
      return { status: response.status, text: await response.text() };
    };
    const refused = { status: 503, text: expect.stringContaining('ended before all bytes were received') as string };
    // When the image is opened.
    expect(await ask()).toEqual(refused);
    // When an open image is read: this download uses more blocks than are cached, so the first ones are read again.
    server.serve(LARGE);
    expect((await (await get()).arrayBuffer()).byteLength).toBe(LARGE.length);
    server.serve(LARGE, { cutAfterBytes: 100 });
    expect(await ask()).toEqual(refused);
  });

  it('is not served when it differs from the configured digest', async () => {
    server.serve(Buffer.alloc(BASE.length, 'x'));
    await open({ OS_IMAGES_FETCH: 'eager' });
    await eventually('it failed', async () => (await list())[0]?.['state'] === 'failed');
    const response = await get();
    expect([response.status, await response.text()]).toEqual([503, expect.stringContaining('SHA-256')]);
  });
});

describe('a base image behind the proxy of a site', () => {
  it('is downloaded with HTTPS_PROXY and the certificate authority of the setting', async () => {
    const tls = await createCertificate('images.example.com');
    const [folder, proxy, secure] = [temporaryDirectory(), await startSiteProxy(), await startFileServer(tls)];
    try {
      secure.serve(BASE);
      const OS_IMAGE_DOWNLOAD_TRUSTED_CA_FILE = join(folder.path, 'ca.pem');
      writeFileSync(OS_IMAGE_DOWNLOAD_TRUSTED_CA_FILE, tls.cert);
      const url = secure.url.replace('127.0.0.1', 'images.example.com');
      const OS_IMAGES = JSON.stringify([
        { openshift_version: '4.18', cpu_architecture: 'x86_64', url, version: BUILD },
      ]);
      await open({ OS_IMAGES, OS_IMAGE_DOWNLOAD_TRUSTED_CA_FILE, HTTPS_PROXY: proxy.url });
      await isServed();
      expect(proxy.seen).toEqual(['CONNECT images.example.com']);
    } finally {
      await Promise.all([proxy.close(), secure.close()]);
      folder.remove();
    }
  });
});

describe('a base image in a file', () => {
  const write = (file: Buffer): string => {
    const path = join(folder.path, 'live.iso');
    writeFileSync(path, file);
    return path;
  };
  let folder: TemporaryDirectory;
  beforeEach(() => {
    folder = temporaryDirectory();
  });
  afterEach(() => folder.remove());
  const openFile = async (sha256?: string): Promise<void> => {
    const url = pathToFileURL(join(folder.path, 'live.iso')).href;
    const image = { openshift_version: '4.18', cpu_architecture: 'x86_64', url, version: BUILD, sha256 };
    await open({ OS_IMAGES: JSON.stringify([image]) });
  };

  it('is opened again when the file was overwritten', async () => {
    write(BASE);
    await openFile();
    expect((await get()).headers.get('content-length')).toBe(String(BASE.length));
    const other = Buffer.concat([BASE, Buffer.alloc(2_048, 'z')]);
    write(other);
    const response = await get();
    expect(response.headers.get('content-length')).toBe(String(other.length));
    const whole = Buffer.from(await response.arrayBuffer());
    expect(whole.subarray(-2_048).equals(other.subarray(-2_048))).toBe(true);
  });

  it('is not served when its digest differs, until the file was corrected', async () => {
    write(Buffer.concat([BASE, Buffer.alloc(2_048)]));
    await openFile(createHash('sha256').update(BASE).digest('hex').toUpperCase());
    const refused = await get();
    expect([refused.status, await refused.text()]).toEqual([500, expect.stringMatching(/its SHA-256 is .*OS_IMAGES/)]);
    write(BASE);
    expect((await get()).headers.get('content-length')).toBe(String(BASE.length));
  });
});

describe('a client that disconnects', () => {
  it('ends the reading and frees its download slot', async () => {
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
      'the download slot is free',
      async () => (await get('full.iso', '4.18', { method: 'HEAD' })).status === 200,
    );
    const before = server.ranges.length;
    expect((await fetch(`${stage.url}/live`)).status).toBe(200);
    expect(server.ranges.length).toBe(before);
  });
});
