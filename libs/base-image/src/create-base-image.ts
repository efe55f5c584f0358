import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isCoreOsVolumeId } from '@muster/boot-image';
import { type Architecture, ARCHITECTURE_LAYOUTS } from './architectures';
import { imageFiles } from './image-files';
import { runXorriso } from './xorriso';

export const DEFAULT_VOLUME_ID = 'rhcos-muster-demo';
/** 2025-01-01T00:00:00Z, in seconds. */
export const DEFAULT_SOURCE_DATE_EPOCH = 1_735_689_600;

export interface BaseImageOptions {
  /**
   * Path of the ISO. An existing file is replaced atomically after the ISO is complete. Missing folders are created.
   */
  readonly outPath: string;
  readonly architecture?: Architecture;
  /** Must start with rhcos-, fedora-coreos- or scos-; at most 32 letters, digits, dots, dashes and underscores. */
  readonly volumeId?: string;
  /** The date of all entries in the image, in seconds since 1970. */
  readonly sourceDateEpoch?: number;
}

export interface BaseImage {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly volumeId: string;
  readonly architecture: Architecture;
}

/**
 * Creates a small live ISO with the layout of a CoreOS image and without an operating system. Equal options result in
 * equal bytes.
 * @throws RangeError for an invalid volume id
 * @throws XorrisoError when the ISO cannot be written
 */
export async function createBaseImage(options: BaseImageOptions): Promise<BaseImage> {
  const { architecture = 'x86_64', volumeId = DEFAULT_VOLUME_ID } = options;
  const sourceDateEpoch = options.sourceDateEpoch ?? DEFAULT_SOURCE_DATE_EPOCH;
  assertVolumeId(volumeId);
  const path = resolve(options.outPath);
  await mkdir(dirname(path), { recursive: true });
  // In the folder of the ISO, because a rename is atomic only within one file system.
  const scratch = await mkdtemp(join(dirname(path), '.base-image-'));
  const [tree, complete] = [join(scratch, 'tree'), join(scratch, 'image.iso')];
  try {
    for (const [name, bytes] of imageFiles(volumeId, architecture)) {
      await mkdir(dirname(join(tree, name)), { recursive: true });
      await writeFile(join(tree, name), bytes);
    }
    const dates = ['--set_all_file_dates', `=${sourceDateEpoch}`];
    await runXorriso([...isoArguments(volumeId, architecture), ...dates, '-o', complete, tree], sourceDateEpoch);
    const { size: bytes } = await stat(complete);
    const sha256 = await digest(complete);
    await flush(complete);
    await rename(complete, path);
    return { path, bytes, sha256, volumeId, architecture };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function assertVolumeId(volumeId: string): void {
  if (isCoreOsVolumeId(volumeId) && /^[A-Za-z0-9._-]{1,32}$/.test(volumeId)) return;
  throw new RangeError(
    `The volume id ${JSON.stringify(volumeId)} cannot be used: it must start with rhcos-, fedora-coreos- or scos- and have at most 32 letters, digits, dots, dashes or underscores.`,
  );
}

/** ISO level 1 adds short names (8.3) to the long Rock Ridge names, as in CoreOS images. */
function isoArguments(volumeId: string, architecture: Architecture): string[] {
  const boot = ARCHITECTURE_LAYOUTS[architecture].elTorito.flatMap(({ path, platform }, index) => [
    ...(index > 0 ? ['-eltorito-alt-boot'] : []),
    ...(platform === 'efi' ? ['-e', path] : ['-b', path, '-boot-load-size', '4']),
    '-no-emul-boot',
    ...(path.startsWith('isolinux/') ? ['-c', 'isolinux/boot.cat', '-boot-info-table'] : []),
  ]);
  return [...['-as', 'mkisofs', '-quiet', '-iso-level', '1', '-rational-rock', '-no-pad', '-volid', volumeId], ...boot];
}

/** A file system may write the new name to the disk before the bytes. */
async function flush(path: string): Promise<void> {
  const file = await open(path, 'r');
  await file.sync().finally(() => file.close());
}

async function digest(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
