import { BootImageError } from './boot-image.error';

/** Bytes that can be asked for by position: a file, a buffer, a remote file with ranges, or any of these under overlays. */
export interface ByteSource {
  /** Total bytes; never changes. */
  readonly size: number;
  /**
   * Exactly `length` bytes from `offset`. The caller must not write into the result: it may be a view of the source.
   * Rejects when the range is not inside the source, never returns fewer bytes. Reads may run at the same time.
   */
  read(offset: number, length: number): Promise<Uint8Array>;
  /**
   * The same into memory of the caller's, all of `target`, for callers that read much and reuse the buffer. Sources that would
   * have to copy for it do not have it.
   */
  readInto?(offset: number, target: Uint8Array): Promise<void>;
}

export function assertRange(sizeBytes: number, offset: number, length: number): void {
  const whole = Number.isSafeInteger(offset) && Number.isSafeInteger(length);
  if (!whole || offset < 0 || length < 0 || offset > sizeBytes - length) {
    throw new BootImageError({ code: 'range_out_of_bounds', offset, length, sizeBytes });
  }
}

export function bufferByteSource(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.length,
    async read(offset, length) {
      assertRange(bytes.length, offset, length);
      return bytes.subarray(offset, offset + length);
    },
  };
}
