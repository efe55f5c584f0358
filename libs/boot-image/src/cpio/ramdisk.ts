import { concatBytes, latin1, roundUp, startsWith, utf8, utf8Bytes } from '../binary';
import { BootImageError, malformed } from '../boot-image.error';
import { bufferByteSource, type ByteSource, concatSources, zeroSource } from '../byte-source';
import { gunzipMember, gzip, isGzip } from './gzip';

/** One member of a newc archive. `mode` is the whole st_mode: type and permissions, such as 0o100644. */
export interface CpioEntry {
  readonly name: string;
  readonly mode: number;
  readonly data: Uint8Array;
}

export const CPIO_REGULAR_FILE = 0o100000;
export const CPIO_DIRECTORY = 0o040000;
export const CPIO_SYMLINK = 0o120000;

const HEADER_BYTES = 110;
const NAME_BYTES_MAX = 4096;
const DATA_BYTES_MAX = 0xffff_ffff;
const FILE_TYPE_MASK = 0o170000;
const MAGICS: readonly string[] = ['070701', '070702'];
const TRAILER = 'TRAILER!!!';

/** Header fields in order, after the magic number. */
const FIELD = { mode: 1, filesize: 6, namesize: 11 } as const;

/**
 * Returns a newc archive with its trailer. Equal entries result in equal bytes: times, owners and devices are zero,
 * inodes count from 1.
 * @throws BootImageError `malformed` for a name that the format cannot contain
 */
export function writeCpio(entries: readonly CpioEntry[]): Uint8Array {
  const members = entries.map((entry, index) => {
    if (entry.name === TRAILER) throw malformed('cpio', `${TRAILER} marks the end of an archive and cannot be a file`);
    return member(entry, index + 1);
  });
  return concatBytes([...members, member({ name: TRAILER, mode: 0, data: new Uint8Array() }, 0)]);
}

/**
 * Returns the entries of the archive that starts at `start`, and its end (after the padding of its trailer). Accepts
 * newc with and without checksums.
 * @throws BootImageError `malformed`, also when the trailer is missing
 */
export function readCpio(bytes: Uint8Array, start = 0): { readonly entries: CpioEntry[]; readonly end: number } {
  const entries: CpioEntry[] = [];
  for (let at = start; ;) {
    const fields = readHeader(bytes, at);
    const nameEnd = at + HEADER_BYTES + fields.namesize;
    // Padding counts from the start of the archive.
    const dataStart = start + roundUp(nameEnd - start, 4);
    const dataEnd = dataStart + fields.filesize;
    if (nameEnd > bytes.length || dataEnd > bytes.length) throw malformed('cpio', `the member at ${at} is cut off`);
    const name = utf8(bytes.subarray(at + HEADER_BYTES, nameEnd - 1));
    at = Math.min(start + roundUp(dataEnd - start, 4), bytes.length);
    if (name === TRAILER) return { entries, end: at };
    entries.push({ name, mode: fields.mode, data: bytes.subarray(dataStart, dataEnd) });
  }
}

export function isCpio(bytes: Uint8Array, at: number): boolean {
  return MAGICS.includes(latin1(bytes.subarray(at, at + 6)));
}

function readHeader(bytes: Uint8Array, at: number): { mode: number; filesize: number; namesize: number } {
  const header = latin1(bytes.subarray(at, at + HEADER_BYTES));
  if (header.length < HEADER_BYTES) throw malformed('cpio', `the archive ends at ${bytes.length} without its trailer`);
  if (!MAGICS.includes(header.slice(0, 6))) throw malformed('cpio', `no newc header at ${at}`);
  if (!/^[0-9a-f]{104}$/i.test(header.slice(6))) throw malformed('cpio', `the header at ${at} is not hexadecimal`);
  const field = (index: number) => Number.parseInt(header.slice(6 + index * 8, 14 + index * 8), 16);
  const namesize = field(FIELD.namesize);
  if (namesize < 2 || namesize > NAME_BYTES_MAX) throw malformed('cpio', `a name of ${namesize} bytes at ${at}`);
  return { mode: field(FIELD.mode), filesize: field(FIELD.filesize), namesize };
}

function member({ name, mode, data }: CpioEntry, ino: number): Uint8Array {
  const header = memberHeader({ name, mode, dataBytes: data.length, ino });
  return concatBytes([header, padded(data)]);
}

interface MemberHeader {
  readonly name: string;
  readonly mode: number;
  readonly dataBytes: number;
  readonly ino: number;
}

