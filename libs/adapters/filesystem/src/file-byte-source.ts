import { open } from 'node:fs/promises';

/** An open file read by position; has the shape that the boot image library reads from. */
export interface FileByteSource {
  /** Bytes, as of opening. */
  readonly size: number;
  /** When the file was last written to, as of opening, in milliseconds since the epoch. */
  readonly modifiedMs: number;
  /** Exactly `length` bytes from `offset`. Rejects with RangeError outside the file, or when the file has shrunk. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** The same, into all of `target`. */
  readInto(offset: number, target: Uint8Array): Promise<void>;
  /** Waits for reads that are under way. Idempotent. */
  close(): Promise<void>;
}

/** Reads do not move a position, so any number of downloads can share one source. Rejects as `open` when it cannot. */
export async function openFileByteSource(path: string): Promise<FileByteSource> {
  const file = await open(path, 'r');
  const { size, mtimeMs } = await file.stat();
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
    readInto,
    async read(offset, length) {
      if (!isInside(size, offset, length)) {
        throw new RangeError(`Bytes ${offset} to ${offset + length} are not inside ${path}, which has ${size} bytes.`);
      }
      // Not zeroed first: every byte is either filled below or the read fails.
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
