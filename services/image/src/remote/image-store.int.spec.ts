import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, temporaryDirectory } from '@muster/testing';
import { type FileServer, startFileServer } from './file-server.fixture.spec';
import { ImageStore, type ImageStoreOptions, type WantedImage } from './image-store';
import { RemoteClient } from './remote-client';

const FILE = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
const image = (name: string, url: string, sha256 = ''): WantedImage => ({ fileName: `rhcos-${name}.iso`, url, sha256 });

describe('the store of base images', () => {
  let server: FileServer;
  let store: ImageStore;
  let nowMs: number;
  let directory: ReturnType<typeof temporaryDirectory>;
  let evicted: string[];
  const client = new RemoteClient({ headers: { 'x-token': 'canary' }, queryParameters: { key: 'k' } });
  beforeEach(async () => {
    directory = temporaryDirectory();
    server = await startFileServer();
    nowMs = 1_000_000;
    evicted = [];
    open();
  });
  afterEach(async () => {
    server.release();
    await store.close();
    await server.close();
    directory.remove();
  });
  afterAll(() => client.close());

  const open = (options: Partial<ImageStoreOptions> = {}): void => {
    const verify = async (): Promise<void> => undefined;
    const own = {
      directory: directory.path,
      bytesMax: 1_000_000,
      client,
      verify,
      nowMs: () => nowMs,
      log: () => undefined,
    };
    store = new ImageStore({ ...own, ...options });
    store.onEvicted((path) => evicted.push(path));
  };
  const settled = (wanted: WantedImage) =>
    eventually('the download has ended', async () => ['ready', 'failed'].includes(store.state(wanted).kind));
  const contentOf = async (wanted: WantedImage): Promise<Buffer> => {
    const { path, release } = await store.hold(wanted);
    release();
    return readFileSync(path);
  };
  const sizeOnDisk = (name: string): number =>
    statSync(join(directory.path, name), { throwIfNoEntry: false })?.size ?? 0;
  const files = (): readonly string[] => readdirSync(directory.path).sort();

  it('provides an image after the first request, and reports the progress until then', async () => {
    const wanted = image('a', server.url);
    await store.start([wanted]);
    server.serve(FILE, { holdAfterBytes: 150_000 });
    expect(store.state(wanted)).toEqual({ kind: 'absent' });
    await expect(store.hold(wanted)).rejects.toMatchObject({ refusal: { code: 'busy' } });
    await eventually('half of the file was received', async () => {
      const state = store.state(wanted);
      return state.kind === 'downloading' && state.receivedBytes === 150_000 && state.totalBytes === FILE.length;
    });
    await expect(store.hold(wanted)).rejects.toThrow(/50 % of 1 MiB/);
    expect(files()).toEqual(['rhcos-a.iso.partial', 'rhcos-a.iso.partial.version']);
    server.release();
    await settled(wanted);
    expect((await contentOf(wanted)).equals(FILE)).toBe(true);
    expect(files()).toEqual(['rhcos-a.iso', 'rhcos-a.iso.origin']);
    expect(server.ranges).toHaveLength(1);
    expect([server.headers[0]?.['x-token'], server.urls[0]]).toEqual(['canary', '/base.iso?key=k']);
  });

  it('resumes an interrupted download, also after a restart, if the file is unchanged', async () => {
    const wanted = image('a', server.url);
    await store.start([wanted]);
    server.serve(FILE, { holdAfterBytes: 100_000 });
    store.fetch(wanted);
    await eventually('a part is on disk', async () => sizeOnDisk('rhcos-a.iso.partial') > 0);
    server.cut();
    await settled(wanted);
    expect(store.state(wanted).kind).toBe('failed');
    await store.close();
    open();
    await store.start([wanted]);
    server.serve(FILE);
    store.fetch(wanted);
    await settled(wanted);
    expect((await contentOf(wanted)).equals(FILE)).toBe(true);
    expect(server.ranges[1]).toMatch(/^bytes=[1-9]\d*-$/);
  });

  it.each([
    ['answers 416 without the size', ''],
    ['answers 416 with another size', 'bytes */7'],
    ['sends another range', `bytes 0-9/${FILE.length}`],
  ])('restarts the download when the server %s for the rest of the partial file', async (_, contentRange) => {
    const wanted = image('a', server.url);
    // The process ended after the last byte and before the file was renamed.
    writeFileSync(join(directory.path, 'rhcos-a.iso.partial'), FILE);
    writeFileSync(join(directory.path, 'rhcos-a.iso.partial.version'), '"1"');
    server.serve(FILE, { contentRange });
    await store.start([wanted]);
    store.fetch(wanted);
    await settled(wanted);
    expect(store.state(wanted).kind).toBe('ready');
    expect((await contentOf(wanted)).equals(FILE)).toBe(true);
    expect(server.ranges).toEqual([`bytes=${FILE.length}-`, '']);
  });

  it('restarts the download when the file was replaced', async () => {
    const wanted = image('a', server.url);
    server.serve(FILE, { cutAfterBytes: 100_000 });
    await store.start([wanted]);
    store.fetch(wanted);
    await settled(wanted);
    nowMs += 60_000;
    const other = Buffer.alloc(FILE.length, 'o');
    server.serve(other, { etag: '"2"' });
    store.fetch(wanted);
    await settled(wanted);
    expect((await contentOf(wanted)).equals(other)).toBe(true);
  });

  it('does not repeat a failed download immediately', async () => {
    const wanted = image('a', server.url);
    server.serve(FILE, { status: 404 });
    await store.start([wanted]);
    store.fetch(wanted);
    await settled(wanted);
    await expect(store.hold(wanted)).rejects.toThrow(/answered 404/);
    expect(server.ranges).toHaveLength(1);
    nowMs += 60_000;
    server.serve(FILE);
    await expect(store.hold(wanted)).rejects.toMatchObject({ refusal: { code: 'busy' } });
    await settled(wanted);
    expect(store.state(wanted).kind).toBe('ready');
  });

  it.each([
    [
      'a digest that differs from OS_IMAGES',
      createHash('sha256').update('x').digest('hex'),
      async () => undefined,
      /SHA-256/,
    ],
    [
      'a file that is not a live image',
      '',
      async () => Promise.reject(new RangeError('a kernel that is too small')),
      /kernel that is too small/,
    ],
  ])('stores nothing of a file with %s', async (_, sha256, verify, reason) => {
    open({ verify });
    const wanted = image('a', server.url, sha256);
    server.serve(FILE);
    await store.start([wanted]);
    store.fetch(wanted);
    await settled(wanted);
    expect(store.state(wanted)).toMatchObject({ kind: 'failed', reason: expect.stringMatching(reason) as string });
    expect(files()).toEqual([]);
  });

  it('accepts the digest of OS_IMAGES', async () => {
    const wanted = image('a', server.url, createHash('sha256').update(FILE).digest('hex').toUpperCase());
    server.serve(FILE);
    await store.start([wanted]);
    store.fetch(wanted);
    await settled(wanted);
    expect(store.state(wanted)).toEqual({ kind: 'ready', bytes: FILE.length });
  });

  it('keeps the date of the server, which uses and new downloads do not change', async () => {
    const wanted = image('a', server.url);
    const path = join(directory.path, wanted.fileName);
    server.serve(FILE, { modified: 'Fri, 02 Jan 2026 03:04:05 GMT' });
    await store.start([wanted]);
    for (const _ of ['first', 'second']) {
      store.fetch(wanted);
      await settled(wanted);
      nowMs += 60_000;
      await contentOf(wanted);
      expect(statSync(path).mtime.toUTCString()).toBe('Fri, 02 Jan 2026 03:04:05 GMT');
      expect(existsSync(`${path}.partial`)).toBe(false);
      rmSync(path);
      store.forget(wanted);
    }
  });

  it('evicts the least recently used images, never an image with an active download', async () => {
    open({ bytesMax: 700_000 });
    const [a, b, c] = ['a', 'b', 'c'].map((name) => image(name, server.url));
    if (!a || !b || !c) throw new Error('three images were made');
    server.serve(FILE);
    await store.start([a, b, c]);
    for (const wanted of [a, b]) {
      store.fetch(wanted);
      await settled(wanted);
    }
    const heldA = await store.hold(a);
    nowMs += 60_000;
    (await store.hold(b)).release();
    store.fetch(c);
    await settled(c);
    expect(store.state(c).kind).toBe('ready');
    expect([store.state(a).kind, store.state(b).kind]).toEqual(['ready', 'absent']);
    expect(evicted).toEqual([join(directory.path, 'rhcos-b.iso')]);

    const heldC = await store.hold(c);
    store.fetch(b);
    await settled(b);
    expect(store.state(b)).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/OS_IMAGES_STORE_BYTES_MAX=700000 are in use/) as string,
    });
    heldA.release();
    heldC.release();
  });

  it('refuses an image that is larger than the limit for all images', async () => {
    open({ bytesMax: 1_000 });
    const wanted = image('a', server.url);
    server.serve(FILE);
    await store.start([wanted]);
    store.fetch(wanted);
    await settled(wanted);
    expect(store.state(wanted)).toMatchObject({
      reason: expect.stringMatching(/300000.*OS_IMAGES_STORE_BYTES_MAX/) as string,
    });
  });

  it('deletes files that are no longer needed at its start, and no foreign files', async () => {
    for (const name of [
      'rhcos-old.iso',
      'rhcos-old.iso.partial',
      'rhcos-old.iso.origin',
      'rhcos-a.iso',
      'rhcos-mine.iso',
      'notes.txt',
    ])
      writeFileSync(join(directory.path, name), 'x');
    const wanted = image('a', server.url);
    await store.start([wanted], ['rhcos-mine.iso']);
    expect(files()).toEqual(['notes.txt', 'rhcos-a.iso', 'rhcos-a.iso.origin', 'rhcos-mine.iso']);
    expect(store.state(wanted)).toEqual({ kind: 'ready', bytes: 1 });
    expect(existsSync((await store.hold(wanted)).path)).toBe(true);
  });

  it('follows redirects up to a limit, without its own headers to other servers', async () => {
    const other = await startFileServer();
    other.serve(FILE);
    server.serve(FILE, { status: 302, location: other.url });
    const [good, endless] = [image('a', server.url), image('b', server.url)];
    await store.start([good, endless]);
    store.fetch(good);
    await settled(good);
    expect(store.state(good).kind).toBe('ready');
    expect(other.headers[0]?.['x-token']).toBeUndefined();
    server.serve(FILE, { status: 302, location: server.url });
    store.fetch(endless);
    await settled(endless);
    expect(store.state(endless)).toMatchObject({ reason: expect.stringMatching(/more than 5 times/) as string });
    await other.close();
  });
});
