import { createHash, randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { inMemoryObjectStore } from '@muster/adapter-in-memory';
import { manualClock, objectStoreContract, temporaryDirectory, threadFromSource } from '@muster/testing';
import Database from 'libsql';
import { SMALL_OBJECT_BYTES_MAX, sqliteSmallObjects } from './small-objects';
import { type SqliteWriter, writerHere, writerThread } from './writer';

const threadOf = (): SqliteWriter => writerThread(threadFromSource(join(__dirname, 'writer.entry.ts')));

describe.each([
  ['sqliteSmallObjects', writerHere],
  ['sqliteSmallObjects with a writer thread', threadOf],
])('', (name, openWriter) => {
  let writer: SqliteWriter;
  beforeAll(() => void (writer = openWriter()));
  afterAll(() => writer.close());

  objectStoreContract(name, async () => {
    const directory = temporaryDirectory();
    const file = join(directory.path, 'objects.sqlite');
    const objects = sqliteSmallObjects({ file, others: inMemoryObjectStore(), writer });
    return {
      objects,
      close: async () => {
        await objects.close();
        directory.remove();
      },
    };
  });
});

describe('sqliteSmallObjects', () => {
  const directory = temporaryDirectory();
  const file = join(directory.path, 'objects.sqlite');
  const others = inMemoryObjectStore();
  afterAll(() => directory.remove());

  it('stores small bodies in its file and larger ones elsewhere', async () => {
    const objects = sqliteSmallObjects({ file, others });
    const [small, large] = [randomBytes(SMALL_OBJECT_BYTES_MAX), randomBytes(SMALL_OBJECT_BYTES_MAX + 1)];
    const [{ digest }, other] = [await objects.put(small, 1e6), await objects.put(large, 1e6)];
    expect(await others.get(digest)).toBeUndefined();
    expect((await others.get(other.digest))?.equals(large)).toBe(true);
    expect((await objects.get(other.digest))?.equals(large)).toBe(true);
    const listed: string[] = [];
    for await (const stored of objects.list()) listed.push(stored.digest);
    expect(listed.sort()).toEqual([digest, other.digest].sort());
    await objects.close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('has a body after a reopening, with the time of its last put', async () => {
    const clock = manualClock(1_000);
    const body = randomBytes(10);
    const first = sqliteSmallObjects({ file, others, clock });
    const { digest } = await first.put(body, 10);
    const before = await storedAtOf(first, digest);
    await first.close();
    clock.advance(5_000);
    const second = sqliteSmallObjects({ file, others, clock });
    expect(await second.get(digest)).toEqual(body);
    await second.put(body, 10);
    expect((await storedAtOf(second, digest)) - before).toBe(5_000);
    await second.close();
  });

  it('shares its file with other processes', async () => {
    const [one, other] = [sqliteSmallObjects({ file, others }), sqliteSmallObjects({ file, others })];
    const { digest } = await one.put(Buffer.from('shared'), 10);
    expect((await other.get(digest))?.toString()).toBe('shared');
    await one.close();
    await other.close();
  });

  it('throws when a stored body does not match its digest, until the body is stored again', async () => {
    const objects = sqliteSmallObjects({ file, others });
    const digest = `sha256:${createHash('sha256').update('whole').digest('hex')}`;
    await objects.put(Buffer.from('whole'), 10);
    const database = new Database(file);
    database.prepare('UPDATE objects SET body = ? WHERE digest = ?').run(Buffer.from('other'), digest);
    database.close();
    await expect(objects.get(digest)).rejects.toThrow(/damaged; restore .* from a backup, or upload it again/);
    await objects.put(Buffer.from('whole'), 10);
    expect((await objects.get(digest))?.toString()).toBe('whole');
    await objects.close();
  });
});

async function storedAtOf(objects: ReturnType<typeof sqliteSmallObjects>, digest: string): Promise<number> {
  for await (const stored of objects.list()) if (stored.digest === digest) return stored.storedAtMs;
  throw new Error(`${digest} is not listed.`);
}
