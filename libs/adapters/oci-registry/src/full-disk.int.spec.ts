import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { type FileHandle, open, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@muster/testing';
import { memoryRegistry, registryOf } from './memory-registry.fixture.spec';

const DIGEST_CHARACTERS = 64;
const TEXT = randomBytes(100_000).toString('hex');

describe('a full disk', () => {
  let directory: TemporaryDirectory;
  let digest: string;
  let read: (image?: string) => Promise<string>;
  let add: (text: string) => string;
  beforeEach(async () => {
    directory = temporaryDirectory();
    const images = memoryRegistry();
    add = (text) => images.add({ a: text });
    digest = add(TEXT);
    const registry = await registryOf(images, join(directory.path, 'cache'));
    const { signal } = new AbortController();
    read = async (image = digest) =>
      readFileSync((await registry.extractFile(`one.lan/image@${image}`, 'amd64', 'a', signal)).path, 'utf8');
  });
  afterEach(() => {
    jest.restoreAllMocks();
    directory.remove();
  });

  /** A part of the bytes of this write fits on the disk. Earlier writes succeed. */
  const failWrite = async (which: number | 'digest'): Promise<void> => {
    const handle = await open(join(directory.path, 'any'), 'w');
    await handle.close();
    const prototype = Object.getPrototypeOf(handle) as FileHandle;
    const { appendFile } = prototype;
    let left = which === 'digest' ? 1 : which;
    jest.spyOn(prototype, 'appendFile').mockImplementation(async function (this: FileHandle, data) {
      const counts = which !== 'digest' || data.length === DIGEST_CHARACTERS;
      if (!counts || (left -= 1) !== 0) return appendFile.call(this, data);
      await appendFile.call(this, (data as Buffer).subarray(0, 10));
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    });
  };

  it.each([
    ['the download of a layer', 1, 0],
    ['the extraction of a file', 2, 1],
  ])('gets the space of %s back', async (_, write, kept) => {
    await failWrite(write);
    await expect(read()).rejects.toMatchObject({ fault: 'disk' });
    expect(readdirSync(join(directory.path, 'cache'))).toHaveLength(kept);
    expect(await read()).toBe(TEXT);
  });

  it.each<[string, number | 'digest']>([
    ['the download of a layer', 1],
    ['the extraction of a file', 2],
    ['the digest of the file', 'digest'],
  ])('removes the unused files of other images, oldest first, for %s', async (_, write) => {
    const files = (): readonly string[] => readdirSync(join(directory.path, 'cache')).sort();
    const older = add(randomBytes(10).toString('hex'));
    await read(older);
    const layer = files().find((name) => !name.includes('amd64'));
    const hourAgo = new Date(Date.now() - 3_600_000);
    await utimes(join(directory.path, 'cache', layer ?? ''), hourAgo, hourAgo);
    const before = files();
    await failWrite(write);
    expect(await read()).toBe(TEXT);
    expect(before.filter((name) => !files().includes(name))).toEqual([layer]);
  });
});
