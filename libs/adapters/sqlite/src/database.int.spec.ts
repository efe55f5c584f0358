import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NO_STREAM } from '@muster/ports';
import { collectPages, eventToAppend, temporaryDirectory, type TemporaryDirectory } from '@muster/testing';
import Database from 'libsql';
import { DatabaseUnusable, lockFile, openDatabase, SCHEMA_VERSION } from './database';
import { openObjectsDatabase, openSealedDatabase } from './durable-database';
import { sqliteEventStore } from './event-store';
import { verifySqliteStore } from './maintenance';
import { copySqliteFile } from './written-databases';

describe('file lock', () => {
  let directory: TemporaryDirectory;
  let file: string;
  beforeEach(() => {
    directory = temporaryDirectory();
    file = join(directory.path, 'lock');
  });
  afterEach(() => directory.remove());

  it.each([
    ['exclusive', 'exclusive', false],
    ['exclusive', 'shared', false],
    ['shared', 'exclusive', false],
    ['shared', 'shared', true],
  ] as const)('with a lock that is %s allows a lock that is %s: %s', (first, second, isAllowed) => {
    const held = lockFile(file, first);
    const other = lockFile(file, second);
    expect(other !== undefined).toBe(isAllowed);
    other?.release();
    held?.release();
    held?.release();
    const next = lockFile(file, 'exclusive');
    expect(next).toBeDefined();
    next?.release();
  });

  it('names a file that cannot be locked, with its remedy', () => {
    mkdirSync(file);
    const reason = 'the file cannot be opened for writing (it is not a file). Check its directory and permissions.';
    expect(() => lockFile(file, 'exclusive')).toThrow(`Database ${file}: ${reason}`);
    rmSync(file, { recursive: true });
    writeFileSync(file, 'text'.repeat(1_000));
    for (const mode of ['exclusive', 'shared'] as const)
      expect(() => lockFile(file, mode)).toThrow(`Database ${file}: this is not a SQLite database.`);
  });

  it('is released when its process is killed', async () => {
    const program = `const Database = require('libsql'); const d = new Database(${JSON.stringify(file)}); d.exec('BEGIN EXCLUSIVE'); console.log('held'); setInterval(() => d, 1000);`;
    const child = spawn(process.execPath, ['-e', program], { cwd: __dirname, stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    expect(lockFile(file, 'exclusive')).toBeUndefined();
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    const lock = lockFile(file, 'exclusive');
    expect(lock).toBeDefined();
    lock?.release();
  });
});

describe('file that another process creates at the same time', () => {
  it.each([
    ['an event store', openDatabase],
    ['an object store', openObjectsDatabase],
    ['secrets', openSealedDatabase],
  ])('is opened as %s', async (_, open) => {
    const directory = temporaryDirectory();
    const file = join(directory.path, 'new.sqlite');
    const program = `const Database = require('libsql'); const d = new Database(${JSON.stringify(file)}); d.exec('BEGIN IMMEDIATE'); console.log('held'); setTimeout(() => d.exec('COMMIT'), 300);`;
    const child = spawn(process.execPath, ['-e', program], { cwd: __dirname, stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const database = open(file);
    expect(database.pragma('journal_mode', { simple: true })).toMatchObject({ journal_mode: 'wal' });
    database.close();
    directory.remove();
  });
});

describe('file that cannot be an event store', () => {
  const directory = temporaryDirectory();
  const at = (name: string): string => join(directory.path, name);
  afterAll(() => directory.remove());

  const refusal = (file: string): DatabaseUnusable => {
    try {
      sqliteEventStore({ file });
    } catch (error) {
      if (error instanceof DatabaseUnusable) return error;
      throw error;
    }
    throw new Error('The file was accepted.');
  };

  it('is refused when it is not a database', () => {
    writeFileSync(at('notes.txt'), 'an unrelated file in the same place\n'.repeat(200));
    expect(refusal(at('notes.txt')).message).toMatch(/notes\.txt: this is not a SQLite database/);
  });

  it('is refused when it belongs to another program', () => {
    const other = new Database(at('other.db'));
    other.exec('CREATE TABLE theirs (x)');
    other.close();
    expect(refusal(at('other.db')).message).toMatch(/another program/);
  });

  it('is refused when a newer release wrote it', async () => {
    await sqliteEventStore({ file: at('newer.db') }).close();
    const newer = new Database(at('newer.db'));
    newer.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    newer.close();
    expect(refusal(at('newer.db')).message).toMatch(/newer release \(format 3/);
  });

  it('of the format before has events without checksums, and is used further', async () => {
    const first = sqliteEventStore({ file: at('earlier.db') });
    await first.append('sample-1', NO_STREAM, [eventToAppend({ n: 0 })]);
    await first.close();
    const earlier = new Database(at('earlier.db'));
    earlier.exec('ALTER TABLE events DROP COLUMN checksum; PRAGMA user_version = 1');
    earlier.close();
    const store = sqliteEventStore({ file: at('earlier.db') });
    await store.append('sample-1', 0, [eventToAppend({ n: 1 })]);
    expect((await collectPages(store.readAll(-1))).map(({ data }) => data.n)).toEqual([0, 1]);
    await store.close();
    expect(await verifySqliteStore(at('earlier.db'), () => undefined)).toEqual([]);
    copySqliteFile('events', at('earlier.db'), at('copy.db'), () => undefined);
    expect(await verifySqliteStore(at('copy.db'), () => undefined)).toEqual([]);
  });

  it('is refused when its directory does not exist or the path is a directory', () => {
    mkdirSync(at('directory.db'));
    expect(refusal(at('absent/events.db')).message).toMatch(/cannot be opened for writing/);
    expect(refusal(at('directory.db')).message).toMatch(/cannot be opened for writing/);
  });
});

describe('a new file', () => {
  it.each([
    ['events', openDatabase],
    ['documents', openObjectsDatabase],
    ['secrets', openSealedDatabase],
  ] as const)('of %s has nothing in a log that would replace the pages of a restored file', (_, open) => {
    const directory = temporaryDirectory();
    const file = join(directory.path, 'new.sqlite');
    const database = open(file);
    const { size } = statSync(`${file}-wal`);
    database.close();
    directory.remove();
    expect(size).toBe(0);
  });
});

describe('store on a full disk', () => {
  it('refuses the append with the reason, keeps its events, and continues when space is available', async () => {
    const directory = temporaryDirectory();
    const file = join(directory.path, 'events.db');
    const small = sqliteEventStore({ file, maxBytes: 100_000 });
    await small.append('sample-1', NO_STREAM, [eventToAppend({ n: 0 })]);
    const big = { text: 'x'.repeat(60_000) };
    const refused = small.append('sample-2', NO_STREAM, [eventToAppend(big), eventToAppend(big)]);
    await expect(refused).rejects.toThrow(/is full\. Free disk space and retry/);
    await expect(refused).rejects.toMatchObject({ name: 'DatabaseUnusable', code: 'SQLITE_FULL' });
    expect(await small.append('sample-1', 0, [eventToAppend({ n: 1 })])).toMatchObject({
      kind: 'appended',
      revision: 1,
    });
    await small.close();

    const roomy = sqliteEventStore({ file });
    expect((await collectPages(roomy.readAll(-1))).map((event) => event.data.n)).toEqual([0, 1]);
    expect(await roomy.append('sample-2', NO_STREAM, [eventToAppend(big)])).toMatchObject({ kind: 'appended' });
    await roomy.close();
    directory.remove();
  });

  it('is closed, and keeps its events in the write-ahead log', async () => {
    const directory = temporaryDirectory();
    const file = join(directory.path, 'events.db');
    const store = sqliteEventStore({ file });
    await store.append('sample-1', NO_STREAM, [eventToAppend({ n: 0 })]);
    const pragma = jest.spyOn(Database.prototype, 'pragma').mockImplementation(() => {
      throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL');
    });
    await expect(store.close()).resolves.toBeUndefined();
    expect(pragma).toHaveBeenCalledWith('wal_checkpoint(TRUNCATE)');
    pragma.mockRestore();

    const opened = sqliteEventStore({ file });
    expect((await collectPages(opened.readAll(-1))).map((event) => event.data.n)).toEqual([0]);
    await opened.close();
    directory.remove();
  });
});
