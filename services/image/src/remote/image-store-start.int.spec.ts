import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@muster/testing';
import type { WantedImage } from './download-file';
import { FILE, image, ImageStoreStage } from './image-store-stage.fixture.spec';

describe('the store of base images at its start', () => {
  let stage: ImageStoreStage;
  let logged: (text: string) => void = () => undefined;
  beforeEach(async () => {
    stage = await ImageStoreStage.create((text) => {
      if (text.includes('could not be downloaded')) logged(text);
    });
  });
  afterEach(() => stage.close());

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
    const wanted = image('a', stage.server.url, before);
    stage.server.serve(FILE);
    await stage.store.start([wanted]);
    stage.store.fetch(wanted);
    await stage.settled(wanted);
    await stage.store.close();
    stage.open();
    const changed = image('a', stage.server.url + path, after);
    // A second name of the build with a URL that was never used changes nothing.
    await stage.store.start([changed, image('a', `${stage.server.url}/mirror`, after)]);
    expect(stage.store.state(changed).kind).toBe(state);
    expect(stage.files().includes('rhcos-a.iso')).toBe(state === 'ready');
  });

  describe('of an image with another url and no sha256', () => {
    const OTHER = Buffer.concat([FILE, Buffer.from('other')]);
    /** Restarts the store with the url in OS_IMAGES; the file of the url without a path is there. */
    const restartWith = async (path: string, origin?: string): Promise<WantedImage> => {
      const before = image('a', stage.server.url);
      stage.server.serve(FILE);
      await stage.store.start([before]);
      stage.store.fetch(before);
      await stage.settled(before);
      await stage.store.close();
      if (origin !== undefined) writeFileSync(join(stage.directory.path, 'rhcos-a.iso.origin'), origin);
      stage.open();
      const changed = image('a', stage.server.url + path);
      await stage.store.start([changed]);
      return changed;
    };

    it('serves the old file until the new one is complete', async () => {
      const changed = await restartWith('/other');
      stage.server.serve(OTHER, { holdAfterBytes: 100_000 });
      expect((await stage.contentOf(changed)).equals(FILE)).toBe(true);
      await eventually('a part of the new file is stored', () => stage.sizeOnDisk('rhcos-a.iso.partial') === 100_000);
      expect(stage.store.state(changed)).toEqual({ kind: 'ready', bytes: FILE.length });
      expect((await stage.contentOf(changed)).equals(FILE)).toBe(true);
      stage.server.release();
      await eventually('the new file is complete', () => stage.evicted.length > 0);
      expect(stage.evicted).toEqual([join(stage.directory.path, 'rhcos-a.iso')]);
      expect(stage.store.state(changed)).toEqual({ kind: 'ready', bytes: OTHER.length });
      expect((await stage.contentOf(changed)).equals(OTHER)).toBe(true);
      await stage.store.close();
      stage.open();
      await stage.store.start([changed]);
      await stage.contentOf(changed);
      expect(stage.server.urls).toHaveLength(2);
    });

    it('serves the old file when the new one cannot be downloaded, and retries later', async () => {
      const changed = await restartWith('/other');
      stage.server.serve(OTHER, { status: 404 });
      const waiting = new Promise((resolve) => (logged = resolve));
      await stage.contentOf(changed);
      expect(await waiting).toMatch(/rhcos-a.iso could not be downloaded: .*answered 404/);
      expect((await stage.contentOf(changed)).equals(FILE)).toBe(true);
      expect(stage.server.urls).toHaveLength(2);
      stage.clock.advance(30_000);
      stage.server.serve(OTHER);
      expect((await stage.contentOf(changed)).equals(FILE)).toBe(true);
      await eventually('the new file is complete', () => stage.evicted.length > 0);
      expect((await stage.contentOf(changed)).equals(OTHER)).toBe(true);
    });

    it('provides the new file when its record cannot be written, and downloads it once', async () => {
      const changed = await restartWith('/other');
      const record = join(stage.directory.path, 'rhcos-a.iso.origin');
      rmSync(record);
      // A directory cannot be written like a file.
      mkdirSync(record);
      stage.server.serve(OTHER);
      await stage.contentOf(changed);
      await eventually('the new file is complete', () => stage.evicted.length > 0);
      expect(stage.store.state(changed)).toEqual({ kind: 'ready', bytes: OTHER.length });
      stage.clock.advance(30_000);
      expect((await stage.contentOf(changed)).equals(OTHER)).toBe(true);
      await stage.store.close();
      expect(stage.server.urls).toHaveLength(2);
    });

    it('keeps the file when only the query of its url was changed, as a new signature does', async () => {
      const changed = await restartWith('?signature=2');
      expect((await stage.contentOf(changed)).equals(FILE)).toBe(true);
      expect(stage.server.urls).toHaveLength(1);
    });

    it('keeps the file whose record contains the digest of the url with its query', async () => {
      const url = `${stage.server.url}?file=1`;
      const urlSha256 = createHash('sha256').update(url).digest('hex');
      const changed = await restartWith('?file=1', JSON.stringify({ urlSha256, sha256: '' }));
      expect((await stage.contentOf(changed)).equals(FILE)).toBe(true);
      expect(stage.server.urls).toHaveLength(1);
    });
  });

  it('checks the sha256 of a file that was copied into its directory', async () => {
    for (const name of ['rhcos-a.iso', 'rhcos-b.iso']) writeFileSync(join(stage.directory.path, name), FILE);
    const [good, bad] = [
      image('a', stage.server.url, sha256Of(FILE).toUpperCase()),
      image('b', stage.server.url, OTHER_SHA256),
    ];
    await stage.store.start([good, bad]);
    expect([stage.store.state(good).kind, stage.store.state(bad).kind]).toEqual(['ready', 'absent']);
  });

  it.each(['EMFILE', 'ENOMEM'])('keeps a complete download that cannot be checked for a moment (%s)', async (code) => {
    let checks = 0;
    const verify = async (): Promise<void> => {
      if ((checks += 1) === 1) throw Object.assign(new Error(`${code}: open`), { code });
    };
    stage.open({ verify });
    const wanted = image('a', stage.server.url);
    stage.server.serve(FILE);
    await stage.store.start([wanted]);
    for (const state of ['failed', 'ready']) {
      stage.store.fetch(wanted);
      await stage.settled(wanted);
      expect(stage.store.state(wanted).kind).toBe(state);
      stage.clock.advance(60_000);
    }
    expect(stage.server.ranges).toEqual(['', `bytes=${FILE.length}-`]);
    expect((await stage.contentOf(wanted)).equals(FILE)).toBe(true);
  });

  it('waits longer after each complete download of a wrong file, and as before after another failure', async () => {
    const wanted = image('a', stage.server.url, OTHER_SHA256);
    stage.server.serve(FILE);
    await stage.store.start([wanted]);
    /** Returns the requests after a failure and this time. */
    const requestsAfter = async (waitMs: number): Promise<number> => {
      stage.clock.advance(waitMs);
      stage.store.fetch(wanted);
      await stage.settled(wanted);
      return stage.server.urls.length;
    };
    expect([await requestsAfter(0), await requestsAfter(29_000), await requestsAfter(1_000)]).toEqual([1, 1, 2]);
    expect([await requestsAfter(59_000), await requestsAfter(1_000)]).toEqual([2, 3]);
    for (let count = 4; count < 12; count += 1) expect(await requestsAfter(3_600_000)).toBe(count);
    stage.server.serve(FILE, { status: 503 });
    expect([await requestsAfter(3_599_000), await requestsAfter(1_000)]).toEqual([11, 12]);
    expect(await requestsAfter(30_000)).toBe(13);
  });

  it('stops while it hashes a complete download, which the next start continues', async () => {
    // Its hash takes longer than any test.
    const bytes = 2 ** 40;
    const partial = join(stage.directory.path, 'rhcos-a.iso.partial');
    writeFileSync(partial, '');
    truncateSync(partial, bytes);
    writeFileSync(`${partial}.version`, '"1"');
    stage.open({ bytesMax: bytes });
    stage.server.serve(FILE, { contentRange: `bytes */${bytes}` });
    const wanted = image('a', stage.server.url, OTHER_SHA256);
    await stage.store.start([wanted]);
    stage.store.fetch(wanted);
    await eventually('the download is complete', () => {
      const state = stage.store.state(wanted);
      return state.kind === 'downloading' && state.receivedBytes === bytes;
    });
    await stage.store.close();
    expect(stage.sizeOnDisk('rhcos-a.iso.partial')).toBe(bytes);
  });

  it('provides the stored files when it cannot write, as on a full disk or a read-only one', async () => {
    const wanted = image('a', stage.server.url);
    writeFileSync(join(stage.directory.path, 'rhcos-a.iso'), FILE);
    // A directory cannot be written like a file.
    mkdirSync(join(stage.directory.path, 'rhcos-a.iso.origin'));
    await stage.store.start([wanted]);
    expect((await stage.contentOf(wanted)).equals(FILE)).toBe(true);
    expect(stage.server.urls).toEqual([]);
  });

  it('provides the other files when one cannot be removed, as on a read-only disk, and one cannot be read', async () => {
    const wanted = (name: string): WantedImage => image(name, stage.server.url, sha256Of(FILE));
    const [good, bad] = [wanted('a'), wanted('b')];
    writeFileSync(join(stage.directory.path, 'rhcos-a.iso'), FILE);
    // A directory can neither be removed nor read like a file.
    for (const name of ['rhcos-0.iso', 'rhcos-b.iso']) mkdirSync(join(stage.directory.path, name));
    await stage.store.start([good, bad]);
    expect([stage.store.state(good).kind, stage.store.state(bad).kind]).toEqual(['ready', 'absent']);
  });

  it('fails when its directory cannot be created', async () => {
    await expect(stage.open({ directory: '/proc/muster/images' }).start([])).rejects.toThrow(/ENOENT.*mkdir/);
  });
});
