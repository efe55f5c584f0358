import { type ByteSource, isCoreOsVolumeId, openIso, readBootIsoLayout, ROOTFS_PATH } from '@muster/boot-image';

export interface BaseImageMinimums {
  /** Bytes. */
  readonly rootfsBytesMin: number;
  readonly kernelBytesMin: number;
}

const KERNEL_PATHS = ['/images/pxeboot/vmlinuz', '/images/pxeboot/kernel.img'];

/** Whether what was downloaded is a whole live image. Throws BootImageError or RangeError with what is wrong. */
export async function verifyBaseImage(source: ByteSource, minimums: BaseImageMinimums): Promise<void> {
  const { volumeId } = await readBootIsoLayout(source);
  if (!isCoreOsVolumeId(volumeId))
    throw new RangeError(`its volume is named ${JSON.stringify(volumeId)}, which no CoreOS image is`);
  const image = await openIso(source);
  const sizeOf = async (path: string): Promise<number> => (await image.find(path))?.size ?? 0;
  const rootfsBytes = await sizeOf(ROOTFS_PATH);
  if (rootfsBytes < minimums.rootfsBytesMin)
    throw new RangeError(
      `its root file system has ${rootfsBytes} bytes, and at least ${minimums.rootfsBytesMin} are expected`,
    );
  const kernelBytes = Math.max(...(await Promise.all(KERNEL_PATHS.map(sizeOf))));
  if (kernelBytes < minimums.kernelBytesMin)
    throw new RangeError(`its kernel has ${kernelBytes} bytes, and at least ${minimums.kernelBytesMin} are expected`);
}
