import { roundUp } from '../binary';
import { bufferByteSource, type ByteSource } from '../byte-source';
import { concatSources, zeroSource } from '../segmented-source';

/** Where the boot program of s390x puts the ramdisk. */
const S390X_INITRD_ADDRESS = 0x0200_0000;
const ALIGNMENT_BYTES = 4;

/**
 * The ramdisk of an image followed by archives that the kernel unpacks over it. Each begins at a multiple of 4 bytes: zeros
 * in between are skipped.
 */
export function extendInitrd(initrd: ByteSource, archives: readonly Uint8Array[]): ByteSource {
  const parts = [initrd, ...archives.filter(({ length }) => length > 0).map(bufferByteSource)];
  return concatSources(
    parts.flatMap((part, index) =>
      index === parts.length - 1 ? [part] : [part, zeroSource(roundUp(part.size, ALIGNMENT_BYTES) - part.size)],
    ),
  );
}

/** The ramdisk description for s390x: address and size, 8 bytes each, big-endian. */
export function s390xAddressAndSize(initrdBytes: number): Uint8Array {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(S390X_INITRD_ADDRESS), false);
  view.setBigUint64(8, BigInt(initrdBytes), false);
  return bytes;
}
