import { open } from 'node:fs/promises';

/** An open file that is read by position. It implements the byte source of the boot image library. */
export interface FileByteSource {
  /** Size in bytes when the file was opened. */
  readonly size: number;
  /** Time of the last change when the file was opened, in milliseconds since the epoch. */
  readonly modifiedMs: number;
  /** Number of the file in its file system. A file that gets the name of an open file has another number. */
  readonly inode: number;
  /**
   * Returns exactly `length` bytes from `offset`. Rejects with RangeError outside the file, or when the file has become
   * shorter.
   */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Like `read`, but fills all of `target`. */
  readInto(offset: number, target: Uint8Array): Promise<void>;
  /** Waits for pending reads. Idempotent. */
  close(): Promise<void>;
}

/**
 * Opens the file. Reads have no shared position, so several downloads can use one source. Rejects when the file cannot
 * be opened.
 */
export async function openFileByteSource(path: string): Promise<FileByteSource> {
  const file = await open(path, 'r');
  const { size, mtimeMs, ino } = await file.stat().catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
  let closing: Promise<void> | undefined;
  const readInto = async (offset: number, target: Uint8Array): Promise<void> => {
    const { length } = target;
    if (!isInside(size, offset, length)) {
      throw new RangeError(`Bytes ${offset} to ${offset + length} are not inside ${path}, which has ${size} bytes.`);
    }
    for (let filled = 0; filled < length;) {
      const { bytesRead } = await file.read(target, filled, length - filled, offset + filled);
      if (bytesRead === 0) throw new RangeError(`${path} became shorter than ${size} bytes while it was being read.`);
      filled += bytesRead;
    }
  };
  return {
    size,
    modifiedMs: Math.floor(mtimeMs),
    inode: ino,
    readInto,
    async read(offset, length) {
      if (!isInside(size, offset, length)) {
        throw new RangeError(`Bytes ${offset} to ${offset + length} are not inside ${path}, which has ${size} bytes.`);
      }
      // The buffer is not zeroed: every byte is filled below, or the read fails.
      const bytes = Buffer.allocUnsafeSlow(length);
      await readInto(offset, bytes);
      return bytes;
    },
    close: () => (closing ??= file.close()),
  };
}

function isInside(size: number, offset: number, length: number): boolean {
  const whole = Number.isSafeInteger(offset) && Number.isSafeInteger(length);
  return whole && offset >= 0 && length >= 0 && offset <= size - length;
}
