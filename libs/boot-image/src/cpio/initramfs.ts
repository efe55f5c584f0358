import { BootImageError, malformed } from '../boot-image.error';
import { startsWith } from '../binary';
import { gunzipMember, isGzip } from './gzip';
import { isCpio, readCpio, type CpioEntry } from './newc';

/** Bounds what a small, hostile archive can unpack to. */
export const INITRAMFS_UNPACKED_BYTES_MAX = 64 * 1024 * 1024;

const OTHER_COMPRESSIONS: ReadonlyArray<{ readonly format: string; readonly magic: readonly number[] }> = [
  { format: 'xz', magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00] },
  { format: 'zstd', magic: [0x28, 0xb5, 0x2f, 0xfd] },
  { format: 'bzip2', magic: [0x42, 0x5a, 0x68] },
  { format: 'lzma', magic: [0x5d, 0x00, 0x00] },
  { format: 'lz4', magic: [0x02, 0x21, 0x4c, 0x18] },
  { format: 'lzo', magic: [0x89, 0x4c, 0x5a, 0x4f] },
];

/**
 * The entries of archives as the kernel unpacks them: gzip or plain newc, one after the other, zeros between and after.
 * Only zeros: no entries. A repeated name appears twice; the later one counts.
 * Throws `unsupported_compression`, or `malformed` for damage and for anything else between the archives.
 */
export function readInitramfs(bytes: Uint8Array): CpioEntry[] {
  return read(bytes, INITRAMFS_UNPACKED_BYTES_MAX, true);
}

function read(bytes: Uint8Array, maxBytes: number, mayBeCompressed: boolean): CpioEntry[] {
  const parts: CpioEntry[][] = [];
  let budgetBytes = maxBytes;
  for (let at = 0; at < bytes.length;) {
    if (bytes[at] === 0) {
      at += 1;
    } else if (isCpio(bytes, at)) {
      const archive = readCpio(bytes, at);
      parts.push(archive.entries);
      at = archive.end;
    } else if (mayBeCompressed && isGzip(bytes, at)) {
      const unpacked = gunzipMember(bytes, at, budgetBytes);
      budgetBytes -= unpacked.bytes.length;
      parts.push(read(unpacked.bytes, budgetBytes, false));
      at = unpacked.end;
    } else {
      const position = at;
      const other = OTHER_COMPRESSIONS.find(({ magic }) => startsWith(bytes, magic, position));
      if (other) throw new BootImageError({ code: 'unsupported_compression', format: other.format });
      throw malformed('embedded archive', `neither an archive nor padding at ${at}`);
    }
  }
  return parts.flat();
}
