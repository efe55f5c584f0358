import { mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openFileByteSource } from './file-byte-source';

describe('file as a byte source', () => {
  const content = Buffer.from(Array.from({ length: 10_000 }, (_, index) => index % 251));
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'muster-byte-source-'));
    path = join(folder, 'file');
    await writeFile(path, content);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('returns exactly the requested bytes, in any order and concurrently', async () => {
    const source = await openFileByteSource(path);
    const [end, start, none] = await Promise.all([
      source.read(9_990, 10),
      source.read(0, 5_000),
      source.read(10_000, 0),
    ]);
    expect(source.size).toBe(10_000);
    expect(Buffer.compare(end, content.subarray(9_990))).toBe(0);
    expect(Buffer.compare(start, content.subarray(0, 5_000))).toBe(0);
    expect(none).toHaveLength(0);
    await source.close();
  });

  it.each([
    [9_999, 2],
    [-1, 1],
    [0, -1],
    [10_001, 0],
    [Number.NaN, 1],
    [0.5, 1],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])('refuses offset %p with length %p', async (offset, length) => {
    const source = await openFileByteSource(path);
    await expect(source.read(offset, length)).rejects.toThrow(RangeError);
    await source.close();
  });

  it('rejects when the file becomes shorter, instead of returning fewer bytes', async () => {
    const source = await openFileByteSource(path);
    await truncate(path, 100);
    await expect(source.read(50, 100)).rejects.toThrow('became shorter');
    await source.close();
  });

  it('returns the bytes of the opened file after another file got its name, which has another inode', async () => {
    const source = await openFileByteSource(path);
    await writeFile(`${path}.new`, 'new');
    await rename(`${path}.new`, path);
    const other = await openFileByteSource(path);
    expect(Buffer.compare(await source.read(0, 10_000), content)).toBe(0);
    expect(other.inode).not.toBe(source.inode);
    await Promise.all([source.close(), other.close()]);
  });

  it('has the same inode after the file was overwritten', async () => {
    const source = await openFileByteSource(path);
    await writeFile(path, 'new');
    const other = await openFileByteSource(path);
    expect(other.inode).toBe(source.inode);
    await Promise.all([source.close(), other.close()]);
  });

  it('can be closed twice and rejects reads afterwards', async () => {
    const source = await openFileByteSource(path);
    await source.close();
    await source.close();
    await expect(source.read(0, 1)).rejects.toThrow();
  });

  it('rejects for a missing file', async () => {
    await expect(openFileByteSource(join(folder, 'absent'))).rejects.toThrow('ENOENT');
  });
});
