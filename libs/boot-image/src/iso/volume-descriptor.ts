import { BootImageError } from '../boot-image.error';
import type { ByteSource } from '../byte-source';
import { latin1, uint16Le } from '../binary';
import { SECTOR_BYTES } from './directory-record';

const DESCRIPTOR_OFFSET = 16 * SECTOR_BYTES;
const DESCRIPTOR_PRIMARY = 1;

/** The sector that names the volume and leads to its root directory. Throws `not_an_iso`. */
export async function readVolumeDescriptor(source: ByteSource): Promise<Uint8Array> {
  if (source.size < DESCRIPTOR_OFFSET + SECTOR_BYTES) {
    throw new BootImageError({ code: 'not_an_iso', reason: `it has only ${source.size} bytes` });
  }
  const descriptor = await source.read(DESCRIPTOR_OFFSET, SECTOR_BYTES);
  if (descriptor[0] !== DESCRIPTOR_PRIMARY || latin1(descriptor.subarray(1, 6)) !== 'CD001') {
    throw new BootImageError({
      code: 'not_an_iso',
      reason: `there is no volume descriptor at byte ${DESCRIPTOR_OFFSET}`,
    });
  }
  const blockBytes = uint16Le(descriptor, 128);
  if (blockBytes !== SECTOR_BYTES) {
    throw new BootImageError({
      code: 'not_an_iso',
      reason: `its blocks have ${blockBytes} bytes instead of ${SECTOR_BYTES}`,
    });
  }
  return descriptor;
}
