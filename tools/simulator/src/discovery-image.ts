import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openFileByteSource } from '@muster/adapter-filesystem';
import { type ByteSource, readBootIsoLayout, readIgnitionConfig, readKargs } from '@muster/boot-image';
import type { Timer } from '@muster/host-api';
import { errorCode, errorMessage, isObject } from '@muster/schema';
import { readIgnition } from './installation/ignition-documents';
import { checkDiscoveryRoot } from './scratch-root/check-roots';
import { applyIgnition, createScratchRoots } from './scratch-root/scratch-roots';

export interface DownloadOptions {
  readonly timer: Timer;
  readonly signal: AbortSignal;
  /** Called before a failed attempt is repeated, when its reason differs from that of the attempt before. */
  readonly onRetry?: (reason: string) => void;
}

export interface DownloadImageOptions extends DownloadOptions {
  readonly url: string;
  /** Path of the image file. An existing file is replaced. */
  readonly path: string;
}

const RETRY_MS = 5_000;
/** Of real time, because the service does not start or download an image faster for a simulated machine. */
const GIVE_UP_MS = 600_000;
/** Too few for the token of an image URL. */
const SHOWN_CHARACTERS_MAX = 40;

/**
 * Downloads a boot image; retries for ten minutes while the service is unavailable. Returns its size in bytes.
 * @throws at once when the URL is no HTTP URL or the service refuses it
 */
export async function downloadImage(options: DownloadImageOptions): Promise<number> {
  const { url, path, signal } = options;
  if (!/^https?:/i.test(url) || !URL.canParse(url))
    throw new Error(
      `The image URL ${JSON.stringify(url.slice(0, SHOWN_CHARACTERS_MAX))} is not valid. Expected: a URL with http:// or https://.`,
    );
  return whileUnavailable(options, async () => {
    const answer = await fetch(url, { signal });
    if (!answer.ok || !answer.body)
      throw refusalOf(
        answer,
        `The image was refused with HTTP ${answer.status}: ${(await answer.text()).slice(0, 300)}`,
      );
    const file = createWriteStream(path);
    await pipeline(Readable.from(answer.body), file);
    return file.bytesWritten;
  });
}

/** After a refusal of the URL itself, which is invalid or has expired, the download is not repeated. */
const refusalOf = ({ status }: Response, reason: string): Error =>
  status >= 400 && status < 500 ? new ImageRefused(reason) : new Error(reason);

async function whileUnavailable<T>(options: DownloadOptions, attempt: () => Promise<T>): Promise<T> {
  const { signal, timer } = options;
  let lastReason = '';
  for (const startedMs = performance.now(); ;) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof ImageRefused || signal.aborted) throw error;
      const reason = reasonOf(error);
      if (performance.now() - startedMs >= GIVE_UP_MS) throw new Error(reason, { cause: error });
      if (reason !== lastReason) options.onRetry?.(reason);
      lastReason = reason;
      await timer.sleep(RETRY_MS, signal);
    }
  }
}

/** `fetch` gives the reason as the cause of its error. The error for several addresses has a code only. */
function reasonOf(error: unknown): string {
  const cause = isObject(error) ? error['cause'] : undefined;
  if (!isObject(cause)) return errorMessage(error);
  return `${errorMessage(error)}: ${errorMessage(cause) || errorCode(cause)}`;
}

export class ImageRefused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'ImageRefused';
  }
}

const ROOTFS_ARGUMENT = /(?:^| )coreos\.live\.rootfs_url="?([^" ]+)/;

/**
 * Downloads the root file system for an image without one, from the URL in the kernel arguments. Resolves with its size
 * in bytes; 0 when the image contains its root file system. Retries for ten minutes while the service is unavailable.
 * @throws when the download fails, as a real machine would hang
 */
export async function fetchRootfs(image: ByteSource, options: DownloadOptions): Promise<number> {
  const { kargs } = await readBootIsoLayout(image);
  const url = kargs && ROOTFS_ARGUMENT.exec(await readKargs(image, kargs))?.[1];
  if (!url) return 0;
  return whileUnavailable(options, async () => {
    const answer = await fetch(url, { signal: options.signal });
    // The query contains the token of the image.
    const reason = `The machine cannot start: its root file system at ${url.split('?', 1)[0]} is answered with ${answer.status}.`;
    if (!answer.ok || !answer.body) throw refusalOf(answer, reason);
    let bytes = 0;
    for await (const chunk of answer.body) bytes += chunk.length;
    return bytes;
  });
}

/**
 * Checks the ISO at `path` by applying it to a folder.
 * @throws when a real machine would not register
 */
export async function checkImage(path: string): Promise<void> {
  const image = await openFileByteSource(path);
  const roots = createScratchRoots();
  try {
    const { ignition } = await readBootIsoLayout(image);
    const config = await readIgnitionConfig(image, ignition);
    // The reader of the settings reports this error.
    if (!config) return;
    const root = roots.fresh('image', 'live');
    applyIgnition(readIgnition(Buffer.from(config), 'the live system'), root);
    checkDiscoveryRoot(root);
  } finally {
    roots.remove();
    await image.close();
  }
}
