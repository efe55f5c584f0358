import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@muster/testing';
import { downloadFile } from './download-file';
import { startFileServer } from './file-server.fixture.spec';
import { FILE, image, ImageStoreStage } from './image-store-stage.fixture.spec';

describe('the store of base images', () => {
  let stage: ImageStoreStage;
  beforeEach(async () => {
    stage = await ImageStoreStage.create();
  });
  afterEach(() => stage.close());

  it('provides an image after the first request, and reports the progress until then', async () => {
    const wanted = image('a', stage.server.url);
    await stage.store.start([wanted]);
    stage.server.serve(FILE, { holdAfterBytes: 150_000 });
    expect(stage.store.state(wanted)).toEqual({ kind: 'absent' });
    await expect(stage.store.hold(wanted)).rejects.toMatchObject({ refusal: { code: 'busy' } });
    await eventually('half of the file was received', async () => {
      const state = stage.store.state(wanted);
      return state.kind === 'downloading' && state.receivedBytes === 150_000 && state.totalBytes === FILE.length;
    });
    await expect(stage.store.hold(wanted)).rejects.toThrow(/50 % of 1 MiB/);
    expect(stage.files()).toEqual(['rhcos-a.iso.partial', 'rhcos-a.iso.partial.version']);
    stage.server.release();
    await stage.settled(wanted);
    expect((await stage.contentOf(wanted)).equals(FILE)).toBe(true);
    expect(stage.files()).toEqual(['rhcos-a.iso', 'rhcos-a.iso.origin']);
    expect(stage.server.ranges).toHaveLength(1);
    expect([stage.server.headers[0]?.['x-token'], stage.server.urls[0]]).toEqual(['canary', '/base.iso?key=k']);
  });

  it('resumes an interrupted download, also after a restart, if the file is unchanged', async () => {
    const wanted = image('a', stage.server.url);
    await stage.store.start([wanted]);
    stage.server.serve(FILE, { holdAfterBytes: 100_000 });
    stage.store.fetch(wanted);
    await eventually('a part is on disk', async () => stage.sizeOnDisk('rhcos-a.iso.partial') > 0);
    stage.server.cut();
    await stage.settled(wanted);
    const reason: unknown = expect.stringMatching(/^http:.*base\.iso ended after [1-9]\d* of 300000 bytes$/);
    expect(stage.store.state(wanted)).toMatchObject({ kind: 'failed', reason });
    await stage.store.close();
    stage.open();
    await stage.store.start([wanted]);
    stage.server.serve(FILE);
    stage.store.fetch(wanted);
    await stage.settled(wanted);
    expect((await stage.contentOf(wanted)).equals(FILE)).toBe(true);
    expect(stage.server.ranges[1]).toMatch(/^bytes=[1-9]\d*-$/);
  });

  it.each([
    ['answers 416 without the size', ''],
    ['answers 416 with another size', 'bytes */7'],
    ['sends another range', `bytes 0-9/${FILE.length}`],
  ])('restarts the download when the server %s for the rest of the partial file', async (_, contentRange) => {
    const wanted = image('a', stage.server.url);
    // The process ended after the last byte and before the file was renamed.
    writeFileSync(join(stage.directory.path, 'rhcos-a.iso.partial'), FILE);
    writeFileSync(join(stage.directory.path, 'rhcos-a.iso.partial.version'), '"1"');
    stage.server.serve(FILE, { contentRange });
    await stage.store.start([wanted]);
    stage.store.fetch(wanted);
    await stage.settled(wanted);
    expect(stage.store.state(wanted).kind).toBe('ready');
    expect((await stage.contentOf(wanted)).equals(FILE)).toBe(true);
    expect(stage.server.ranges).toEqual([`bytes=${FILE.length}-`, '']);
  });

  it.each([false, true])(
    'restarts the download when the file was replaced, If-Range ignored: %s',
    async (ignoresIfRange) => {
      const wanted = image('a', stage.server.url);
      stage.server.serve(FILE, { cutAfterBytes: 100_000 });
      await stage.store.start([wanted]);
      stage.store.fetch(wanted);
      await stage.settled(wanted);
      stage.clock.advance(60_000);
      const other = Buffer.alloc(FILE.length, 'o');
      stage.server.serve(other, { etag: '"2"', ignoresIfRange });
      stage.store.fetch(wanted);
      await stage.settled(wanted);
      expect((await stage.contentOf(wanted)).equals(other)).toBe(true);
    },
  );

  it('does not join the parts of two files when the process is killed before the first byte of the new one', async () => {
    const target = join(stage.directory.path, 'rhcos-a.iso');
    writeFileSync(`${target}.partial`, Buffer.alloc(100_000, 'o'));
    writeFileSync(`${target}.partial.version`, '"1"');
    stage.server.serve(FILE, { etag: '"2"' });
    const nothing = async (): Promise<void> => undefined;
    const { signal } = new AbortController();
    const options = { url: stage.server.url, target, sha256: '', signal, admit: nothing, verify: nothing };
    const kill = (): never => {
      throw new Error('killed');
    };
    await expect(downloadFile(stage.client, { ...options, progress: kill })).rejects.toThrow('killed');
    await downloadFile(stage.client, { ...options, progress: () => undefined });
    expect(readFileSync(target).equals(FILE)).toBe(true);
  });

  it('downloads requested images before the others that wait, in the order of their first requests', async () => {
    const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((name) => image(name, `${stage.server.url}/${name}`));
    if (!a || !b || !c || !d || !e) throw new Error('five images were made');
    // Otherwise the last images evict the first ones, which may never be seen as ready then.
    stage.open({ bytesMax: 5 * FILE.length });
    stage.server.serve(FILE, { holdAfterBytes: 100_000 });
    await stage.store.start([a, b, c, d, e]);
    for (const wanted of [a, b, c, d, e]) stage.store.fetch(wanted);
    await eventually('two downloads run', async () => stage.server.urls.length === 2);
    for (const wanted of [e, d, e]) await expect(stage.store.hold(wanted)).rejects.toThrow(/being downloaded/);
    stage.server.serve(FILE);
    stage.server.release();
    for (const wanted of [a, b, c, d, e]) await stage.settled(wanted);
    const names = stage.server.urls.map((url) => url.slice(-7, -6));
    expect([names.slice(0, 2).sort(), names.slice(2)]).toEqual([
      ['a', 'b'],
      ['e', 'd', 'c'],
    ]);
  });

  it('names the server of an empty file', async () => {
    const wanted = image('a', stage.server.url);
    stage.server.serve(Buffer.alloc(0));
    await stage.store.start([wanted]);
    stage.store.fetch(wanted);
    await stage.settled(wanted);
    expect(stage.store.state(wanted)).toMatchObject({ reason: `${stage.server.url} sent an empty file` });
    expect(stage.files()).toEqual([]);
  });

  it('does not repeat a failed download immediately', async () => {
    const wanted = image('a', stage.server.url);
    stage.server.serve(FILE, { status: 404 });
    await stage.store.start([wanted]);
    stage.store.fetch(wanted);
    await stage.settled(wanted);
    await expect(stage.store.hold(wanted)).rejects.toThrow(/answered 404/);
    expect(stage.server.ranges).toHaveLength(1);
    stage.clock.advance(60_000);
    stage.server.serve(FILE);
    await expect(stage.store.hold(wanted)).rejects.toMatchObject({ refusal: { code: 'busy' } });
    await stage.settled(wanted);
    expect(stage.store.state(wanted).kind).toBe('ready');
  });

  it('repeats a failed download after the clock was set back', async () => {
    const wanted = image('a', stage.server.url);
    stage.server.serve(FILE, { status: 404 });
    await stage.store.start([wanted]);
    stage.store.fetch(wanted);
    await stage.settled(wanted);
    stage.clock.set(stage.clock.nowMs() - 3_600_000);
    stage.clock.advance(30_000);
    stage.server.serve(FILE);
    stage.store.fetch(wanted);
    await stage.settled(wanted);
    expect(stage.store.state(wanted).kind).toBe('ready');
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
    stage.open({ verify });
    const wanted = image('a', stage.server.url, sha256);
    stage.server.serve(FILE);
    await stage.store.start([wanted]);
    stage.store.fetch(wanted);
    await stage.settled(wanted);
    expect(stage.store.state(wanted)).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(reason) as string,
    });
    expect(stage.files()).toEqual([]);
  });

  it('accepts the digest of OS_IMAGES', async () => {
    const wanted = image('a', stage.server.url, createHash('sha256').update(FILE).digest('hex').toUpperCase());
    stage.server.serve(FILE);
    await stage.store.start([wanted]);
    stage.store.fetch(wanted);
    await stage.settled(wanted);
    expect(stage.store.state(wanted)).toEqual({ kind: 'ready', bytes: FILE.length });
  });

  it('keeps the date of the stage.server, which uses and new downloads do not change', async () => {
    const wanted = image('a', stage.server.url);
    const path = join(stage.directory.path, wanted.fileName);
    stage.server.serve(FILE, { modified: 'Fri, 02 Jan 2026 03:04:05 GMT' });
    await stage.store.start([wanted]);
    for (const _ of ['first', 'second']) {
      stage.store.fetch(wanted);
      await stage.settled(wanted);
      stage.clock.advance(60_000);
      await stage.contentOf(wanted);
      expect(statSync(path).mtime.toUTCString()).toBe('Fri, 02 Jan 2026 03:04:05 GMT');
      expect(existsSync(`${path}.partial`)).toBe(false);
      rmSync(path);
      stage.store.forget(wanted);
    }
  });

  it('evicts the least recently used images, never an image with an active download', async () => {
    stage.open({ bytesMax: 700_000 });
    const [a, b, c] = ['a', 'b', 'c'].map((name) => image(name, stage.server.url));
    if (!a || !b || !c) throw new Error('three images were made');
    stage.server.serve(FILE);
    await stage.store.start([a, b, c]);
    for (const wanted of [a, b]) {
      stage.store.fetch(wanted);
      await stage.settled(wanted);
    }
    const heldA = await stage.store.hold(a);
    stage.clock.advance(60_000);
    (await stage.store.hold(b)).release();
    stage.store.fetch(c);
    await stage.settled(c);
    expect(stage.store.state(c).kind).toBe('ready');
    expect([stage.store.state(a).kind, stage.store.state(b).kind]).toEqual(['ready', 'absent']);
    expect(stage.evicted).toEqual([join(stage.directory.path, 'rhcos-b.iso')]);

    const heldC = await stage.store.hold(c);
    stage.store.fetch(b);
    await stage.settled(b);
    expect(stage.store.state(b)).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/OS_IMAGES_STORE_BYTES_MAX=700000 are in use/) as string,
    });
    heldA.release();
    heldC.release();
  });

  it('refuses an image that is larger than the limit for all images', async () => {
    stage.open({ bytesMax: 1_000 });
    const wanted = image('a', stage.server.url);
    stage.server.serve(FILE);
    await stage.store.start([wanted]);
    stage.store.fetch(wanted);
    await stage.settled(wanted);
    expect(stage.store.state(wanted)).toMatchObject({
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
      writeFileSync(join(stage.directory.path, name), 'x');
    const wanted = image('a', stage.server.url);
    await stage.store.start([wanted], ['rhcos-mine.iso']);
    expect(stage.files()).toEqual(['notes.txt', 'rhcos-a.iso', 'rhcos-a.iso.origin', 'rhcos-mine.iso']);
    expect(stage.store.state(wanted)).toEqual({ kind: 'ready', bytes: 1 });
    expect(existsSync((await stage.store.hold(wanted)).path)).toBe(true);
  });

  it('follows redirects up to a limit, without its own headers to other servers', async () => {
    const other = await startFileServer();
    other.serve(FILE);
    stage.server.serve(FILE, { status: 302, location: other.url });
    const [good, endless] = [image('a', stage.server.url), image('b', stage.server.url)];
    await stage.store.start([good, endless]);
    stage.store.fetch(good);
    await stage.settled(good);
    expect(stage.store.state(good).kind).toBe('ready');
    expect(other.headers[0]?.['x-token']).toBeUndefined();
    stage.server.serve(FILE, { status: 302, location: stage.server.url });
    stage.store.fetch(endless);
    await stage.settled(endless);
    expect(stage.store.state(endless)).toMatchObject({ reason: expect.stringMatching(/more than 5 times/) as string });
    await other.close();
  });
});
