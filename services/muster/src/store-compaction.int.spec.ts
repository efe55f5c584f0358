import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inMemoryObjectStore } from '@muster/adapter-in-memory';
import { sqliteEventStore, verifySqliteStore } from '@muster/adapter-sqlite';
import { COMPACTED_EVENT, type RecordedEvent } from '@muster/ports';
import {
  collectPages,
  hostEntered,
  hostKey,
  hostRegistered,
  inventoryReported,
  reportEvent,
  runProgram,
  temporaryDirectory,
} from '@muster/testing';
import fc from 'fast-check';
import { compactStore, workText } from './store-compaction';
import { runStoreCommand } from './store-command';
import { lockDataDirectory } from './data-directory';
import { StartError } from './start-error';
import {
  histories,
  INSTALLED,
  insufficientBecauseOf,
  ntpSources,
  outcomesChanged,
  REGISTERED,
  replayed,
  storeEvents,
} from './store-compaction.fixture.spec';

const KEY = hostKey(1);
const AFTER_ALL_MS = Date.parse('2025-01-01T00:00:00.000Z');
const silent = (): void => undefined;

describe('compaction of an event store', () => {
  const directory = temporaryDirectory();
  let directories = 0;
  let dataDirectory: string;
  beforeEach(() => (dataDirectory = newDirectory()));
  afterAll(() => directory.remove());

  const newDirectory = (): string => {
    const path = join(directory.path, `data-${(directories += 1)}`);
    mkdirSync(path);
    return path;
  };
  const file = (): string => join(dataDirectory, 'events.sqlite');
  const compact = (beforeMs = AFTER_ALL_MS, objectStore = inMemoryObjectStore()) =>
    compactStore({ dataDirectory, objectStore, beforeMs, print: silent });
  const stored = async (): Promise<readonly RecordedEvent[]> => {
    const store = sqliteEventStore({ file: file() });
    const events = await collectPages(store.readAll(-1));
    await store.close();
    return events;
  };
  const ntp = (sourceName: string) => reportEvent(KEY, 'NtpSourcesReported', { sources: ntpSources(sourceName) });

  it('keeps everything that a replay gives, in a valid store, for random histories', async () => {
    let removed = 0;
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        dataDirectory = newDirectory();
        await storeEvents(dataDirectory, history);
        const before = await replayed(dataDirectory);
        const places = (await stored()).map(({ id, streamId, revision, position }) => [
          id,
          streamId,
          revision,
          position,
        ]);
        removed += (await compact()).removed;
        expect(await replayed(dataDirectory)).toEqual(before);
        expect(
          (await stored()).map(({ id, streamId, revision, position }) => [id, streamId, revision, position]),
        ).toEqual(places);
        expect(await verifySqliteStore(file(), silent)).toEqual([]);
        // A second run finds nothing more to remove.
        expect(await compact()).toMatchObject({ removed: 0, reduced: 0 });
      }),
      { numRuns: 30 },
    );
    expect(removed).toBeGreaterThan(0);
  }, 120_000);

  it('keeps the outcomes whose messages are in the text of a status', async () => {
    const rules = ['ntp-synced', 'connected'];
    const waitsFor = (reason: string) =>
      outcomesChanged(KEY, { generation: 1, changed: rules.map((id) => ({ id, status: 'pending', reason })) });
    await storeEvents(dataDirectory, [
      ...REGISTERED,
      outcomesChanged(KEY, { generation: 1, reset: true, changed: [{ id: 'has-inventory', status: 'success' }] }),
      waitsFor('awaits-inventory'),
      waitsFor('awaits-role'),
      insufficientBecauseOf(KEY, rules),
      waitsFor('awaits-apiVips'),
      waitsFor('awaits-groups'),
      ...INSTALLED,
    ]);
    const before = await replayed(dataDirectory);
    expect(await compact()).toMatchObject({ removed: 1, reduced: 0 });
    expect(await replayed(dataDirectory)).toEqual(before);
  });

  it('replaces a removed event by its former type, its times and the digest of its text', async () => {
    await storeEvents(dataDirectory, [...REGISTERED, ntp('first'), ntp('second'), ...INSTALLED]);
    const [before] = (await stored()).filter(({ type }) => type === 'NtpSourcesReported');
    expect(await compact()).toMatchObject({ removed: 1, reduced: 0 });
    const [after] = (await stored()).filter(({ type }) => type === COMPACTED_EVENT);
    expect(after).toEqual({
      ...before,
      type: COMPACTED_EVENT,
      data: { type: 'NtpSourcesReported' },
      metadata: {
        commandId: '',
        correlationId: '',
        actor: '',
        occurredAt: before?.metadata.occurredAt,
        originalDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      },
    });
  });

  it('changes nothing for an open cluster, or before the time', async () => {
    const history = [...REGISTERED, ntp('first'), ntp('second')];
    await storeEvents(dataDirectory, history);
    expect(await compact()).toMatchObject({ removed: 0, reduced: 0 });
    dataDirectory = newDirectory();
    await storeEvents(dataDirectory, [...history, ...INSTALLED]);
    expect(await compact(Date.parse('2023-01-01T00:00:00.000Z'))).toMatchObject({ removed: 0, reduced: 0 });
  });

  it('removes the documents of removed reports, except those that another event refers to', async () => {
    const objectStore = inMemoryObjectStore();
    const put = (text: string) => objectStore.put(Buffer.from(text), 100);
    const [unused, shared, last] = [await put('unused'), await put('shared'), await put('last')];
    const report = (body: object) =>
      reportEvent(KEY, 'FreeAddressesReported', {
        networks: [
          { network: '192.168.128.0/24', ranges: ['192.168.128.20-192.168.128.250', '192.168.128.3', '192.168.128.7'] },
        ],
        body,
      });
    const other = inventoryReported(hostKey(2));
    await storeEvents(dataDirectory, [
      ...REGISTERED,
      report(unused),
      report(shared),
      report(last),
      reportEvent(hostKey(2), 'InventoryReported', { ...other.event.data, body: shared }),
      ...INSTALLED,
    ]);
    expect(await compact(AFTER_ALL_MS, objectStore)).toMatchObject({ removed: 2, bodies: 1 });
    expect(await objectStore.get(unused.digest)).toBeUndefined();
    expect((await objectStore.get(shared.digest))?.toString()).toBe('shared');
    expect((await objectStore.get(last.digest))?.toString()).toBe('last');
  });

  it.each([
    ['inside the first transaction', 1, 'inside', 0],
    ['after the first transaction', 1, 'after', 3],
    ['inside the third transaction', 3, 'inside', 6],
    ['while it removes documents', 0, '', 12],
  ])(
    'can be killed %s and run again',
    async (_when, stream, moment, removed) => {
      const keys = [11, 12, 13, 14].map(hostKey);
      const reports = keys.flatMap((key, index) =>
        ['a', 'b', 'c', 'd'].map((name, number) =>
          reportEvent(key, 'FreeAddressesReported', {
            networks: [{ network: '192.168.128.0/24', ranges: Array.from({ length: 20 }, () => '192.168.128.20') }],
            body: { digest: `sha256:${`${index}${number}`.padEnd(64, '0')}`, bytes: name.length },
          }),
        ),
      );
      const registered = keys.flatMap((key) => [hostRegistered(key), hostEntered(key, 'known')]);
      await storeEvents(dataDirectory, [...REGISTERED, ...registered, ...reports, ...INSTALLED]);
      const before = await replayed(dataDirectory);
      const program = runProgram(join(__dirname, 'store-compaction.program.ts'), [
        dataDirectory,
        String(stream),
        moment,
      ]);
      await program.ended();
      const compacted = async () => (await stored()).filter(({ type }) => type === COMPACTED_EVENT);
      expect(await compacted()).toHaveLength(removed);
      expect(await verifySqliteStore(file(), silent)).toEqual([]);
      expect(await replayed(dataDirectory)).toEqual(before);
      // The documents of the killed run are removed too.
      expect((await compact()).bodies).toBe(12);
      expect(await compacted()).toHaveLength(12);
      expect(await replayed(dataDirectory)).toEqual(before);
    },
    120_000,
  );
});

