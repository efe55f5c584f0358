import { readFileSync, writeFileSync } from 'node:fs';
import * as zlib from 'node:zlib';
const { crc32, deflateSync } = zlib;

/** Converts a picture that QEMU wrote (binary PPM) to PNG. */
export function writePng(ppm, path) {
  const bytes = readFileSync(ppm);
  const [header, width, height] = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(bytes.subarray(0, 64).toString('latin1')) ?? [];
  if (!header) throw new Error(`${ppm} is no binary PPM.`);
  const row = Number(width) * 3;
  const rows = Array.from({ length: Number(height) }, (_, y) =>
    Buffer.concat([Buffer.alloc(1), bytes.subarray(header.length + y * row, header.length + (y + 1) * row)]),
  );
  const size = Buffer.alloc(13);
  size.writeUInt32BE(Number(width), 0);
  size.writeUInt32BE(Number(height), 4);
  size.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  writeFileSync(
    path,
    Buffer.concat([
      signature,
      chunk('IHDR', size),
      chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 9 })),
      chunk('IEND', Buffer.alloc(0)),
    ]),
  );
}

function chunk(type, data) {
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(checksumOf(body));
  return Buffer.concat([length, body, checksum]);
}

/** Node has the checksum since 20.15; older ones get it from a table. */
const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

function checksumOf(bytes) {
  if (crc32) return crc32(bytes) >>> 0;
  let value = 0xffffffff;
  for (const byte of bytes) value = TABLE[(value ^ byte) & 0xff] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}
