import type { DownloadProgress } from '@muster/ports';

/** The progress of smaller layers is not reported. */
const REPORTED_BYTES_MIN = 1024 ** 2;
const STEPS = 10;

/** Returns the name of each new tenth of a layer; undefined when no new tenth is complete. */
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