describe('store compact', () => {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());

  it('needs a retention, and the data directory for itself', async () => {
    await storeEvents(directory.path, [...REGISTERED, ...INSTALLED]);
    const environment = { MUSTER_DATA_DIRECTORY: directory.path };
    const run = (settings: object = {}): Promise<string[]> => {
      const lines: string[] = [];
      return runStoreCommand(['compact'], { ...environment, ...settings }, (line) => lines.push(line)).then(
        () => lines,
      );
    };
    await expect(run()).rejects.toThrow('MUSTER_REPORT_RETENTION is not set');
    const lock = lockDataDirectory(directory.path, 'muster', 'exclusive');
    await expect(run({ MUSTER_REPORT_RETENTION: '1h' })).rejects.toThrow('is in use by process');
    lock.release();
    const lines = await run({ MUSTER_REPORT_RETENTION: '1h' });
    expect(lines.join('\n')).toMatch(
      /^1 of 1 clusters read\n1 clusters were finished before .*\n1 of 1 finished clusters, 0 events removed, 0 reduced\n2 of 2 hosts, 0 events removed, 0 reduced\n0 events removed and 0 reduced, from 0 to 0 bytes; 0 documents removed\nevents.sqlite is written again: up to about 1 MiB\nevents.sqlite: \d+ bytes before, \d+ bytes after/,
    );
  });

  it.each([
    ['http://key:secret@127.0.0.1:1/documents', /^The server of MINIO_URL was not reachable for 0 s: .*ECONNREFUSED/],
    [
      'http://key:secret@127.0.0.1:1/x',
      /^The address in MINIO_URL cannot be used: Invalid bucket name: x\. Correct MINIO_URL\.$/,
    ],
    ['127.0.0.1', /^The address in MINIO_URL cannot be used: .* is not of the form .*\. Correct MINIO_URL\.$/],
  ])('names the setting of a server of documents that it cannot use: %s', async (url, expected) => {
    const path = join(directory.path, 'documents');
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'events.sqlite'), '');
    const environment = { MUSTER_DATA_DIRECTORY: path, MUSTER_REPORT_RETENTION: '1h', MUSTER_START_WAIT: '0s' };
    const outcome = runStoreCommand(['compact'], { ...environment, MINIO_URL: url }, () => undefined);
    await expect(outcome).rejects.toThrow(expected);
    await expect(outcome).rejects.toBeInstanceOf(StartError);
  });

  it('shows the work of a long statement', () => {
    const bytes = { read: 7 * 2 ** 20, written: 2.5 * 2 ** 20 };
    expect(workText({ ms: 15_400, bytes })).toBe('15 s, 7 MiB read, 3 MiB written');
    expect(workText({ ms: 15_400, bytes: undefined })).toBe('15 s');
  });
});
