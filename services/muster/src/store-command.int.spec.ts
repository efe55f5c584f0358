import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { sealedSecrets } from '@muster/adapter-filesystem';
import { inMemoryReadModels } from '@muster/adapter-in-memory';
import { lockFile, sqliteEventStore, sqliteSealedStorage, writerHere } from '@muster/adapter-sqlite';
import { SettingsReader } from '@muster/nest-kit';
import { NO_STREAM } from '@muster/ports';
import { eventToAppend, temporaryDirectory } from '@muster/testing';
import { checkIdentity, SEALED_FILE } from './data-directory';
import { openObjectStores } from './profile';
import { describeFailure } from './start-error';
import { INSTALLED, REGISTERED, storeEvents } from './store-compaction.fixture.spec';
import { runStoreCommand } from './store-command';

describe('store', () => {
  const directory = temporaryDirectory();
  const file = join(directory.path, 'events.sqlite');
  afterAll(() => directory.remove());
  beforeAll(() => storeEvents(directory.path, [...REGISTERED, ...INSTALLED]));

  const run = async (args: readonly string[], dataDirectory = directory.path): Promise<readonly string[]> => {
    const lines: string[] = [];
    await runStoreCommand(args, { MUSTER_DATA_DIRECTORY: dataDirectory }, (line) => lines.push(line));
    return lines;
  };
  const failureOf = async (args: readonly string[], dataDirectory?: string) =>
    describeFailure(await run(args, dataDirectory).catch((error: unknown) => error), new SettingsReader({}));

  const REFUSED = ['', 'unknown', 'backup', 'backup a b', 'backup --al b', 'backup --all', 'backup --all a b'];
  it.each([...REFUSED, 'stats more', 'verify --all b'])('shows its usage for "%s"', async (words) => {
    expect(await failureOf(words.split(' ').filter(Boolean), '/absent')).toMatchObject({
      reason: 'settings',
      lines: [expect.stringMatching(/^Usage: /)],
    });
  });

  it.each(['--help', '-h', 'help', 'verify --help', 'backup -h'])(
    'shows its usage for "%s" on request',
    async (words) => {
      expect(await run(words.split(' '), '/absent')).toEqual([expect.stringMatching(/^Usage: store stats/)]);
    },
  );

  it('names the setting when the events are on a server', async () => {
    const environment = { MUSTER_DATA_DIRECTORY: directory.path, EVENTSTORE_URL: 'esdb://127.0.0.1:2113' };
    const outcome = runStoreCommand(['backup', '--all', '/absent/copy'], environment, () => undefined);
    await expect(outcome).rejects.toThrow(/^EVENTSTORE_URL is set, so the events are on that server\./);
  });

  it('names a retention that is not a duration', async () => {
    const environment = { MUSTER_DATA_DIRECTORY: directory.path, MUSTER_REPORT_RETENTION: '30d' };
    const outcome = runStoreCommand(['compact'], environment, () => undefined);
    await expect(outcome).rejects.toThrow(/^Setting MUSTER_REPORT_RETENTION="30d" is not valid\./);
  });

  it('shows the progress of every command', async () => {
    const target = join(directory.path, 'copy.sqlite');
    expect(await run(['stats'])).toContain('7 events counted');
    expect(await run(['verify'])).toEqual(expect.arrayContaining(['7 events verified', `${file} is sound.`]));
    expect(await run(['backup', target])).toEqual(['7 events copied', `${file} was backed up to ${target}.`]);
  });

  it('explains a target that exists and a store that is damaged', async () => {
    expect(await failureOf(['backup', file])).toEqual({
      reason: 'dataDirectory',
      lines: [`Database ${file}: the file exists. Name a new file.`],
    });
    const beside = `${file}-head has a name that SQLite or Muster uses beside ${file}. Use another name.`;
    for (const args of [['backup'], ['backup', '--all']])
      expect(await failureOf([...args, `${file}-head`])).toEqual({ reason: 'dataDirectory', lines: [beside] });
    const damaged = join(directory.path, 'damaged');
    mkdirSync(damaged);
    writeFileSync(join(damaged, 'events.sqlite'), 'not a database, but long enough to be looked at as one '.repeat(20));
    expect(await failureOf(['stats'], damaged)).toMatchObject({ reason: 'dataDirectory' });
  });

  it('names the remedy for events that are damaged', async () => {
    const copy = join(directory.path, 'faulty', 'events.sqlite');
    mkdirSync(dirname(copy));
    await run(['backup', copy]);
    const bytes = readFileSync(copy);
    bytes.write('x', bytes.indexOf('"ClusterRegistered"'));
    writeFileSync(copy, bytes);
    expect(await failureOf(['verify'], dirname(copy))).toEqual({
      reason: 'dataDirectory',
      lines: [`${copy} is damaged. The lines above list the faults. Check the disk, and restore a backup.`],
    });
  });

  it('refuses a backup into a directory that is copied, and a command beside another one', async () => {
    const below = join(directory.path, 'logs', 'copy');
    mkdirSync(dirname(below), { recursive: true });
    expect(await failureOf(['backup', '--all', below])).toEqual({
      reason: 'dataDirectory',
      lines: [`${below} is in ${dirname(below)}, which is copied. Name another directory.`],
    });
    rmSync(dirname(below), { recursive: true });
    const lock = lockFile(join(directory.path, 'store-command.lock'), 'exclusive');
    for (const args of [['verify'], ['backup', below], ['backup', '--all', below]])
      expect(await failureOf(args)).toEqual({
        reason: 'dataDirectory',
        lines: [
          expect.stringMatching(/^Another store command works with the data directory .*\. Wait until it has ended/),
        ],
      });
    lock?.release();
  });

  it('refuses a backup that would replace the data directory, or that misses its secrets', async () => {
    const target = join(directory.path, 'restored');
    const path = `${target}.partial`;
    mkdirSync(path);
    await run(['backup', join(path, 'events.sqlite')]);
    const refusal = `The partial copy ${path} would replace the data directory ${path}. Name another directory.`;
    expect(await failureOf(['backup', '--all', target], path)).toEqual({ reason: 'dataDirectory', lines: [refusal] });
    expect(await run(['verify'], path)).toContain('7 events verified');
    symlinkSync('secrets', join(path, 'secrets'));
    expect(await failureOf(['backup', '--all', `${target}-2`], path)).toEqual({
      reason: 'dataDirectory',
      lines: [expect.stringMatching(`^The backup to ${target}-2 failed: ELOOP: .*/secrets/sealed.sqlite`)],
    });
  });

  it('names a data directory in which it cannot write', async () => {
    const path = join(directory.path, 'unwritable');
    mkdirSync(path);
    await run(['backup', join(path, 'events.sqlite')]);
    // The superuser can write everywhere, but not to a directory.
    mkdirSync(join(path, 'store-command.lock'));
    expect(await failureOf(['verify'], path)).toEqual({
      reason: 'dataDirectory',
      lines: [
        expect.stringMatching(`^The data directory ${path} is not writable: .* Run the command as the user of Muster`),
      ],
    });
  });

  it('copies the files that a start needs, and no others', async () => {
    const files = ['objects/ab/cd', 'logs/cluster/host.tar.gz', 'nats/trust.json'];
    for (const name of [...files, 'objects/incoming/half', 'images/base.iso', 'master.key', 'muster.lock']) {
      mkdirSync(dirname(join(directory.path, name)), { recursive: true });
      writeFileSync(join(directory.path, name), `content of ${name}`);
    }
    const target = join(directory.path, 'whole');
    expect(await run(['backup', '--all', target])).toEqual([
      '7 events copied',
      `${directory.path} was backed up to ${target} with 3 files, without its master key.`,
    ]);
    const found = readdirSync(target, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(found.map(({ name }) => name).sort()).toEqual(['cd', 'events.sqlite', 'host.tar.gz', 'trust.json']);
    for (const name of files) expect(readFileSync(join(target, name), 'utf8')).toBe(`content of ${name}`);
    expect(await run(['verify'], target)).toContain('7 events verified');
    expect(await failureOf(['backup', '--all', target])).toEqual({
      reason: 'dataDirectory',
      lines: [`${target} exists. Name a new directory.`],
    });
    const below = join(directory.path, 'master.key', 'backup');
    expect(await failureOf(['backup', '--all', below])).toEqual({
      reason: 'dataDirectory',
      lines: [expect.stringMatching(`^The backup to ${below} failed: ENOTDIR.*Check the directory`)],
    });
  });
});

describe('store verify of a whole data directory', () => {
  const directory = temporaryDirectory();
  let path: string;
  let directories = 0;
  afterAll(() => directory.remove());

  const run = async (dataDirectory = path): Promise<readonly string[]> => {
    const lines: string[] = [];
    const environment = { MUSTER_DATA_DIRECTORY: dataDirectory };
    await runStoreCommand(['verify'], environment, (line) => lines.push(line)).catch((error: Error) =>
      lines.push(error.message),
    );
    return lines;
  };
  const soundText = (): string => `${join(path, 'events.sqlite')} is sound.`;

  /** Events, secrets with the identity of the store, a small and a large document, and a log. */
  beforeEach(async () => {
    path = join(directory.path, `data-${(directories += 1)}`);
    mkdirSync(join(path, 'secrets'), { recursive: true });
    const { objectStore, logs, close } = await openObjectStores(new SettingsReader({}), path, writerHere());
    const [small, large] = [
      await objectStore.put(Buffer.from('small'), 10),
      await objectStore.put(Buffer.from('large'.repeat(20_000)), 1_000_000),
    ];
    await (await logs.area('cluster')).put(Buffer.from('log'), 10);
    const eventStore = sqliteEventStore({ file: join(path, 'events.sqlite') });
    const reports = [small, large].map((body) => eventToAppend({ body: { ...body } }));
    await eventStore.append('inventory-sample', NO_STREAM, reports);
    const masterKeyFile = join(path, 'master.key');
    const storage = sqliteSealedStorage(join(path, 'secrets', SEALED_FILE));
    const secrets = await sealedSecrets({ masterKeyFile, openStorage: () => storage });
    const identity = await checkIdentity({
      ...{ secrets, eventStore, objectStore, readModels: inMemoryReadModels(), masterKeyFile, dataDirectory: path },
      ...{ acceptsStore: true, isRecorded: true },
    });
    await identity.stop();
    await storage.close();
    await eventStore.close();
    await close();
  });

  const filesIn = (name: string): readonly string[] =>
    readdirSync(join(path, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  const remove = (name: string) => (): void => rmSync(join(path, name));
  const replaceIn = (file: string, text: string, by: string): void => {
    const bytes = readFileSync(file);
    bytes.write(by, bytes.lastIndexOf(text));
    writeFileSync(file, bytes);
  };

  it('finds no fault', async () => {
    expect(await run()).toEqual([
      'The pages of the file are checked first.',
      '2 events verified',
      'The pages of secrets/sealed.sqlite are checked.',
      'The pages of objects.sqlite are checked.',
      '4 documents and logs verified',
      soundText(),
    ]);
    rmSync(join(path, 'master.key'));
    const lines = await run();
    expect(lines).toContain(soundText());
    expect(lines.join('\n')).toMatch(/^The master key .*master\.key is not here, so it is not checked/m);
  });

  it.each<[string, () => void, RegExp]>([
    [
      'a damaged small document',
      () => replaceIn(join(path, 'objects.sqlite'), 'small', 'smell'),
      /^The stored body sha256:\w+ is damaged; restore .*objects\.sqlite from a backup/m,
    ],
    [
      'a damaged large document',
      () => replaceIn(filesIn('objects')[0] ?? '', 'large', 'lurge'),
      /^The stored document or log sha256:\w+ is damaged\.$/m,
    ],
    [
      'a damaged log',
      () => replaceIn(filesIn('logs')[0] ?? '', 'log', 'lag'),
      /^The stored document or log sha256:\w+ is damaged\.$/m,
    ],
    [
      'a missing document',
      () => filesIn('objects').forEach((file) => rmSync(file)),
      /^Position 2: the document sha256:\w+ is neither in objects\.sqlite nor in the directory objects\.$/m,
    ],
    ['missing documents', remove('objects.sqlite'), /objects\.sqlite is missing\.$/m],
    ['missing secrets', remove('secrets/sealed.sqlite'), /sealed\.sqlite is missing\.$/m],
    [
      'truncated secrets',
      () => truncateSync(join(path, 'secrets', SEALED_FILE)),
      /sealed\.sqlite: the file is empty: it was truncated/m,
    ],
    [
      'another master key',
      () => writeFileSync(join(path, 'master.key'), Buffer.alloc(32)),
      /^The master key .* does not open the secrets of /m,
    ],
    [
      'a master key that others may read',
      () => chmodSync(join(path, 'master.key'), 0o644),
      /^The master key .* is readable by other users\. Restrict its permissions \(chmod 600\)\.$/m,
    ],
  ])('names %s, and not the events', async (_what, damage, expected) => {
    damage();
    const lines = await run();
    expect(lines.join('\n')).toMatch(expected);
    expect(await run()).toEqual(lines);
    expect(lines.at(-1)).toBe(
      `The data directory ${path} has faults, but its events have none. The lines above list them. Correct what they name, or restore a backup.`,
    );
  });

  it('names the events of another store', async () => {
    replaceIn(join(path, 'events.sqlite'), '["', '["x');
    const lines = await run();
    expect(lines.join('\n')).toMatch(/^The event store belongs to another installation, but /m);
    expect(lines.at(-1)).toBe(
      `${join(path, 'events.sqlite')} is damaged. The lines above list the faults. Check the disk, and restore a backup.`,
    );
  });
});
