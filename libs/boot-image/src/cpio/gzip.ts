import { crc32, inflateRawSync } from 'node:zlib';
import { gzipSync } from 'fflate';

import { malformed } from '../boot-image.error';
import { startsWith, uint16Le, uint32Le } from '../binary';

const GZIP_MAGIC = [0x1f, 0x8b];
const METHOD_DEFLATE = 8;
const FIXED_HEADER_BYTES = 10;
const FOOTER_BYTES = 8;
const FLAG = { headerChecksum: 2, extra: 4, name: 8, comment: 16, reserved: 0xe0 } as const;

/** `stored`: a gzip member without compression, which is about ten times faster. Use it when size does not matter. */
export type Packing = 'compressed' | 'stored';

/**
 * Returns one gzip member without time stamp and name. The same input gives the same bytes in every release of Node, which
 * `node:zlib` does not promise: a client may resume a download after an upgrade.
 */
export function gzip(bytes: Uint8Array, packing: Packing = 'compressed'): Uint8Array {
  return gzipSync(bytes, { mtime: 0, level: packing === 'stored' ? 0 : 6 });
}

export function isGzip(bytes: Uint8Array, at: number): boolean {
  return startsWith(bytes, GZIP_MAGIC, at);
}

/** The content of a compressed stream, and the position of the first byte after the stream. */
export interface Unpacked {
  readonly bytes: Uint8Array;
  readonly end: number;
}

/**
 * Returns the content of the gzip member at `start` and the position after it. The checksum is verified; other data may follow the member.
 * @throws BootImageError `malformed` for a damaged member and for a content of more than `maxBytes`.
 */
export function gunzipMember(bytes: Uint8Array, start: number, maxBytes: number): Unpacked {
  const unpacked = inflate(bytes, skipHeader(bytes, start), maxBytes);
  if (unpacked.end + FOOTER_BYTES > bytes.length) throw malformed('gzip', 'its checksum is cut off');
  if (uint32Le(bytes, unpacked.end) !== crc32(unpacked.bytes)) throw malformed('gzip', 'its checksum does not match');
  if (uint32Le(bytes, unpacked.end + 4) !== unpacked.bytes.length >>> 0) {
    throw malformed('gzip', 'its length does not match');
  }
  return { bytes: unpacked.bytes, end: unpacked.end + FOOTER_BYTES };
}

/**
 * Returns the content of the raw deflate stream at `start` and the position after it. Other data may follow the stream.
 * @throws BootImageError `malformed` for a damaged stream and for a content of more than `maxBytes`.
 */
export function inflate(input: Uint8Array, start: number, maxBytes: number): Unpacked {
  try {
    // With `info`, the result contains the engine, whose bytesWritten is the length of the stream. The types of Node do
    // not have this form.
    const result: unknown = inflateRawSync(input.subarray(start), {
      info: true,
      maxOutputLength: Math.max(1, maxBytes),
    });
    if (!isInflated(result)) throw new Error('inflateRawSync returned no engine');
    if (result.buffer.length > maxBytes) throw tooLarge(maxBytes);
    return { bytes: result.buffer, end: start + result.engine.bytesWritten };
  } catch (error) {
    if (!isZlibError(error)) throw error;
    throw error.code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(maxBytes) : malformed('compressed data', error.message);
  }
}

const isZlibError = (error: unknown): error is { readonly code: string; readonly message: string } =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  (error.code === 'ERR_BUFFER_TOO_LARGE' || String(error.code).startsWith('Z_'));

const tooLarge = (maxBytes: number): Error => malformed('compressed data', `it unpacks to more than ${maxBytes} bytes`);

const isInflated = (
  result: unknown,
): result is { readonly buffer: Uint8Array; readonly engine: { readonly bytesWritten: number } } =>
  typeof result === 'object' && result !== null && 'buffer' in result && 'engine' in result;

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
