import { type Timer } from '@muster/host-api';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface DownloadImageOptions {
  readonly url: string;
  /** Where the image is written to; replaced when it exists. */
  readonly path: string;
  readonly timer: Timer;
  readonly signal: AbortSignal;
  /** Told why a try failed; another follows. */
  readonly onRetry?: (reason: string) => void;
}

const RETRY_MS = 5_000;
const TRIES_MAX = 120;

/** Downloads a boot image; retries while the service is unavailable. Returns its size in bytes. */
export async function downloadImage(options: DownloadImageOptions): Promise<number> {
  const { url, path, timer, signal } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const answer = await fetch(url, { signal });
      if (!answer.ok || !answer.body) {
        const reason = `The image was refused with HTTP ${answer.status}: ${(await answer.text()).slice(0, 300)}`;
        // The link itself is wrong or too old: trying again cannot help.
        if (answer.status >= 400 && answer.status < 500) throw new ImageRefused(reason);
        throw new Error(reason);
      }
      const file = createWriteStream(path);
      await pipeline(Readable.fromWeb(answer.body as never), file);
      return file.bytesWritten;
    } catch (error) {
      if (error instanceof ImageRefused || signal.aborted || attempt >= TRIES_MAX) throw error;
      options.onRetry?.(error instanceof Error ? error.message : String(error));
      await timer.sleep(RETRY_MS, signal);
    }
  }
}

export class ImageRefused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'ImageRefused';
  }
}
