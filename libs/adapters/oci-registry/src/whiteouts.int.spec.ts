import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@muster/testing';
import { memoryRegistry, registryOf } from './memory-registry.fixture.spec';

describe('a file that an upper layer of the image removes', () => {
  let directory: TemporaryDirectory;
  beforeEach(() => (directory = temporaryDirectory()));
  afterEach(() => directory.remove());

  /** Returns the text of the file `usr/bin/oc` of an image with these layers. */
  const read = async (...layers: readonly (Buffer | { readonly [path: string]: string })[]): Promise<string> => {
    const images = memoryRegistry();
    const digest = images.add(...layers);
    const registry = await registryOf(images, directory.path);
    const { signal } = new AbortController();
    return readFileSync(
      (await registry.extractFile(`one.lan/oc@${digest}`, 'amd64', 'usr/bin/oc', signal)).path,
      'utf8',
    );
  };
  const lower = { 'usr/bin/oc': 'old' };

  it.each(['usr/bin/.wh.oc', 'usr/bin/.wh..wh..opq', 'usr/.wh.bin', '.wh.usr', 'usr/.wh..wh..opq', '.wh..wh..opq'])(
    'does not exist in it (%s)',
    async (whiteout) => {
      await expect(read(lower, { [whiteout]: '' })).rejects.toMatchObject({
        fault: 'content',
        reason: 'it has no file /usr/bin/oc',
      });
      expect(await read(lower, { [whiteout]: '' }, { 'usr/bin/oc': 'new' })).toBe('new');
      expect(await read(lower, { [whiteout]: '', 'usr/bin/oc': 'new' })).toBe('new');
    },
  );

  it.each(['usr/bin/.wh.o', 'usr/bin/.wh.occ', 'usr/lib/.wh..wh..opq', 'bin/.wh.oc', 'usr/bin/oc2/.wh..wh..opq'])(
    'exists when another file is removed (%s)',
    async (whiteout) => expect(await read(lower, { [whiteout]: '' })).toBe('old'),
  );

  it('is empty when the upper layer has it as an empty file', async () => {
    expect(await read(lower, { 'usr/bin/oc': '', 'usr/bin/other': 'other' })).toBe('');
  });

  /** Returns a layer with one entry, and the directories that contain it. */
  const layerWith = (path: string, create: (at: string) => void): Buffer => {
    const root = join(directory.path, 'root');
    mkdirSync(dirname(join(root, path)), { recursive: true });
    create(join(root, path));
    return execFileSync('tar', ['-cf', '-', '-C', root, '.']);
  };
  const directoryAt = (at: string): void => mkdirSync(at);
  const pipeAt = (at: string): void => void execFileSync('mkfifo', [at]);
  const fileAt = (at: string): void => writeFileSync(at, 'no directory');
  const linkTo = (target: string) => (at: string) => symlinkSync(target, at);

  it.each([
    ['a directory', 'usr/bin/oc', directoryAt],
    ['a pipe', 'usr/bin/oc', pipeAt],
    ['a file in place of its directory', 'usr/bin', fileAt],
    ['a link in place of its directory', 'usr', linkTo('no/such/directory')],
  ])('does not exist in it when the upper layer has %s', async (_, path, create) => {
    const upper = layerWith(path, create);
    await expect(read(lower, upper)).rejects.toMatchObject({ fault: 'content', reason: 'it has no file /usr/bin/oc' });
    expect(await read(lower, upper, { 'usr/bin/oc': 'new' })).toBe('new');
  });

  it('is that of the directory to which the upper layer has a link', async () => {
    const files = { ...lower, 'opt/tools/oc': 'linked', 'opt/tools/bin/oc': 'of another directory' };
    for (const target of ['../opt/tools', '/opt/tools']) {
      const upper = layerWith('usr/bin', linkTo(target));
      expect(await read(files, upper)).toBe('linked');
      execFileSync('rm', ['-r', join(directory.path, 'root')]);
    }
  });

  it('exists when the upper layer has its directory', async () => {
    expect(await read(lower, layerWith('usr/bin', directoryAt))).toBe('old');
  });

  it.each(['usr/bin/program', 'usr/bin/.wh.program'])(
    'keeps its content when only its other name is replaced or removed (%s)',
    async (path) => {
      const root = join(directory.path, 'root');
      mkdirSync(join(root, 'usr/bin'), { recursive: true });
      writeFileSync(join(root, 'usr/bin/program'), 'old');
      linkSync(join(root, 'usr/bin/program'), join(root, 'usr/bin/oc'));
      const linked = execFileSync('tar', ['-cf', '-', '-C', root, 'usr/bin/program', 'usr/bin/oc']);
      expect(await read(linked, { [path]: 'new' })).toBe('old');
    },
  );
});