/** Header and name, padded to where the data begins. */
function memberHeader({ dataBytes, ino, mode, name }: MemberHeader): Uint8Array {
  const nameBytes = utf8Bytes(`${name}\0`);
  if (nameBytes.length < 2 || nameBytes.length > NAME_BYTES_MAX || nameBytes.indexOf(0) !== nameBytes.length - 1) {
    throw malformed('cpio', `${JSON.stringify(name.slice(0, 100))} cannot be a file name`);
  }
  if (dataBytes > DATA_BYTES_MAX) throw malformed('cpio', `${name} is larger than 4 GiB`);
  const linkCount = (mode & FILE_TYPE_MASK) === CPIO_DIRECTORY ? 2 : 1;
  const header = [ino, mode, 0, 0, linkCount, 0, dataBytes, 0, 0, 0, 0, nameBytes.length, 0];
  const text = `070701${header.map((value) => value.toString(16).padStart(8, '0')).join('')}`;
  const dataStart = roundUp(HEADER_BYTES + nameBytes.length, 4);
  const bytes = new Uint8Array(dataStart);
  bytes.set(utf8Bytes(text));
  bytes.set(nameBytes, HEADER_BYTES);
  return bytes;
}

/** Limits the unpacked size of a small, hostile archive. */
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
 * Returns the entries of archives as the kernel unpacks them: gzip or plain newc, one after another, with zeros between
 * and after them. Only zeros: no entries. A repeated name occurs twice, and the later one applies.
 * @throws BootImageError `unsupported_compression`, or `malformed` for damaged archives and for other data between them
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

/**
 * Returns a newc archive with one large file after small ones. The content of the file is read on demand. The archive is not
 * compressed, so that its size is known.
 */
export function archiveWith(
  files: readonly CpioEntry[],
  large: { readonly name: string; readonly mode: number; readonly content: ByteSource },
): ByteSource {
  const { content, mode, name } = large;
  const trailerBytes = writeCpio([]).length;
  const before = writeCpio(files);
  const header = memberHeader({ name, mode, dataBytes: content.size, ino: files.length + 1 });
  return concatSources([
    bufferByteSource(before.subarray(0, before.length - trailerBytes)),
    bufferByteSource(header),
    content,
    zeroSource(roundUp(content.size, 4) - content.size),
    bufferByteSource(writeCpio([])),
  ]);
}

const DIRECTORY_MODE = CPIO_DIRECTORY | 0o755;

/** A file that a ramdisk adds to the booting system. */
export interface RamdiskFile {
  /** Absolute, such as `/etc/assisted/network/host0/mac_interface.ini`. */
  readonly path: string;
  /** Permissions, such as 0o600. With the type bits of a symbolic link, the content is its target. */
  readonly mode: number;
  readonly content: string | Uint8Array;
}

/**
 * Returns a ramdisk with the files and their parent directories: gzip of newc, padded with zeros to a multiple of 4
 * bytes so that another archive can follow. Equal files result in equal bytes.
 * @throws BootImageError `malformed` for a path that is not absolute, contains `..`, or occurs twice
 */
export function createRamdisk(files: readonly RamdiskFile[]): Uint8Array {
  const entries = new Map<string, CpioEntry>();
  for (const { path, mode, content } of files) {
    const names = namesOf(path);
    for (let depth = 1; depth < names.length; depth += 1) {
      const directory = names.slice(0, depth).join('/');
      const known = entries.get(directory);
      if (known && (known.mode & FILE_TYPE_MASK) !== CPIO_DIRECTORY)
        throw malformed('ramdisk', `/${directory} is a file`);
      if (!known) entries.set(directory, { name: directory, mode: DIRECTORY_MODE, data: new Uint8Array() });
    }
    const name = names.join('/');
    if (entries.has(name)) throw malformed('ramdisk', `${path} occurs twice`);
    const type = mode & FILE_TYPE_MASK;
    if (type !== 0 && type !== CPIO_REGULAR_FILE && type !== CPIO_SYMLINK)
      throw malformed('ramdisk', `${path} is neither a file nor a link`);
    entries.set(name, {
      name,
      mode: type === 0 ? CPIO_REGULAR_FILE | mode : mode,
      data: typeof content === 'string' ? utf8Bytes(content) : content,
    });
  }
  return padded(gzip(writeCpio([...entries.values()])));
}

/** Pads with zeros to a multiple of 4 bytes, where the kernel expects the next archive. */
export function padded(archive: Uint8Array): Uint8Array {
  return concatBytes([archive, new Uint8Array(roundUp(archive.length, 4) - archive.length)]);
}

function namesOf(path: string): string[] {
  const [first, ...names] = path.split('/');
  const isFit = first === '' && names.length > 0 && names.every((name) => !['', '.', '..'].includes(name));
  if (!isFit || Array.from(path).some((character) => character < ' '))
    throw malformed('ramdisk', `${JSON.stringify(path.slice(0, 200))} is not an absolute path`);
  return names;
}
