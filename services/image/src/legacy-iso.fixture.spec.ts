const SECTOR_BYTES = 2_048;
const DESCRIPTOR_AT = 16 * SECTOR_BYTES;
const HEADER_AT = DESCRIPTOR_AT - 24;
const ROOT_SECTOR = 17;
const AREA_SECTOR = 18;
export const AREA_BYTES = 256 * 1024;
const ROOT_RECORD_AT = 156;

/**
 * The smallest possible live image: an empty volume, a header with the position of the Ignition area, and bytes that
 * are not zero.
 */
export function legacyIso(tailBytes = 300_000): Buffer {
  const areaAt = AREA_SECTOR * SECTOR_BYTES;
  const image = Buffer.alloc(areaAt + AREA_BYTES + tailBytes);
  image.write('coreiso+', HEADER_AT, 'latin1');
  image.writeBigUInt64LE(BigInt(areaAt), HEADER_AT + 8);
  image.writeBigUInt64LE(BigInt(AREA_BYTES), HEADER_AT + 16);
  image.write('\x01CD001\x01', DESCRIPTOR_AT, 'latin1');
  image.write('rhcos-test'.padEnd(32), DESCRIPTOR_AT + 40, 'latin1');
  image.writeUInt16LE(SECTOR_BYTES, DESCRIPTOR_AT + 128);
  directoryRecord(0).copy(image, DESCRIPTOR_AT + ROOT_RECORD_AT);
  directoryRecord(0).copy(image, ROOT_SECTOR * SECTOR_BYTES);
  directoryRecord(1).copy(image, ROOT_SECTOR * SECTOR_BYTES + 34);
  for (let at = areaAt + AREA_BYTES; at < image.length; at += 1) image[at] = at % 251;
  return image;
}

function directoryRecord(name: number): Buffer {
  const record = Buffer.alloc(34);
  record.writeUInt8(34, 0);
  record.writeUInt32LE(ROOT_SECTOR, 2);
  record.writeUInt32LE(SECTOR_BYTES, 10);
  record.writeUInt8(2, 25);
  record.writeUInt8(1, 32);
  record.writeUInt8(name, 33);
  return record;
}
