import type { DownloadProgress } from '@muster/ports';

/** Smaller layers are downloaded before anyone asks. */
const REPORTED_BYTES_MIN = 1024 ** 2;
const STEPS = 10;

/** Returns the name of each new tenth of a layer; undefined for a progress that is not worth an event. */
export function downloadSteps(): (progress: DownloadProgress) => string | undefined {
  const seen = new Map<string, number>();
  return ({ image, bytes, totalBytes }) => {
    if (totalBytes < REPORTED_BYTES_MIN) return undefined;
    const layer = `${image}/${totalBytes}`;
    const step = Math.floor((bytes * STEPS) / totalBytes);
    if ((seen.get(layer) ?? -1) >= step) return undefined;
    seen.set(layer, step);
    return `${totalBytes}/${step}`;
  };
}
