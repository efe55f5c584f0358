import { parseDirectory, SECTOR_BYTES } from './directory-record';

function record(name: string, changes: Readonly<Record<number, number>> = {}): Buffer {
  const bytes = Buffer.alloc(33 + name.length + ((name.length + 1) % 2));
  bytes.writeUInt8(bytes.length, 0);
  bytes.writeUInt32LE(100, 2);
  bytes.writeUInt32LE(7, 10);
  bytes.writeUInt8(name.length, 32);
  bytes.write(name, 33, 'latin1');
  for (const [at, value] of Object.entries(changes)) bytes[Number(at)] = value;
  return bytes;
}

describe('directory records', () => {
  it('continue in the next sector after the unused end of a sector', () => {
    const bytes = Buffer.alloc(3 * SECTOR_BYTES);
    record('FIRST.TXT;1').copy(bytes);
    record('SECOND.TXT;1').copy(bytes, SECTOR_BYTES);
    record('THIRD.TXT;1').copy(bytes, 2 * SECTOR_BYTES);
    expect(parseDirectory(bytes).map(({ isoName }) => isoName)).toEqual(['FIRST.TXT', 'SECOND.TXT', 'THIRD.TXT']);
  });

  it('contain the position of a file after its extended attributes', () => {
    const [plain, attributed] = parseDirectory(Buffer.concat([record('A.;1'), record('B.;1', { 1: 2 })]));
    expect(plain).toMatchObject({ isoName: 'A', offset: 100 * SECTOR_BYTES, length: 7 });
    expect(attributed).toMatchObject({ isoName: 'B', offset: 102 * SECTOR_BYTES, length: 7 });
  });

  it('distinguish directories, parts of files, and references to themselves', () => {
    const [self, folder, part] = parseDirectory(
      Buffer.concat([record('\0', { 25: 2 }), record('EFI', { 25: 2 }), record('BIG.BIN;1', { 25: 128 })]),
    );
    expect(self).toMatchObject({ isSelfOrParent: true, isDirectory: true });
    expect(folder).toMatchObject({ isSelfOrParent: false, isDirectory: true, hasMoreExtents: false });
    expect(part).toMatchObject({ isDirectory: false, hasMoreExtents: true });
  });

  it.each([
    ['is longer than the directory', record('A.;1', { 0: 200 })],
    ['has a name longer than itself', record('A.;1', { 32: 100 })],
    ['has no name', record('A.;1', { 32: 0 })],
    ['is too short for a record', Buffer.from([5, 0, 0, 0, 0])],
  ])('are refused when a record %s', (_, bytes) => {
    expect(() => parseDirectory(bytes)).toThrow(expect.objectContaining({ code: 'malformed' }));
  });
});
