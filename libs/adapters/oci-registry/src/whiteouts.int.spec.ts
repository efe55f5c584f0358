import { readFileSync } from 'node:fs';
import { type TemporaryDirectory, temporaryDirectory } from '@muster/testing';
import { memoryRegistry, registryOf } from './memory-registry.fixture.spec';

describe('a file that an upper layer of the image removes', () => {
  let directory: TemporaryDirectory;
  beforeEach(() => (directory = temporaryDirectory()));
  afterEach(() => directory.remove());

  /** Returns the text of the file `usr/bin/oc` of an image with these layers. */
  const read = async (...layers: readonly { readonly [path: string]: string }[]): Promise<string> => {
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
});
