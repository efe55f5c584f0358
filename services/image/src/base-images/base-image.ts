import { createHash } from 'node:crypto';
import {
  BootImageError,
  type BootImageErrorCode,
  type BootIsoLayout,
  type ByteSource,
  isCoreOsVolumeId,
  type MinimalIso,
  openIso,
  readBootIsoLayout,
  readRange,
  ROOTFS_PATH,
} from '@muster/boot-image';
import { type ProblemCode, RefusalError } from '@muster/problems';
import { RemoteError } from '../remote/remote-client';
import type { OsImageEntry } from './os-image-catalogue';

/** A live image as it was built, before customisation. */
export interface BaseImage {
  readonly entry: OsImageEntry;
  readonly source: ByteSource;
  readonly layout: BootIsoLayout;
  /** SHA-256 that distinguishes two builds. Hex. */
  readonly digest: string;
  /** Modification time of the file in milliseconds since 1970; 0 when it is unknown. */
  readonly modifiedMs: number;
  /**
   * Returns the image without its root file system, which hosts download from this URL.
   * @throws BootImageError
   */
  minimal(rootfsUrl: string): Promise<MinimalIso>;
}

/** A base image that is in use. It is neither evicted nor closed before `release`, also when its file was replaced. */
export interface HeldBaseImage {
  readonly image: BaseImage;
  release(): void;
}

/** An opened file with its modification time. */
export interface OpenedFile extends ByteSource {
  readonly modifiedMs?: number;
  /** Distinguishes a file that was overwritten from another file with its name. */
  readonly inode?: number;
  close(): Promise<void>;
}

/** Opens a file. Reading images needs no other file system operation. */
export type OpenImageFile = (path: string) => Promise<OpenedFile>;
export const OPEN_IMAGE_FILE = Symbol('OpenImageFile');

/** Images up to this size are read completely. */
const WHOLE_BYTES_MAX = 64 * 1024 * 1024;
const EDGE_BYTES = 4 * 1024 * 1024;

/**
 * SHA-256 of the size and the content. Of large images only the first and last 4 MiB are read, so that the first
 * download does not wait for gigabytes. The first part contains the dates of the volume and the positions of all files,
 * which differ between builds.
 */
export async function digestOfImage(source: ByteSource): Promise<string> {
  const hash = createHash('sha256').update(`${source.size}\n`);
  const isWhole = source.size <= WHOLE_BYTES_MAX;
  const ranges = isWhole
    ? [[0, source.size]]
    : [
        [0, EDGE_BYTES],
        [source.size - EDGE_BYTES, EDGE_BYTES],
      ];
  for (const [offset, length] of ranges)
    for await (const chunk of readRange(source, offset, length)) hash.update(chunk);
  return hash.digest('hex');
}

export interface BaseImageMinimums {
  /** Bytes. */
  readonly rootfsBytesMin: number;
  readonly kernelBytesMin: number;
}

const KERNEL_PATHS = ['/images/pxeboot/vmlinuz', '/images/pxeboot/kernel.img'];

/**
 * Checks that a downloaded file is a complete live image.
 * @throws BootImageError or RangeError with the reason
 */
export async function verifyBaseImage(source: ByteSource, minimums: BaseImageMinimums): Promise<void> {
  const { volumeId } = await readBootIsoLayout(source);
  if (!isCoreOsVolumeId(volumeId))
    throw new RangeError(`its volume id ${JSON.stringify(volumeId)} is not that of a CoreOS image`);
  const image = await openIso(source);
  const sizeOf = async (path: string): Promise<number> => (await image.find(path))?.size ?? 0;
  const rootfsBytes = await sizeOf(ROOTFS_PATH);
  if (rootfsBytes < minimums.rootfsBytesMin)
    throw new RangeError(
      `its root file system has ${rootfsBytes} bytes, but at least ${minimums.rootfsBytesMin} are required`,
    );
  const kernelBytes = Math.max(...(await Promise.all(KERNEL_PATHS.map(sizeOf))));
  if (kernelBytes < minimums.kernelBytesMin)
    throw new RangeError(`its kernel has ${kernelBytes} bytes, but at least ${minimums.kernelBytesMin} are required`);
}

/** Errors that the user can correct. All other errors are faults of the base image. */
const CODES: ReadonlyMap<BootImageErrorCode, ProblemCode> = new Map([
  ['config_too_large', 'too-large'],
  ['ramdisk_too_large', 'too-large'],
  ['kargs_too_long', 'invalid-input'],
  ['hostile_karg', 'invalid-input'],
  ['hostile_url', 'invalid-input'],
  ['no_kargs_area', 'invalid-input'],
  ['no_minimal_image', 'invalid-input'],
]);

/** Runs the work and converts errors of an image, and of the server that it is read from, to refusals. */
export async function refusing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RemoteError)
      throw new RefusalError({ code: 'busy', reason: `The base image cannot be read: ${error.message}. Retry later.` });
    if (!(error instanceof BootImageError)) throw error;
    throw new RefusalError({ code: CODES.get(error.code) ?? 'internal', reason: error.message });
  }
}
