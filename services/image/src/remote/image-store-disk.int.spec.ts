import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@muster/testing';
import { FILE, image, ImageStoreStage } from './image-store-stage.fixture.spec';

const RESERVE_BYTES = 50_000;
/** Maximum size of the record beside an image. */
const RECORD_BYTES_MAX = 1_000;

describe('the store of base images on a small disk', () => {
  let stage: ImageStoreStage;
  beforeEach(async () => {
    stage = await ImageStoreStage.create();
    stage.open({ reserveBytes: RESERVE_BYTES });
    stage.server.serve(FILE);
    await stage.store.start(['a', 'b', 'c'].map((name) => image(name, stage.server.url)));
  });
  afterEach(() => stage.close());

  /** Sets a disk for this number of images and the reserve. */
  const givenDiskFor = (images: number): void => {
    stage.diskBytes = images * (FILE.length + RECORD_BYTES_MAX) + RESERVE_BYTES;
  };
  /** Returns the state after the download, or the reason of its failure. */
  const download = async (name: string): Promise<string> => {
    const wanted = image(name, stage.server.url);
    stage.clock.advance(60_000);
    stage.store.fetch(wanted);
    await stage.settled(wanted);
    const state = stage.store.state(wanted);
    return state.kind === 'failed' ? state.reason : state.kind;
  };
  const hold = (name: string) => stage.store.hold(image(name, stage.server.url));
  /** Ends a download of an image after a part of it. */
  const downloadPart = async (name: string): Promise<void> => {
    stage.server.serve(FILE, { holdAfterBytes: 200_000 });
    const ended = download(name);
    await eventually('a part is on disk', () => stage.sizeOnDisk(`rhcos-${name}.iso.partial`) === 200_000);
    stage.server.cut();
    await ended;
    stage.server.serve(FILE);
  };
  const images = (): readonly string[] => stage.files().filter((name) => name.endsWith('.iso'));

  it('evicts the least recently used image when a download would use the reserve', async () => {
    givenDiskFor(2);
    expect([await download('a'), await download('b')]).toEqual(['ready', 'ready']);
    for (const name of ['b', 'a']) {
      stage.clock.advance(60_000);
      (await hold(name)).release();
    }
    expect(await download('c')).toBe('ready');
    expect(images()).toEqual(['rhcos-a.iso', 'rhcos-c.iso']);
    expect(stage.evicted).toEqual([join(stage.directory.path, 'rhcos-b.iso')]);
  });

  it('refuses a download with the remedy, and evicts nothing, when that would not free enough space', async () => {
    givenDiskFor(2);
    expect([await download('a'), await download('b')]).toEqual(['ready', 'ready']);
    const [heldA, heldB] = [await hold('a'), await hold('b')];
    const reason = await download('c');
    expect(reason).toMatch(
      /^the disk of .* has \d+ bytes too few for it and MUSTER_DISK_RESERVE=50000; free disk space, or set DATA_DIR/,
    );
    await expect(hold('c')).rejects.toMatchObject({
      refusal: { code: 'busy', reason: expect.stringContaining(reason) as string },
    });
    heldA.release();
    stage.diskBytes -= FILE.length;
    expect(await download('c')).toMatch(/MUSTER_DISK_RESERVE/);
    expect(images()).toEqual(['rhcos-a.iso', 'rhcos-b.iso']);
    stage.diskBytes += FILE.length;
    expect(await download('c')).toBe('ready');
    expect(images()).toEqual(['rhcos-b.iso', 'rhcos-c.iso']);
    heldB.release();
  });

  it('deletes the partial files of failed downloads before it evicts an image', async () => {
    givenDiskFor(2);
    await downloadPart('b');
    expect([await download('a'), await download('c')]).toEqual(['ready', 'ready']);
    expect(stage.evicted).toEqual([]);
    expect(stage.files().filter((name) => name.includes('partial'))).toEqual([]);
  });

  it('counts partial files against the limit of all images, and deletes them before an image', async () => {
    await stage.store.close();
    stage.open({ bytesMax: 2 * FILE.length + 100_000 });
    await stage.store.start(['a', 'b', 'c'].map((name) => image(name, stage.server.url)));
    await downloadPart('b');
    expect(await download('a')).toBe('ready');
    expect(stage.files()).toContain('rhcos-b.iso.partial');
    expect(await download('c')).toBe('ready');
    expect(stage.evicted).toEqual([]);
    expect(images()).toEqual(['rhcos-a.iso', 'rhcos-c.iso']);
    expect(stage.files().filter((name) => name.includes('partial'))).toEqual([]);
  });

  it('keeps the space free that a running download still needs', async () => {
    givenDiskFor(1.5);
    stage.server.serve(FILE, { holdAfterBytes: 100_000 });
    const first = download('a');
    await eventually('a part is on disk', () => stage.sizeOnDisk('rhcos-a.iso.partial') === 100_000);
    stage.server.serve(FILE);
    expect(await download('b')).toMatch(/MUSTER_DISK_RESERVE/);
    stage.server.release();
    expect(await first).toBe('ready');
  });

  it('counts a larger file that is replacing another one against the limit of all images', async () => {
    expect(await download('a')).toBe('ready');
    await stage.store.close();
    stage.open({ bytesMax: 2 * FILE.length + 100_000 });
    const moved = image('a', `${stage.server.url}/moved`);
    await stage.store.start([moved, image('b', stage.server.url)]);
    stage.server.serve(Buffer.concat([FILE, Buffer.alloc(150_000)]), { holdAfterBytes: 100_000 });
    stage.store.fetch(moved);
    await eventually('a part is on disk', () => stage.sizeOnDisk('rhcos-a.iso.partial') === 100_000);
    stage.server.serve(FILE);
    expect(await download('b')).toBe(
      'it needs 300000 bytes, and 450000 of OS_IMAGES_STORE_BYTES_MAX=700000 are in use',
    );
    stage.server.release();
    await eventually('the file is replaced', () => stage.evicted.length === 1);
    expect(images()).toEqual(['rhcos-a.iso']);
  });

  it('continues a partial file when the disk has space for the rest', async () => {
    givenDiskFor(1);
    await downloadPart('a');
    expect(await download('a')).toBe('ready');
    expect(stage.server.ranges).toEqual(['', 'bytes=200000-']);
  });

  it('removes a partial file when the disk is full, so that other files get the space', async () => {
    // Each write to this device fails with ENOSPC.
    symlinkSync('/dev/full', join(stage.directory.path, 'rhcos-a.iso.partial'));
    writeFileSync(join(stage.directory.path, 'rhcos-a.iso.partial.version'), '"1"');
    expect(await download('a')).toMatch(/^the disk of .* is full; free disk space, or set DATA_DIR to a larger disk$/);
    expect(stage.files()).toEqual([]);
    expect(await download('a')).toBe('ready');
  });
});
