import { createHash, randomBytes } from 'node:crypto';
import fs, { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { objectAreasContract, objectStoreContract, temporaryDirectory } from '@muster/testing';
import { filesystemObjectAreas, filesystemObjectStore } from './object-store';

objectStoreContract('filesystemObjectStore', async () => {
  const directory = temporaryDirectory();
  return { objects: await filesystemObjectStore({ directory: directory.path }), close: async () => directory.remove() };
});

describe('filesystemObjectStore', () => {
  const directory = temporaryDirectory();
  const incoming = join(directory.path, 'incoming');
  afterAll(() => directory.remove());

  objectAreasContract('filesystemObjectAreas', async () =>
    filesystemObjectAreas({ directory: join(directory.path, 'areas') }),
  );

  it('removes the directory of an area with its last body, and creates none for a reader', async () => {
    const areas = filesystemObjectAreas({ directory: join(directory.path, 'emptied') });
    const area = await areas.area('one');
    const stored = await Promise.all(['first', 'second'].map((text) => area.put(Buffer.from(text), 10)));
    const [first = '', second = ''] = stored.map(({ digest }) => digest);
    await area.remove(first);
    expect(await areas.names()).toEqual(['one']);
    expect(String(await area.get(second))).toBe('second');
    await area.remove(second);
    await area.remove('not a digest');
    expect(await areas.names()).toEqual([]);
    for await (const body of (await areas.area('two')).list()) expect(body).toBeUndefined();
    expect(await (await areas.area('two')).get(second)).toBeUndefined();
    expect(await areas.names()).toEqual([]);
    await area.put(Buffer.from('third'), 10);
    expect(await areas.names()).toEqual(['one']);
  });

  it('leaves files of other programs out of the areas and their lists', async () => {
    const root = join(directory.path, 'strange');
    const areas = filesystemObjectAreas({ directory: root });
    const area = await areas.area('one');
    const { digest } = await area.put(Buffer.from('body'), 10);
    const [, first = '', second = ''] = /^sha256:(..)(..)/.exec(digest) ?? [];
    const objects = join(root, 'one', 'objects');
    // A file browser makes the first ones, and a network file system the last one for a removed file that is open.
    for (const parts of [[root], [objects], [objects, first]]) writeFileSync(join(...parts, '.DS_Store'), 'x');
    writeFileSync(join(objects, first, second, '.nfs0000000000a1'), 'x');
    expect(await areas.names()).toEqual(['one']);
    const digests: string[] = [];
    for await (const stored of area.list()) digests.push(stored.digest);
    expect(digests).toEqual([digest]);
  });

  it('stores every body while other bodies of the area are removed', async () => {
    const area = () => filesystemObjectAreas({ directory: join(directory.path, 'shared') }).area('one');
    const [writer, remover] = [await area(), await area()];
    const writes = async (from: number): Promise<void> => {
      for (let n = from; n < from + 100; n += 1) {
        const { digest } = await writer.put(Readable.from([Buffer.from(String(n))]), 10);
        expect(String(await writer.get(digest))).toBe(String(n));
        await remover.remove(digest);
      }
    };
    await Promise.all([writes(0), writes(1_000), writes(2_000)]);
    expect(readdirSync(join(directory.path, 'shared'))).toEqual([]);
  }, 60_000);

  it('stores bodies in a path that contains their digest, readable by the owner only', async () => {
    const objects = await filesystemObjectStore({ directory: directory.path });
    const body = randomBytes(10);
    const hex = createHash('sha256').update(body).digest('hex');
    await objects.put(body, 10);
    const { mode } = statSync(join(directory.path, 'objects', hex.slice(0, 2), hex.slice(2, 4), hex));
    expect(mode & 0o777).toBe(0o600);
  });

  it('creates directories without a wait of the main thread', async () => {
    const objects = await filesystemObjectStore({ directory: join(directory.path, 'new', 'directories') });
    const isWaitedFor = jest.spyOn(fs, 'mkdirSync');
    const { digest } = await objects.put(randomBytes(10), 10);
    expect(await objects.get(digest)).toBeDefined();
    expect(isWaitedFor).not.toHaveBeenCalled();
    isWaitedFor.mockRestore();
  });

  it('throws when a stored body does not match its digest', async () => {
    const objects = await filesystemObjectStore({ directory: directory.path });
    const { digest } = await objects.put(Buffer.from('whole'), 10);
    const hex = digest.slice('sha256:'.length);
    writeFileSync(join(directory.path, 'objects', hex.slice(0, 2), hex.slice(2, 4), hex), 'other');
    await expect(objects.get(digest)).rejects.toThrow(/damaged/);
  });

  it('leaves no file when a body is refused or incomplete, and stops its sender', async () => {
    const objects = await filesystemObjectStore({ directory: directory.path });
    const endless = Readable.from(
      (async function* () {
        for (;;) yield randomBytes(1_000);
      })(),
    );
    await expect(objects.put(endless, 10_000)).rejects.toThrow(/larger/);
    expect(endless.destroyed).toBe(true);
    const broken = new Readable({ read: () => undefined });
    const putting = objects.put(broken, 10_000);
    broken.push(randomBytes(100));
    broken.destroy(new Error('the sender closed the connection'));
    await expect(putting).rejects.toThrow('the sender closed the connection');
    expect(readdirSync(incoming)).toEqual([]);
  });

  it('removes files of dead processes and keeps files that another process may be writing', async () => {
    writeFileSync(join(incoming, 'old'), 'x');
    writeFileSync(join(incoming, 'young'), 'x');
    const longAgo = new Date(Date.now() - 2 * 3_600_000);
    utimesSync(join(incoming, 'old'), longAgo, longAgo);
    await filesystemObjectStore({ directory: directory.path });
    expect(readdirSync(incoming)).toEqual(['young']);
  });
});
