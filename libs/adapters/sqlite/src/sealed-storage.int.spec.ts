import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sealedSecrets } from '@muster/adapter-filesystem';
import { secretsContract, temporaryDirectory, threadFromSource } from '@muster/testing';
import { openDurableDatabase, openSealedDatabase } from './durable-database';
import { verifySqliteFile } from './maintenance';
import { sqliteSealedStorage } from './sealed-storage';
import { type SqliteWriter, writerHere, writerThread } from './writer';

const threadOf = (): SqliteWriter => writerThread(threadFromSource(join(__dirname, 'writer.entry.ts')));

describe.each([
  ['sealedSecrets in sqliteSealedStorage', writerHere],
  ['sealedSecrets in sqliteSealedStorage with a writer thread', threadOf],
])('', (name, openWriter) => {
  let writer: SqliteWriter;
  beforeAll(() => void (writer = openWriter()));
  afterAll(() => writer.close());

  secretsContract(name, async () => {
    const directory = temporaryDirectory();
    const masterKeyFile = join(directory.path, 'master.key');
    const opened: { close(): Promise<void> }[] = [];
    const open = () =>
      sealedSecrets({
        masterKeyFile,
        openStorage: () => {
          const storage = sqliteSealedStorage(join(directory.path, 'sealed.sqlite'), writer);
          opened.push(storage);
          return storage;
        },
      });
    return {
      secrets: await open(),
      reopen: open,
      close: async () => {
        for (const storage of opened) await storage.close();
        directory.remove();
      },
    };
  });
});

describe('sqliteSealedStorage', () => {
  const directory = temporaryDirectory();
  const file = join(directory.path, 'sealed.sqlite');
  let files = 0;
  afterAll(() => directory.remove());

  const bytesOnDisk = (): string =>
    readdirSync(directory.path)
      .map((name) => readFileSync(join(directory.path, name), 'latin1'))
      .join('');

  it('creates a scope once, also beside another process, in a file readable by the owner only', async () => {
    const [one, other] = [sqliteSealedStorage(file), sqliteSealedStorage(file)];
    expect(await one.create('scope', new Map([['key', Buffer.from('1')]]))).toBe(true);
    expect(await other.create('scope', new Map([['key', Buffer.from('2')]]))).toBe(false);
    expect((await other.read('scope', 'key'))?.toString()).toBe('1');
    const given = { name: 'key', bytes: Buffer.from('1') };
    expect(await other.replace('scope', 'value', Buffer.from('sealed'), given)).toBe(true);
    expect(await other.replace('scope', 'value', Buffer.from('x'), { ...given, bytes: Buffer.from('2') })).toBe(false);
    expect((await one.read('scope', 'value'))?.toString()).toBe('sealed');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await one.close();
    await other.close();
  });

  it('leaves no bytes of a removed scope on the disk, and does not create it again by a replacement', async () => {
    const storage = sqliteSealedStorage(file);
    await storage.create('gone', new Map([['key', Buffer.from('bytes-of-the-scope-key')]]));
    expect(bytesOnDisk()).toContain('bytes-of-the-scope-key');
    await storage.remove('gone');
    expect(bytesOnDisk()).not.toContain('bytes-of-the-scope-key');
    const given = { name: 'key', bytes: Buffer.from('bytes-of-the-scope-key') };
    expect(await storage.replace('gone', 'value', Buffer.from('x'), given)).toBe(false);
    expect(await storage.read('gone', 'value')).toBeUndefined();
    await storage.close();
  });

  it('leaves no bytes of a scope that was removed while another process read the file', async () => {
    const storage = sqliteSealedStorage(file);
    await storage.create('read', new Map([['key', Buffer.from('bytes-of-a-read-scope')]]));
    const reader = openSealedDatabase(file);
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM sealed').get();
    setTimeout(() => reader.exec('COMMIT'), 10);
    await storage.remove('read');
    expect(bytesOnDisk()).not.toContain('bytes-of-a-read-scope');
    reader.close();
    await storage.close();
  });

  it.each([
    ['a changed value', "UPDATE sealed SET bytes = X'00' WHERE name = 'value'"],
    ['a value under another name', "UPDATE sealed SET name = 'other' WHERE name = 'value'"],
    ['a value of another scope', "UPDATE sealed SET scope = 'scope-2' WHERE name = 'value'"],
  ])('finds %s', async (_what, damage) => {
    const damaged = join(directory.path, `damaged-${(files += 1)}.sqlite`);
    const storage = sqliteSealedStorage(damaged);
    await storage.create('scope-1', new Map(['key', 'value'].map((name) => [name, Buffer.from(`sealed ${name}`)])));
    await storage.close();
    expect(await verifySqliteFile('sealed', damaged)).toEqual([]);
    const database = openSealedDatabase(damaged);
    database.exec(damage);
    database.close();
    expect(await verifySqliteFile('sealed', damaged)).toEqual([
      expect.stringMatching(/^1 secrets of the scope with the hash scope-[12] differ from what was stored\.$/),
    ]);
  });

  it('uses a file of an earlier release, whose values have no checksum', async () => {
    const earlier = join(directory.path, 'earlier.sqlite');
    const database = openSealedDatabase(earlier);
    database.exec("ALTER TABLE sealed DROP COLUMN checksum; INSERT INTO sealed VALUES ('scope', 'key', X'31')");
    database.close();
    const storage = sqliteSealedStorage(earlier);
    const given = { name: 'key', bytes: Buffer.from('1') };
    expect(await storage.replace('scope', 'value', Buffer.from('sealed'), given)).toBe(true);
    expect((await storage.read('scope', 'key'))?.toString()).toBe('1');
    await storage.close();
    expect(await verifySqliteFile('sealed', earlier)).toEqual([]);
    const changed = openSealedDatabase(earlier);
    changed.exec("UPDATE sealed SET bytes = X'00'");
    changed.close();
    expect(await verifySqliteFile('sealed', earlier)).toHaveLength(1);
  });

  it('keeps no lock on a file of an earlier release that cannot be changed', () => {
    const unchanged = join(directory.path, 'unchanged.sqlite');
    const change = (table: string) => () =>
      openDurableDatabase(unchanged, 'CREATE TABLE IF NOT EXISTS one (value)', (database) =>
        database.exec(`ALTER TABLE ${table} ADD COLUMN checksum INTEGER`),
      );
    expect(change('absent')).toThrow(`Database ${unchanged}: the database is damaged. Restore it from a backup.`);
    const database = change('one')();
    expect(database.prepare('SELECT count(checksum) FROM one').raw().get()).toEqual([0]);
    database.close();
  });
});
