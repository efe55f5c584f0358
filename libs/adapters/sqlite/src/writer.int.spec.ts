import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NO_STREAM, type StreamId, Unavailable } from '@muster/ports';
import {
  collectPages,
  eventToAppend,
  eventually,
  runProgram,
  temporaryDirectory,
  threadFromSource,
} from '@muster/testing';
import { sqliteEventStore } from './event-store';
import { sqliteSmallObjects } from './small-objects';
import { writerThread, type WriterThreadOptions } from './writer';

const freshStream = (): StreamId => `sample-${randomUUID()}`;
const ENTRY = join(__dirname, 'writer.entry.ts');

describe('writer thread', () => {
  const directory = temporaryDirectory();
  const file = (name: string): string => join(directory.path, name);
  afterAll(() => directory.remove());

  const threadOf = (options: WriterThreadOptions = {}) => writerThread({ ...threadFromSource(ENTRY), ...options });

  it('stores everything that was requested before the close', async () => {
    const writer = threadOf();
    const store = sqliteEventStore({ file: file('drain.db'), writer });
    const appends = Array.from({ length: 600 }, (_, n) =>
      store.append(freshStream(), NO_STREAM, [eventToAppend({ n })]),
    );
    await store.close();
    await writer.close();
    expect((await Promise.all(appends)).map(({ kind }) => kind)).toEqual(appends.map(() => 'appended'));
    const again = sqliteEventStore({ file: file('drain.db') });
    expect((await collectPages(again.readAll(-1))).map(({ data }) => data.n)).toEqual(appends.map((_, n) => n));
    await again.close();
  });

  it('keeps the order of a stream, and shows an append to a read that follows it', async () => {
    const writer = threadOf();
    const store = sqliteEventStore({ file: file('order.db'), writer });
    const stream = freshStream();
    for (let n = 0; n < 50; n += 1) {
      const all = [0, 1, 2].map((more) => store.append(stream, n * 3 + more - 1, [eventToAppend({ n: n * 3 + more })]));
      expect((await Promise.all(all)).map(({ kind }) => kind)).toEqual(['appended', 'appended', 'appended']);
      expect((await collectPages(store.readStream(stream))).map(({ data }) => data.n)).toHaveLength(n * 3 + 3);
      expect((await collectPages(store.readAll(-1))).at(-1)?.data.n).toBe(n * 3 + 2);
    }
    await store.close();
    await writer.close();
  });

  it('delivers the events of appends in progress from memory, also while further appends follow', async () => {
    const writer = threadOf();
    const store = sqliteEventStore({ file: file('memory.db'), writer });
    const events = Array.from({ length: 400 }, (_, n) => eventToAppend({ n }));
    const seen: unknown[] = [];
    const errors: Error[] = [];
    const subscription = store.subscribe(
      -1,
      async (page) => void seen.push(...page.map(({ data }) => data)),
      (error) => errors.push(error),
    );
    const write = async (first: number): Promise<void> => {
      for (let n = first; n < events.length; n += 8)
        await store.append(freshStream(), NO_STREAM, events.slice(n, n + 1));
    };
    await Promise.all(Array.from({ length: 8 }, (_, first) => write(first)));
    const stored = (await collectPages(store.readAll(-1))).map(({ data }) => data);
    await eventually('every event is delivered', () => seen.length === events.length);
    await subscription.close();
    // The same objects: a parsed event would have another `data`.
    expect(new Set(stored)).toEqual(new Set(events.map(({ data }) => data)));
    expect(stored.every((data) => events.some((event) => event.data === data))).toBe(true);
    expect(seen).toEqual(stored);
    expect(errors).toEqual([]);
    await store.close();
    await writer.close();
  });

  it('refuses an append with the reason of SQLite, and continues with the next one', async () => {
    const writer = threadOf();
    const store = sqliteEventStore({ file: file('full.db'), maxBytes: 100_000, writer });
    const big = eventToAppend({ text: 'x'.repeat(200_000) });
    await expect(store.append(freshStream(), NO_STREAM, [big])).rejects.toMatchObject({
      name: 'DatabaseUnusable',
      code: 'SQLITE_FULL',
      message: expect.stringContaining(`Database ${file('full.db')}: the disk`) as string,
    });
    expect(await store.append(freshStream(), NO_STREAM, [eventToAppend()])).toMatchObject({ kind: 'appended' });
    await store.close();
    await writer.close();
  });

  it('opens a database again that could not be opened at first, such as on a disk that was full', async () => {
    const writer = threadOf();
    const folder = file('later');
    const writes = writer.open('objects', { file: join(folder, 'objects.db') });
    const put = () => writes.run('put', [`sha256:${randomUUID()}`, 0, new Uint8Array(1)]);
    await expect(put()).rejects.toMatchObject({ name: 'DatabaseUnusable', file: join(folder, 'objects.db') });
    mkdirSync(folder);
    await expect(put()).resolves.toBeUndefined();
    await writes.close();
    await writer.close();
  });

  it('keeps the body of the caller, also when it is a part of a larger buffer', async () => {
    const writer = threadOf();
    const never = (): never => {
      throw new Error('A small body is not stored here.');
    };
    const others = { put: never, get: async () => undefined, open: never, remove: never, list: never };
    const objects = sqliteSmallObjects({ file: file('objects.db'), others, writer });
    const body = Buffer.alloc(100_000, 'ab').subarray(10, 20);
    const { digest } = await objects.put(body, 100);
    expect(body.toString()).toBe('ababababab');
    expect((await objects.get(digest))?.toString()).toBe('ababababab');
    await objects.close();
    await writer.close();
  });

  it('fails waiting and later writes with an unknown outcome when the thread ends, and reports it once', async () => {
    const entry = file('ends.js');
    writeFileSync(entry, `require('node:worker_threads').parentPort.on('message', () => process.exit(7));`);
    const errors: Error[] = [];
    const writer = writerThread({ entry, execArgv: [], onEnded: (error) => errors.push(error) });
    const store = sqliteEventStore({ file: file('ended.db'), writer });
    const append = () => store.append(freshStream(), NO_STREAM, [eventToAppend()]);
    for (const failed of await Promise.allSettled([append(), append()]))
      expect(failed).toMatchObject({
        status: 'rejected',
        reason: {
          isOutcomeUnknown: true,
          message: 'The thread that writes to the SQLite files is not available: it ended with code 7',
        },
      });
    await expect(append()).rejects.toBeInstanceOf(Unavailable);
    expect(errors).toHaveLength(1);
  });

  it('does not change the exit code of a process that ends while databases are opened', async () => {
    const program = file('exits.js');
    writeFileSync(
      program,
      `const { writerThread } = require(${JSON.stringify(join(__dirname, 'writer.ts'))});
       const writer = writerThread({ entry: ${JSON.stringify(ENTRY)} });
       const open = (name) => writer.open('objects', { file: process.argv[3] + name });
       void open('first').checkpoint().then(() => {
         for (let n = 0; n < 8; n += 1) open(n);
         setTimeout(() => process.exit(3), Number(process.argv[2]));
       });`,
    );
    const codes: (number | null)[] = [];
    for (let n = 0; n < 12; n += 1) {
      const folder = file(`exits-${n}`);
      mkdirSync(folder);
      codes.push((await runProgram(program, [String(n * 10), `${folder}/`]).ended()).code);
    }
    expect(codes).toEqual(Array(12).fill(3));
  }, 120_000);

  it('has a smaller part of the memory for new objects than the thread of the caller', async () => {
    const entry = file('limits.js');
    writeFileSync(
      entry,
      `const { parentPort, resourceLimits } = require('node:worker_threads');
       parentPort.on('message', () => process.exit(resourceLimits.maxYoungGenerationSizeMb));`,
    );
    const writer = writerThread({ entry, execArgv: [], onEnded: () => undefined });
    const store = sqliteEventStore({ file: file('limits.db'), writer });
    const append = store.append(freshStream(), NO_STREAM, [eventToAppend()]);
    await expect(append).rejects.toThrow(/it ended with code 8$/);
  });
});
