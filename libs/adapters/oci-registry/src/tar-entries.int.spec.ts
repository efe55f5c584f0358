import { execFileSync } from 'node:child_process';
import { createReadStream, linkSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type TemporaryDirectory, temporaryDirectory } from '@muster/testing';
import { blobCache } from './blob-cache';
import { extractFromLayer, readTar, type TarEntry } from './tar-entries';

/** A header of tar has 100 characters for a name and for the target of a link. */
const FOLDER = `usr/lib/${'a'.repeat(90)}/${'b'.repeat(90)}`;

describe('a layer with long paths', () => {
  let directory: TemporaryDirectory;
  beforeEach(() => (directory = temporaryDirectory()));
  afterEach(() => directory.remove());

  it.each(['gnu', 'pax'])('has the whole names and targets in the format %s', async (format) => {
    const root = join(directory.path, 'root');
    mkdirSync(join(root, FOLDER), { recursive: true });
    writeFileSync(join(root, FOLDER, 'program'), 'text');
    linkSync(join(root, FOLDER, 'program'), join(root, FOLDER, 'second'));
    symlinkSync(`/${FOLDER}/program`, join(root, 'short'));
    const archive = join(directory.path, 'layer.tar');
    const names = ['program', 'second'].map((name) => `${FOLDER}/${name}`);
    execFileSync('tar', [`--format=${format}`, '-cf', archive, '-C', root, ...names, 'short']);
    const entries: TarEntry[] = [];
    const select = (entry: TarEntry) => (entries.push(entry), 'skip' as const);
    await readTar(createReadStream(archive), select, () => Promise.resolve());
    expect(entries.map(({ path, target, type }) => [type, path, target])).toEqual([
      ['file', `${FOLDER}/program`, ''],
      ['hard-link', `${FOLDER}/second`, `${FOLDER}/program`],
      ['link', 'short', `/${FOLDER}/program`],
    ]);
  });
});

describe('a layer that cannot be read', () => {
  let directory: TemporaryDirectory;
  beforeEach(() => (directory = temporaryDirectory()));
  afterEach(() => directory.remove());

  it.each([
    ['is missing', 'missing', 'ENOENT'],
    ['is a directory', '.', 'EISDIR'],
  ])('fails the extraction and not the process when it %s', async (_, name, code) => {
    const cache = blobCache(directory.path, 1e9);
    const { signal } = new AbortController();
    const layer = join(directory.path, name);
    await expect(extractFromLayer(layer, 'a', cache, 'a', signal)).rejects.toMatchObject({ code });
    // An error without a listener would end the process, and fails this test.
    for (let left = 100; left > 0; left -= 1) await setImmediate();
  });

  it('is not read further when the preparation ends', async () => {
    // Its other file takes longer to read than any test.
    const bytes = 2 ** 40;
    const header = Buffer.alloc(512);
    header.write('other');
    header.writeUInt8(0x80, 124);
    header.writeBigUInt64BE(BigInt(bytes), 128);
    const layer = join(directory.path, 'layer');
    writeFileSync(layer, header);
    truncateSync(layer, header.length + bytes);
    const ending = new AbortController();
    const reading = extractFromLayer(layer, 'a', blobCache(directory.path, 1e9), 'a', ending.signal);
    const ended = expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    for (let left = 100; left > 0; left -= 1) await setImmediate();
    ending.abort();
    await ended;
  });
});

describe('a layer whose zstd stream begins with a frame that readers skip', () => {
  let directory: TemporaryDirectory;
  beforeEach(() => (directory = temporaryDirectory()));
  afterEach(() => directory.remove());

  it.each([
    ['0x184D2A50', 0x50],
    ['0x184D2A5F', 0x5f],
  ])('has its files, with the magic number %s', async (_, magic) => {
    writeFileSync(join(directory.path, 'program'), 'text');
    const archive = execFileSync('tar', ['-cf', '-', '-C', directory.path, 'program']);
    // As pzstd writes it before each frame: the number of bytes of the next frame.
    const skipped = Buffer.from([magic, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]);
    const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0, 0, 0, 0]);
    header.writeUInt32LE(archive.length, 5);
    // The last block, without compression.
    header.writeUIntLE(archive.length * 8 + 1, 9, 3);
    const layer = join(directory.path, 'layer');
    writeFileSync(layer, Buffer.concat([skipped, header, archive]));
    const cache = blobCache(directory.path, 1e9);
    expect(await extractFromLayer(layer, 'program', cache, 'found', new AbortController().signal)).toBe(true);
    expect(readFileSync(await cache.scratch('found'), 'utf8')).toBe('text');
  });
});
