import type { Clock, DownloadProgress } from '@muster/ports';

/** The progress of smaller layers is not reported. */
const REPORTED_BYTES_MIN = 1024 ** 2;
const STEPS = 10;
/** A slow download is reported this often, because a preparation without progress times out. */
const REPORT_MS_MAX = 60_000;

/** Returns the name of each new tenth of a layer, and of each minute with progress; otherwise undefined. */
export function downloadSteps({ nowMs }: Clock): (progress: DownloadProgress) => string | undefined {
  const seen = new Map<string, { readonly step: number; readonly bytes: number; readonly atMs: number }>();
  return ({ image, bytes, totalBytes }) => {
    if (totalBytes < REPORTED_BYTES_MIN) return undefined;
    const layer = `${image}/${totalBytes}`;
    const step = Math.floor((bytes * STEPS) / totalBytes);
    const last = seen.get(layer);
    const isNewStep = !last || step > last.step;
    if (!isNewStep && (bytes <= last.bytes || nowMs() - last.atMs < REPORT_MS_MAX)) return undefined;
    seen.set(layer, { step, bytes, atMs: nowMs() });
    return isNewStep ? `${totalBytes}/${step}` : `${totalBytes}/${bytes} bytes`;
  };
}
