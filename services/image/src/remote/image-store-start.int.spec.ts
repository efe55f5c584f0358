import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, temporaryDirectory } from '@muster/testing';
import { type FileServer, startFileServer } from './file-server.fixture.spec';
import { ImageStore, type WantedImage } from './image-store';
import { RemoteClient } from './remote-client';

const FILE = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
const image = (name: string, url: string, sha256 = ''): WantedImage => ({ fileName: `rhcos-${name}.iso`, url, sha256 });

describe('the store of base images at its start', () => {
  let server: FileServer;
  let store: ImageStore;
  let nowMs: number;
  let directory: ReturnType<typeof temporaryDirectory>;
  let evicted: string[];
  let logged: (text: string) => void = () => undefined;
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

  const open = (): void => {
    const verify = async (): Promise<void> => undefined;
    store = new ImageStore({
      directory: directory.path,
      bytesMax: 1_000_000,
      client,
      verify,
      nowMs: () => nowMs,
      log: (text) => {
        if (text.includes('could not be downloaded')) logged(text);
      },
    });
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

  const sha256Of = (file: Buffer): string => createHash('sha256').update(file).digest('hex');
  const OTHER_SHA256 = sha256Of(Buffer.from('other'));
  it.each([
    ['another url', '', '/other', '', 'ready'],
    ['the same url', '', '', '', 'ready'],
    ['another sha256', sha256Of(FILE), '', OTHER_SHA256, 'absent'],
    ['another url of the same sha256', sha256Of(FILE), '/other', sha256Of(FILE), 'ready'],
    ['the sha256 of the file, which was unknown', '', '', sha256Of(FILE), 'ready'],
    ['another sha256 than the unknown one of the file', '', '', OTHER_SHA256, 'absent'],
  ])('checks whether the file is current with %s', async (_, before, path, after, state) => {
    const wanted = image('a', server.url, before);
    server.serve(FILE);
    await store.start([wanted]);
    store.fetch(wanted);
    await settled(wanted);
    await store.close();
    open();
    const changed = image('a', server.url + path, after);
    // A second name of the build with a URL that was never used changes nothing.
    await store.start([changed, image('a', `${server.url}/mirror`, after)]);
    expect(store.state(changed).kind).toBe(state);
    expect(files().includes('rhcos-a.iso')).toBe(state === 'ready');
  });

  describe('of an image with another url and no sha256', () => {
    const OTHER = Buffer.concat([FILE, Buffer.from('other')]);
    /** Restarts the store with the url in OS_IMAGES; the file of the url without a path is there. */
    const restartWith = async (path: string, origin?: string): Promise<WantedImage> => {
      const before = image('a', server.url);
      server.serve(FILE);
      await store.start([before]);
      store.fetch(before);
      await settled(before);
      await store.close();
      if (origin !== undefined) writeFileSync(join(directory.path, 'rhcos-a.iso.origin'), origin);
      open();
      const changed = image('a', server.url + path);
      await store.start([changed]);
      return changed;
    };

    it('serves the old file until the new one is complete', async () => {
      const changed = await restartWith('/other');
      server.serve(OTHER, { holdAfterBytes: 100_000 });
      expect((await contentOf(changed)).equals(FILE)).toBe(true);
      await eventually('a part of the new file is stored', () => sizeOnDisk('rhcos-a.iso.partial') === 100_000);
      expect(store.state(changed)).toEqual({ kind: 'ready', bytes: FILE.length });
      expect((await contentOf(changed)).equals(FILE)).toBe(true);
      server.release();
      await eventually('the new file is complete', () => evicted.length > 0);
      expect(evicted).toEqual([join(directory.path, 'rhcos-a.iso')]);
      expect(store.state(changed)).toEqual({ kind: 'ready', bytes: OTHER.length });
      expect((await contentOf(changed)).equals(OTHER)).toBe(true);
      await store.close();
      open();
      await store.start([changed]);
      await contentOf(changed);
      expect(server.urls).toHaveLength(2);
    });

    it('serves the old file when the new one cannot be downloaded, and retries later', async () => {
      const changed = await restartWith('/other');
      server.serve(OTHER, { status: 404 });
      const waiting = new Promise((resolve) => (logged = resolve));
      await contentOf(changed);
      expect(await waiting).toMatch(/rhcos-a.iso could not be downloaded: .*answered 404/);
      expect((await contentOf(changed)).equals(FILE)).toBe(true);
      expect(server.urls).toHaveLength(2);
      nowMs += 30_000;
      server.serve(OTHER);
      expect((await contentOf(changed)).equals(FILE)).toBe(true);
      await eventually('the new file is complete', () => evicted.length > 0);
      expect((await contentOf(changed)).equals(OTHER)).toBe(true);
    });

    it('keeps the file when only the query of its url was changed, as a new signature does', async () => {
      const changed = await restartWith('?signature=2');
      expect((await contentOf(changed)).equals(FILE)).toBe(true);
      expect(server.urls).toHaveLength(1);
    });

    it('keeps the file whose record contains the digest of the url with its query', async () => {
      const url = `${server.url}?file=1`;
      const urlSha256 = createHash('sha256').update(url).digest('hex');
      const changed = await restartWith('?file=1', JSON.stringify({ urlSha256, sha256: '' }));
      expect((await contentOf(changed)).equals(FILE)).toBe(true);
      expect(server.urls).toHaveLength(1);
    });
  });

  it('checks the sha256 of a file that was copied into its directory', async () => {
    for (const name of ['rhcos-a.iso', 'rhcos-b.iso']) writeFileSync(join(directory.path, name), FILE);
    const [good, bad] = [image('a', server.url, sha256Of(FILE).toUpperCase()), image('b', server.url, OTHER_SHA256)];
    await store.start([good, bad]);
    expect([store.state(good).kind, store.state(bad).kind]).toEqual(['ready', 'absent']);
  });
});
