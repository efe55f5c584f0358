import { gzipSync } from 'fflate';

import { malformed } from '../boot-image.error';
import { startsWith, uint16Le, uint32Le } from '../binary';
import { inflate } from './inflate';

const GZIP_MAGIC = [0x1f, 0x8b];
const METHOD_DEFLATE = 8;
const FIXED_HEADER_BYTES = 10;
const FOOTER_BYTES = 8;
const FLAG = { headerChecksum: 2, extra: 4, name: 8, comment: 16, reserved: 0xe0 } as const;

/** `stored` wraps without compressing: ten times as fast, for where room is free. */
export type Packing = 'compressed' | 'stored';

/** Same input, same bytes: no time, no name. */
export function gzip(bytes: Uint8Array, packing: Packing = 'compressed'): Uint8Array {
  return gzipSync(bytes, { mtime: 0, level: packing === 'stored' ? 0 : 6 });
}

export function isGzip(bytes: Uint8Array, at: number): boolean {
  return startsWith(bytes, GZIP_MAGIC, at);
}

/** One gzip member, its checksum verified, and where it ends. Throws `malformed`. */
export function gunzipMember(
  bytes: Uint8Array,
  start: number,
  maxBytes: number,
): { readonly bytes: Uint8Array; readonly end: number } {
  const unpacked = inflate(bytes, skipHeader(bytes, start), maxBytes);
  if (unpacked.end + FOOTER_BYTES > bytes.length) throw malformed('gzip', 'its checksum is cut off');
  if (uint32Le(bytes, unpacked.end) !== crc32(unpacked.bytes)) throw malformed('gzip', 'its checksum does not match');
  if (uint32Le(bytes, unpacked.end + 4) !== unpacked.bytes.length >>> 0) {
    throw malformed('gzip', 'its length does not match');
  }
  return { bytes: unpacked.bytes, end: unpacked.end + FOOTER_BYTES };
}

function skipHeader(bytes: Uint8Array, start: number): number {
  const flags = bytes[start + 3] ?? 0;
  if (!isGzip(bytes, start) || bytes[start + 2] !== METHOD_DEFLATE || (flags & FLAG.reserved) !== 0) {
    throw malformed('gzip', `no valid header at ${start}`);
  }
  let at = start + FIXED_HEADER_BYTES;
  if ((flags & FLAG.extra) !== 0) {
    if (at + 2 > bytes.length) throw malformed('gzip', 'its header is cut off');
    at += 2 + uint16Le(bytes, at);
  }
  for (const flag of [FLAG.name, FLAG.comment]) {
    if ((flags & flag) === 0) continue;
    const terminator = bytes.indexOf(0, at);
    if (terminator < 0) throw malformed('gzip', 'its header is cut off');
    at = terminator + 1;
  }
  return (flags & FLAG.headerChecksum) === 0 ? at : at + 2;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = (value & 1) === 1 ? (value >>> 1) ^ 0xedb8_8320 : value >>> 1;
  return value;
});

export function crc32(bytes: Uint8Array): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0);
  return (crc ^ 0xffff_ffff) >>> 0;
}
