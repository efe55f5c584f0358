import { readdirSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory, type TemporaryDirectory } from '@muster/testing';
import { filesystemSecrets, loadOrCreateMasterKey } from './secrets';

describe('a full disk', () => {
  let directory: TemporaryDirectory;
  beforeEach(() => {
    directory = temporaryDirectory();
  });
  afterEach(() => {
    jest.restoreAllMocks();
    directory.remove();
  });

  /** A part of the bytes of each file fits on the disk, from the given write on. */
  const failWrites = async (from: number): Promise<void> => {
    const handle = await open(join(directory.path, 'any'), 'w');
    await handle.close();
    const prototype = Object.getPrototypeOf(handle) as FileHandle;
    const { writeFile } = prototype;
    let writes = 0;
    jest.spyOn(prototype, 'writeFile').mockImplementation(async function (this: FileHandle, data) {
      writes += 1;
      if (writes < from) return writeFile.call(this, data);
      await writeFile.call(this, (data as Buffer).subarray(0, 10));
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    });
  };
  const namesIn = (...path: readonly string[]): readonly string[] => readdirSync(join(directory.path, ...path));

  it.each([
    ['the key of a new scope', 'new', 1],
    ['the value of a new scope', 'new', 2],
    ['a value of a scope', 'known', 1],
  ])('leaves no part of %s', async (_, scope, from) => {
    const secrets = await filesystemSecrets({
      directory: join(directory.path, 'secrets'),
      masterKeyFile: join(directory.path, 'master.key'),
    });
    await secrets.seal('known', 'a', Buffer.from('1'));
    await failWrites(from);
    await expect(secrets.seal(scope, 'b', Buffer.from('2'))).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(namesIn('secrets', 'incoming')).toEqual([]);
    expect(String(await secrets.open('known', 'a'))).toBe('1');
  });

  it('leaves no part of a new master key', async () => {
    await failWrites(1);
    await expect(loadOrCreateMasterKey(join(directory.path, 'key', 'master.key'))).rejects.toThrow('no space left');
    expect(namesIn('key')).toEqual([]);
  });
});
