import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SettingsReader } from '@muster/nest-kit';
import { temporaryDirectory } from '@muster/testing';
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

  it.each([
    [],
    ['unknown'],
    ['backup'],
    ['backup', 'a', 'b'],
    ['backup', '--al', 'b'],
    ['backup', '--all'],
    ['backup', '--all', 'a', 'b'],
    ['stats', 'more'],
    ['verify', '--all', 'b'],
  ])('shows its usage for "%s %s"', async (...args) => {
    expect(await failureOf(args, '/absent')).toMatchObject({
      reason: 'settings',
      lines: [expect.stringMatching(/^Usage: /)],
    });
  });

  it('shows its usage on request', async () => {
    expect(await run(['--help'], '/absent')).toEqual([expect.stringMatching(/^Usage: store stats/)]);
  });

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
