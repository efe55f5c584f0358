import { createHash, randomBytes } from 'node:crypto';
import { getEventListeners } from 'node:events';
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { ImageRegistryError, type DownloadProgress, type ExtractedFile, type HttpResponse } from '@muster/ports';
import { eventually, type TemporaryDirectory, temporaryDirectory } from '@muster/testing';
import { type BlobCache, blobCache } from './blob-cache';
import { type MemoryRegistry, memoryRegistry } from './memory-registry.fixture.spec';
import { ociImageRegistry } from './oci-image-registry';
import { parsePullSecret } from './registry-client';

/** A request for a layer, which the test answers. */
interface Asked {
  readonly host: string;
  answer(): void;
  fail(): void;
}

describe('reads at the same time', () => {
  let directory: TemporaryDirectory;
  let images: MemoryRegistry;
  let cache: BlobCache;
  /** Keys of the tasks that were requested. */
  let turns: string[];
  let layers: Asked[];
  beforeEach(() => {
    directory = temporaryDirectory();
    images = memoryRegistry();
    const shared = blobCache(directory.path, 1e9);
    cache = {
      ...shared,
      inTurn: (key, reading, task) => {
        turns.push(key);
        return shared.inTurn(key, reading, task);
      },
    };
    turns = [];
    layers = [];
  });
  afterEach(() => {
    jest.restoreAllMocks();
    directory.remove();
  });

  /** Reads the file `a` of an image, as one installation does. */
  function read(host: string, digest: string, signal = new AbortController().signal) {
    const progress: DownloadProgress[] = [];
    const file = ociImageRegistry({
      send: (request) =>
        request.url.includes('/manifests/')
          ? Promise.resolve(images.answer(request))
          : new Promise<HttpResponse>((resolve) => {
              const answer = (): void => resolve(images.answer(request));
              layers.push({ host, answer, fail: () => resolve({ ...images.answer(request), status: 403 }) });
            }),
      pullSecret: parsePullSecret(''),
      sleep: async () => undefined,
      random: () => 0,
      nowMs: () => 0,
      mirrors: [],
      cache,
      onProgress: (each) => progress.push(each),
    }).then((registry) => registry.extractFile(`${host}/image@${digest}`, 'amd64', 'a', signal));
    return { file, progress };
  }
  const textOf = async (file: Promise<ExtractedFile>): Promise<string> => readFileSync((await file).path, 'utf8');
  /** Returns the next request for a layer. */
  const asked = async (): Promise<Asked> => {
    for (;;) {
      const next = layers.shift();
      if (next) return next;
      await setImmediate();
    }
  };
  const turnsOf = (key: string): number => turns.filter((each) => each.startsWith(key)).length;

  it('download an image once, and all of them receive the progress', async () => {
    const digest = images.add({ a: 'text' });
    const reads = ['one.lan', 'two.lan', 'three.lan'].map((host) => read(host, digest));
    const layer = await asked();
    await eventually('all wait', () => turnsOf(`file ${digest}`) === 3);
    layer.answer();
    // Any of them may be the last one, which must not read on in the next test.
    expect(await Promise.all(reads.map(({ file }) => textOf(file)))).toEqual(['text', 'text', 'text']);
    const [first, ...others] = reads.map(({ progress }) => progress);
    expect(first?.length).toBeGreaterThan(0);
    for (const progress of others) expect(progress).toEqual(first);
    expect(layers).toEqual([]);
  });

  it('take turns for the downloads from one registry', async () => {
    const [one, two] = [read('one.lan', images.add({ a: 'one' })), read('one.lan', images.add({ a: 'two' }))];
    const layer = await asked();
    await eventually('both wait', () => turnsOf('registry one.lan') === 2);
    for (let left = 100; left > 0; left -= 1) await setImmediate();
    expect(layers).toEqual([]);
    layer.answer();
    (await asked()).answer();
    expect(await textOf(one.file)).toBe('one');
    expect(await textOf(two.file)).toBe('two');
    const imagesIn = ({ progress }: typeof one): readonly string[] => [...new Set(progress.map(({ image }) => image))];
    expect([one, two].map((each) => imagesIn(each).length).sort()).toEqual([1, 2]);
  });

  it('leave no listener on the signal of a preparation, which reads many images', async () => {
    const { signal } = new AbortController();
    const digest = images.add({ a: 'text' });
    const reads = [read('one.lan', digest, signal), read('two.lan', digest, signal)];
    const layer = await asked();
    await eventually('both wait', () => turnsOf(`file ${digest}`) === 2);
    expect(getEventListeners(signal, 'abort')).not.toEqual([]);
    layer.answer();
    for (const { file } of reads) expect(await textOf(file)).toBe('text');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('do not wait for another registry', async () => {
    const slow = read('slow.lan', images.add({ a: 'slow' }));
    const unanswered = await asked();
    const other = read('other.lan', images.add({ a: 'other' }));
    (await asked()).answer();
    expect(await textOf(other.file)).toBe('other');
    expect(slow.progress).toEqual([]);
    unanswered.answer();
    expect(await textOf(slow.file)).toBe('slow');
  });

  it('download the image themselves when the read for which they waited fails', async () => {
    const digest = images.add({ a: 'text' });
    const closed = read('closed.lan', digest);
    const failure = expect(closed.file).rejects.toThrow(ImageRegistryError);
    const layer = await asked();
    const open = read('open.lan', digest);
    await eventually('the other waits', () => turnsOf(`file ${digest}`) === 2);
    layer.fail();
    await failure;
    const second = await asked();
    expect(second.host).toBe('open.lan');
    second.answer();
    expect(await textOf(open.file)).toBe('text');
  });

  it('keep a file that is used until its user has ended, also when the cache is full', async () => {
    const fileBytes = 2_000;
    const small = blobCache(directory.path, fileBytes);
    const paths: string[] = [];
    const extract = async (of: BlobCache): Promise<void> => {
      cache = of;
      const { file } = read('one.lan', images.add({ a: randomBytes(fileBytes / 2).toString('hex') }));
      (await asked()).answer();
      paths.push((await file).path);
    };
    const exist = (): readonly boolean[] => paths.map((path) => existsSync(path));
    const user = small.holding();
    await extract(user.cache);
    for (let others = 0; others < 3; others += 1) await extract(small);
    expect(exist()).toEqual([true, false, false, true]);
    user.release();
    await extract(small);
    expect(exist()).toEqual([false, false, false, false, true]);
  });

  it('keep the file that they return when the clock was set back and older files have a later time', async () => {
    cache = blobCache(directory.path, 2_000);
    const text = randomBytes(1_000).toString('hex');
    const older = read('one.lan', images.add({ a: randomBytes(1_000).toString('hex') }));
    (await asked()).answer();
    const later = new Date(Date.now() + 3_600_000);
    utimesSync((await older.file).path, later, later);
    const newer = read('one.lan', images.add({ a: text }));
    (await asked()).answer();
    expect(await textOf(newer.file)).toBe(text);
  });

  it('keep a layer from its download until its file is extracted, also when the cache is full', async () => {
    const small = blobCache(directory.path, 2_000);
    writeFileSync(await small.scratch('other'), randomBytes(2_000));
    await small.commit('other');
    cache = {
      ...small,
      inTurn: async (key, reading, task) => {
        const result = await small.inTurn(key, reading, task);
        if (key.startsWith('layer')) {
          utimesSync(String(result), 0, 0);
          await small.evict();
        }
        return result;
      },
    };
    const { file } = read('one.lan', images.add({ a: 'text' }));
    (await asked()).answer();
    expect(await textOf(file)).toBe('text');
  });

  it('find no file that is being removed', async () => {
    const small = blobCache(directory.path, 1_000);
    for (const name of ['older', 'newer']) {
      writeFileSync(await small.scratch(name), randomBytes(1_000));
      await small.commit(name);
      utimesSync((await small.find(name)) ?? '', 0, name === 'older' ? 0 : 1);
    }
    let goOn = (): void => undefined;
    const { rm } = files;
    const removal = new Promise<void>((started) => {
      jest.spyOn(files, 'rm').mockImplementationOnce(async (...call) => {
        started();
        await new Promise<void>((resolve) => (goOn = resolve));
        return rm(...call);
      });
    });
    const evicted = small.evict();
    await removal;
    const found = small.find('older');
    // More accesses to the disk than `find` has.
    for (let left = 20; left > 0; left -= 1) await files.stat(directory.path);
    goOn();
    await evicted;
    expect(await found).toBeUndefined();
  });

  it('keep a slow download while a file of another one fills the cache', async () => {
    const small = blobCache(directory.path, 2_000);
    const [beginning, rest] = [randomBytes(1_000), randomBytes(500)];
    const content = Buffer.concat([beginning, rest]);
    const sha256 = createHash('sha256').update(content).digest('hex');
    let receive = (): void => undefined;
    const received = new Promise<void>((resolve) => (receive = resolve));
    let resume = (): void => undefined;
    const resumed = new Promise<void>((resolve) => (resume = resolve));
    const body = (async function* () {
      yield beginning;
      await resumed;
      yield rest;
    })();
    const slow = small.append(`sha256:${sha256}`, { sha256, bytes: content.length }, 0, body, receive);
    await received;
    for (const name of ['one', 'two']) {
      writeFileSync(await small.scratch(name), randomBytes(1_000));
      await small.commit(name);
    }
    await small.evict();
    resume();
    expect(readFileSync(await slow)).toEqual(content);
  });

  it('send nothing when they were ended while they waited', async () => {
    const digest = images.add({ a: 'text' });
    const ending = new AbortController();
    const first = expect(read('one.lan', digest).file).rejects.toThrow(ImageRegistryError);
    const layer = await asked();
    const second = expect(read('two.lan', digest, ending.signal).file).rejects.toThrow('not wanted');
    await eventually('the other waits', () => turnsOf(`file ${digest}`) === 2);
    ending.abort(new Error('not wanted'));
    await second;
    layer.fail();
    await first;
    expect(layers).toEqual([]);
  });
});
