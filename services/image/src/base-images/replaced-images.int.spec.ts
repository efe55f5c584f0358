import { readdirSync, readlinkSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
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

/** More than the buffers of a connection, so that a download waits for its client. */
const TAIL_BYTES = 48 * 1024 * 1024;
const OLD = Buffer.concat([coreOsIso('x86_64'), Buffer.alloc(TAIL_BYTES, 'old ')]);
const NEW = Buffer.concat([coreOsIso('x86_64', 1), Buffer.alloc(4_096, 'new ')]);
const STORED = `rhcos-full-iso-${BUILD}-x86_64.iso`;

let nats: NatsServer;
let stage: ImageStage;
let server: FileServer;
let folder: TemporaryDirectory;
beforeAll(async () => {
  nats = await startNatsServer();
});
beforeEach(async () => {
  folder = temporaryDirectory();
  server = await startFileServer();
});
afterEach(async () => {
  server.release();
  await closeStage();
  await server.close();
  folder.remove();
});
afterAll(() => nats.stop());

const open = async (url: string, more: { readonly sha256?: string } = {}): Promise<void> => {
  const image = { openshift_version: '4.18', cpu_architecture: 'x86_64', url, version: BUILD, ...more };
  const thresholds = { OS_IMAGES_ROOTFS_BYTES_MIN: '1000', OS_IMAGES_KERNEL_BYTES_MIN: '1' };
  stage = await openImageStage(nats.url, {
    OS_IMAGES: JSON.stringify([image]),
    DATA_DIR: folder.path,
    ...thresholds,
  });
};
const closeStage = async (): Promise<void> => {
  const { close } = stage;
  stage = { ...stage, close: async () => undefined };
  await close();
};
const get = (init: RequestInit = {}): Promise<Response> =>
  fetch(`${stage.url}/byid/${INFRA_ENV_ID}/4.18/x86_64/full.iso`, init);
const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());
const isNewServed = (): Promise<unknown> =>
  eventually(
    'the new image is served',
    async () => (await get({ method: 'HEAD' })).headers.get('content-length') === String(NEW.length),
  );
/** Names of the files of the folder that this process has open. Replaced files have the suffix `(deleted)`. */
const openFiles = (): readonly string[] =>
  readdirSync('/proc/self/fd')
    .map((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`);
      } catch {
        return '';
      }
    })
    .filter((path) => path.startsWith(folder.path))
    .map((path) => path.slice(folder.path.length + 1))
    .sort();

/** `replace` replaces the old image while two downloads of it wait for their clients. */
async function expectCompleteDownloads(name: string, replace: () => void): Promise<void> {
  const whole = await bytesOf(await get());
  const [first, second] = [await get(), await get()];
  replace();
  await isNewServed();
  expect(openFiles()).toEqual([name, `${name} (deleted)`]);
  expect((await bytesOf(first)).equals(whole)).toBe(true);
  expect(openFiles()).toEqual([name, `${name} (deleted)`]);
  expect((await bytesOf(second)).equals(whole)).toBe(true);
  await eventually('the old file is closed', () => openFiles().join() === name);
  const after = await bytesOf(await get());
  expect([after.length, after.subarray(-4_096).equals(NEW.subarray(-4_096))]).toEqual([NEW.length, true]);
}

describe('downloads of a base image that is replaced', () => {
  jest.setTimeout(120_000);

  it('are complete when the store has downloaded another file of the build', async () => {
    writeFileSync(join(folder.path, STORED), OLD);
    writeFileSync(join(folder.path, `${STORED}.origin`), JSON.stringify({ urlSha256: 'of another url', sha256: '' }));
    server.serve(NEW, { holdAfterBytes: 1_000 });
    await open(server.url);
    await expectCompleteDownloads(STORED, () => server.release());
  });

  it('are complete when another file has got its name', async () => {
    writeFileSync(join(folder.path, 'live.iso'), OLD);
    await open(pathToFileURL(join(folder.path, 'live.iso')).href);
    await expectCompleteDownloads('live.iso', () => {
      writeFileSync(join(folder.path, 'new.iso'), NEW);
      renameSync(join(folder.path, 'new.iso'), join(folder.path, 'live.iso'));
    });
  });

  it.each([
    ['was cut off, and the next ones receive it from the server', OLD.subarray(0, 1_000_000)],
    ['was overwritten by a copy, and the next ones receive the copy', NEW],
  ])('end early when the file of the store %s', async (_, content) => {
    const path = join(folder.path, STORED);
    writeFileSync(path, OLD);
    server.serve(NEW);
    await open(server.url);
    const running = await get();
    writeFileSync(path, content);
    await isNewServed();
    await expect(running.arrayBuffer()).rejects.toThrow();
    expect((await bytesOf(await get())).subarray(-4_096).equals(NEW.subarray(-4_096))).toBe(true);
    expect(openFiles()).toEqual([STORED]);
  });

  it('end early when the file was overwritten, so that no client receives parts of two files', async () => {
    writeFileSync(join(folder.path, 'live.iso'), OLD);
    await open(pathToFileURL(join(folder.path, 'live.iso')).href);
    const running = await get();
    const other = Buffer.concat([NEW, Buffer.alloc(2 * TAIL_BYTES, 'new ')]);
    writeFileSync(join(folder.path, 'live.iso'), other);
    expect((await get({ method: 'HEAD' })).headers.get('content-length')).toBe(String(other.length));
    await expect(running.arrayBuffer()).rejects.toThrow();
    expect(openFiles()).toEqual(['live.iso']);
  });
});

describe('a file whose hash takes long', () => {
  it('does not delay the stop of the service', async () => {
    const path = join(folder.path, 'live.iso');
    writeFileSync(path, OLD);
    truncateSync(path, 2 ** 40);
    await open(pathToFileURL(path).href, { sha256: '00'.repeat(32) });
    const answered = get();
    await eventually('the file is read', () => openFiles().length === 2);
    const closed = closeStage();
    expect((await answered).status).toBe(503);
    await closed;
    expect(openFiles()).toEqual([]);
  });
});
