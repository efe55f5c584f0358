import { bufferByteSource } from '../byte-source';
import { syntheticIso } from '../synthetic-iso.fixture.spec';
import { parseCatalogue, readBootCatalogue } from './el-torito';

const SECTOR_BYTES = 2048;

function catalogue(): Buffer {
  const bytes = Buffer.alloc(SECTOR_BYTES);
  bytes.set([0x01, 0x00], 0);
  bytes.set([0x55, 0xaa], 30);
  let sum = 0;
  for (let at = 0; at < 32; at += 2) sum += bytes.readUInt16LE(at);
  bytes.writeUInt16LE((0x1_0000 - (sum & 0xffff)) & 0xffff, 28);
  bytes.set([0x88, 0, 0, 0, 0, 0, 4, 0, 45], 32);
  bytes.set([0x91, 0xef, 1, 0], 64);
  bytes.set([0x88, 0, 0, 0, 0, 0, 20, 0, 64], 96);
  return bytes;
}

describe('boot catalogue', () => {
  it('lists the boot images for each kind of firmware', () => {
    const plain = { isBootable: true, emulation: 'none', loadSegment: 0 };
    expect(parseCatalogue(catalogue())).toEqual([
      { ...plain, platform: 'bios', loadBlocks: 4, offset: 45 * SECTOR_BYTES, entryOffset: 32 },
      { ...plain, platform: 'efi', loadBlocks: 20, offset: 64 * SECTOR_BYTES, entryOffset: 96 },
    ]);
  });

  it.each([
    ['with a wrong checksum', (bytes: Buffer) => bytes.writeUInt8(7, 10)],
    ['without its signature', (bytes: Buffer) => bytes.writeUInt16LE(0, 30)],
    ['that is empty', (bytes: Buffer) => bytes.fill(0)],
  ])('%s is refused', (_, damage) => {
    const bytes = catalogue();
    damage(bytes);
    expect(() => parseCatalogue(bytes)).toThrow(expect.objectContaining({ code: 'malformed' }));
    expect(() => parseCatalogue(bytes.subarray(0, 40))).toThrow(expect.objectContaining({ code: 'malformed' }));
  });

  it('is found through the boot record, and undefined without a boot record', async () => {
    const { bytes } = syntheticIso({ file: 'x'.repeat(SECTOR_BYTES), 'boot.cat': catalogue() });
    expect(await readBootCatalogue(bufferByteSource(bytes))).toBeUndefined();
    const at = Buffer.from(bytes.buffer).lastIndexOf(catalogue().subarray(0, 64));
    bytes.set(Buffer.from('\0CD001\x01EL TORITO SPECIFICATION', 'latin1'), 17 * SECTOR_BYTES);
    Buffer.from(bytes.buffer).writeUInt32LE(at / SECTOR_BYTES, 17 * SECTOR_BYTES + 71);
    expect(await readBootCatalogue(bufferByteSource(bytes))).toMatchObject({ offset: at, entries: { length: 2 } });
    Buffer.from(bytes.buffer).writeUInt32LE(9_999_999, 17 * SECTOR_BYTES + 71);
    await expect(readBootCatalogue(bufferByteSource(bytes))).rejects.toMatchObject({ code: 'malformed' });
  });
});
