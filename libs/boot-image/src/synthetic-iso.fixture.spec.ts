import { SECTOR_BYTES, toIsoName } from './iso/directory-record';

/** Builds ISO images that current writers do not create. For tests only: one directory level per sector. */
export interface SyntheticIso {
  readonly bytes: Uint8Array;
  /** Returns the position of a file's first byte in the image. */
  offsetOf(path: string): number;
}

export interface SyntheticIsoOptions {
  readonly volumeId?: string;
  /** Where the long names are stored. */
  readonly longNames?: 'record' | 'continuation' | 'none';
}

const FIRST_SECTOR = 20;

export function syntheticIso(
  files: Readonly<Record<string, Uint8Array | string>>,
  options: SyntheticIsoOptions = {},
): SyntheticIso {
  const { volumeId = 'rhcos-test', longNames = 'record' } = options;
  const paths = Object.keys(files);
  const folders = new Set(['']);
  for (const path of paths) {
    const parts = path.split('/');
    for (let depth = 1; depth < parts.length; depth += 1) folders.add(parts.slice(0, depth).join('/'));
  }
  let sector = FIRST_SECTOR;
  const positions = new Map<string, { sector: number; length: number }>();
  for (const folder of folders) positions.set(folder, { sector: sector++, length: SECTOR_BYTES });
  const continuationSector = sector++;
  const contents = new Map(paths.map((path) => [path, Buffer.from(files[path] ?? '')]));
  for (const [path, content] of contents) {
    positions.set(path, { sector, length: content.length });
    sector += Math.ceil(content.length / SECTOR_BYTES);
  }

  const image = Buffer.alloc(sector * SECTOR_BYTES);
  for (const [path, content] of contents) content.copy(image, position(path).sector * SECTOR_BYTES);
  let continuationUsed = 0;
  for (const folder of folders) {
    let at = position(folder).sector * SECTOR_BYTES;
    const put = (record: Buffer) => (at += record.copy(image, at));
    put(directoryRecord('\0', position(folder), true));
    put(directoryRecord('\x01', position(folder), true));
    for (const path of positions.keys()) {
      const cut = path.lastIndexOf('/');
      if (path === '' || path.slice(0, Math.max(cut, 0)) !== folder) continue;
      const name = path.slice(cut + 1);
      const isFolder = folders.has(path);
      const isoName = isFolder ? toIsoName(name) : `${toIsoName(name)}${name.includes('.') ? '' : '.'};1`;
      if (longNames === 'none') put(directoryRecord(isoName, position(path), isFolder));
      else if (longNames === 'record') put(directoryRecord(isoName, position(path), isFolder, nameField(name)));
      else {
        // The first half of the name is in the record, the other half in a continuation area.
        const [head, tail] = [nameField(name.slice(0, 2), 1), nameField(name.slice(2))];
        const field = Buffer.alloc(28);
        field.write('CE');
        field.writeUInt8(28, 2);
        field.writeUInt32LE(continuationSector, 4);
        field.writeUInt32LE(continuationUsed, 12);
        field.writeUInt32LE(tail.length, 20);
        tail.copy(image, continuationSector * SECTOR_BYTES + continuationUsed);
        continuationUsed += tail.length;
        put(directoryRecord(isoName, position(path), isFolder, Buffer.concat([head, field])));
      }
    }
  }
  const descriptor = image.subarray(16 * SECTOR_BYTES, 17 * SECTOR_BYTES);
  descriptor.write('\x01CD001\x01', 'latin1');
  descriptor.write(volumeId.padEnd(32), 40, 'latin1');
  descriptor.writeUInt32LE(sector, 80);
  descriptor.writeUInt16LE(SECTOR_BYTES, 128);
  directoryRecord('\0', position(''), true).copy(descriptor, 156);
  return { bytes: new Uint8Array(image), offsetOf: (path) => position(path).sector * SECTOR_BYTES };

  function position(path: string): { sector: number; length: number } {
    const found = positions.get(path);
    if (!found) throw new Error(`no ${path} in this image`);
    return found;
  }
}

/**
 * Returns the first bytes of a header of 8-byte little-endian numbers after an 8-byte magic number, as in images of
 * 2020 and 2021.
 */
export function writeHeader(image: Uint8Array, at: number, magic: string, values: readonly number[]): void {
  const view = Buffer.from(image.buffer, image.byteOffset, image.byteLength);
  view.write(magic, at, 'latin1');
  values.forEach((value, index) => view.writeBigUInt64LE(BigInt(value), at + 8 + index * 8));
}

function nameField(name: string, flags = 0): Buffer {
  return Buffer.concat([Buffer.from('NM'), Buffer.from([5 + Buffer.byteLength(name), 1, flags]), Buffer.from(name)]);
}

function directoryRecord(
  isoName: string,
  { sector, length }: { sector: number; length: number },
  isDirectory: boolean,
  systemUse: Buffer = Buffer.alloc(0),
): Buffer {
  const nameEnd = 33 + isoName.length + ((isoName.length + 1) % 2);
  const record = Buffer.alloc(nameEnd + systemUse.length + (systemUse.length % 2));
  record.writeUInt8(record.length, 0);
  record.writeUInt32LE(sector, 2);
  record.writeUInt32LE(length, 10);
  record.writeUInt8(isDirectory ? 2 : 0, 25);
  record.writeUInt8(isoName.length, 32);
  record.write(isoName, 33, 'latin1');
  systemUse.copy(record, nameEnd);
  return record;
}
