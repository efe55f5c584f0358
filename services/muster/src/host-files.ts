import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createDirectory, openFileByteSource } from '@muster/adapter-filesystem';
import { type FileLock, lockFile } from '@muster/adapter-sqlite';
import { DEFAULT_OS_IMAGES, DEFAULT_RELEASE_IMAGES, type OsImage } from '@muster/assisted-api';
import { createBaseImage, XorrisoError } from '@muster/base-image';
import { readBootIsoLayout } from '@muster/boot-image';
import { HOST_BINARY_INDEX, type SettingsReader } from '@muster/nest-kit';
import { errorMessage } from '@muster/schema';
import { StartError } from './start-error';

/** Release of the simulated image. */
const OWN_IMAGE = { openshift_version: '4.18', cpu_architecture: 'x86_64', version: '418.94.202501010000-0' };

/**
 * Without OS_IMAGES every release of the default catalogue is available, and its image is downloaded for the first infra-env.
 * The image of one release is replaced by a small simulated one with the layout of CoreOS, so that simulated hosts boot
 * without a network. The release is marked as simulated and is the default version, so that a client that takes the
 * default gets an image that boots. Real machines cannot boot it: MUSTER_SIMULATED_IMAGE=false disables it.
 * @throws StartError `dependency` when xorriso is not installed or fails, `dataDirectory` when it finds the disk full
 */
export async function prepareBaseImages(
  settings: SettingsReader,
  dataDirectory: string,
  tell: (text: string) => void,
): Promise<{ OS_IMAGES?: string; RELEASE_IMAGES?: string }> {
  if (settings.isSet('OS_IMAGES') || !settings.get('MUSTER_SIMULATED_IMAGE')) return {};
  const directory = join(dataDirectory, 'images');
  const outPath = join(directory, 'muster-demo-x86_64.iso');
  createDirectory(directory);
  if (!(await isWhole(outPath)))
    await createBaseImage({ outPath }).catch((error: unknown) => {
      throw error instanceof XorrisoError ? imageFailure(error) : error;
    });
  tell(
    `The ${OWN_IMAGE.openshift_version} ${OWN_IMAGE.cpu_architecture} image boots simulated hosts only. For real machines, set MUSTER_SIMULATED_IMAGE=false, or OS_IMAGES.`,
  );
  const others = DEFAULT_OS_IMAGES.filter((image) => !isOfOwnRelease(image));
  return {
    OS_IMAGES: JSON.stringify([...others, { ...OWN_IMAGE, url: pathToFileURL(outPath).href }]),
    RELEASE_IMAGES: JSON.stringify(
      DEFAULT_RELEASE_IMAGES.map((release) => {
        const isOwn = isOfOwnRelease(release);
        return { ...release, default: isOwn, ...(isOwn && { simulated: true }) };
      }),
    ),
  };
}

const isOfOwnRelease = ({
  openshift_version,
  cpu_architecture,
}: Pick<OsImage, 'openshift_version' | 'cpu_architecture'>): boolean =>
  openshift_version === OWN_IMAGE.openshift_version && cpu_architecture === OWN_IMAGE.cpu_architecture;

/** In the output of xorriso when the disk is full. */
const DISK_FULL = /exceeds free space|no space left on device|quota exceeded/i;

function imageFailure(error: XorrisoError): StartError {
  const reason = (error.message.trim().split('\n').at(-1) ?? '').replace(/\.$/, '');
  const [exitReason, remedy] = DISK_FULL.test(error.message)
    ? (['dataDirectory', 'Free disk space, or set MUSTER_SIMULATED_IMAGE=false.'] as const)
    : (['dependency', 'MUSTER_SIMULATED_IMAGE=false starts without this image.'] as const);
  const text = `The image for simulated hosts cannot be created: ${reason}. ${remedy}`;
  return new StartError(exitReason, text, { cause: error });
}

/** A power failure may leave the name of the image without its bytes. */
async function isWhole(path: string): Promise<boolean> {
  const file = await openFileByteSource(path).catch(() => undefined);
  if (!file) return false;
  const isRead = readBootIsoLayout(file).then(
    () => true,
    () => false,
  );
  return isRead.finally(() => file.close());
}

const IMAGES_LOCK = 'images.lock';

/**
 * Locks a directory for the downloaded images of a process. Two processes would write the same files at the same time, so each further
 * replica has a directory of its own in that of the first one. It is found again as long as the replicas are as many.
 * @throws StartError `dataDirectory` when it is not writable
 */
export function lockImageDirectory(
  settings: SettingsReader,
  dataDirectory: string,
): { readonly path: string; readonly lock: FileLock } {
  const directory = settings.get('DATA_DIR') ?? join(dataDirectory, 'base-images');
  for (let number = 1; ; number += 1) {
    const path = number === 1 ? directory : join(directory, `replica-${number}`);
    try {
      createDirectory(path);
      const lock = lockFile(join(path, IMAGES_LOCK), 'exclusive');
      if (lock) return { path, lock };
    } catch (error) {
      throw new StartError(
        'dataDirectory',
        `The directory of images ${path} is not writable: ${errorMessage(error).replace(/\.$/, '')}. Change its owner or permissions, or set DATA_DIR.`,
        { cause: error },
      );
    }
  }
}

/** Output folder of `npm run build:host`, relative to this file in `src` and in `dist`. */
const BUILT = join(__dirname, '../../../dist/muster-host');

/** Returns the setting for the executables of this repository, unless it is set already or none were built. */
export function builtHostBinaries(settings: SettingsReader): { MUSTER_HOST_BINARIES?: string } {
  const isThere = existsSync(join(BUILT, HOST_BINARY_INDEX));
  return isThere && !settings.isSet('MUSTER_HOST_BINARIES') ? { MUSTER_HOST_BINARIES: BUILT } : {};
}
