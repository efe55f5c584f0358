import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { dirname } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isFullDisk } from '@muster/nest-kit';
import { errorCode } from '@muster/schema';
import { isOfVersion, plain, type RemoteClient, RemoteError, versionOf } from './remote-client';

export interface WantedImage {
  /** File name in the store. Equal images have the same name. */
  readonly fileName: string;
  readonly url: string;
  /** Hex. Empty when it is not known. */
  readonly sha256: string;
}

/** Download state of an image file. */
export type StoredImageState =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'downloading';
      readonly receivedBytes: number;
      /** Undefined until the server has answered. */
      readonly totalBytes: number | undefined;
    }
  | { readonly kind: 'ready'; readonly bytes: number }
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAtMs: number };

const LACKS_RESOURCES: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']);
/** Returns whether the operating system lacks file descriptors or memory. The file itself may be intact. */
export const lacksResources = (error: unknown): boolean => LACKS_RESOURCES.has(errorCode(error) ?? '');

const MEBIBYTE = 1024 * 1024;
export const DISK_REMEDY = 'free disk space, or set DATA_DIR to a larger disk';

/** Returns the refusal of a request for an image that is not available yet. */
export function noteOf(fileName: string, state: StoredImageState): string {
  switch (state.kind) {
    case 'absent':
    case 'ready':
      return `The base image ${fileName} is not downloaded yet. Retry later.`;
    case 'downloading': {
      const total = state.totalBytes;
      const progress = total
        ? `, ${Math.floor((state.receivedBytes / total) * 100)} % of ${Math.ceil(total / MEBIBYTE)} MiB`
        : '';
      return `The base image ${fileName} is being downloaded${progress}. Retry later.`;
    }
    case 'failed':
      return `The base image ${fileName} could not be downloaded: ${state.reason}. The service retries the download.`;
    default:
      return state satisfies never;
  }
}

export interface DownloadOptions {
  readonly url: string;
  /** Path of the complete, verified file. An incomplete download is at `<target>.partial`. */
  readonly target: string;
  /** Hex. Empty: only the length is verified. */
  readonly sha256: string;
  readonly signal: AbortSignal;
  /**
   * Called with the total size, and how much of it the disk does not have yet, before anything is written. A rejection ends the
   * download.
   */
  readonly admit: (totalBytes: number, missingBytes: number) => Promise<void>;
  readonly progress: (receivedBytes: number, totalBytes: number) => void;
  /** Checks the complete file before it is renamed. A rejection ends the download. */
  readonly verify: (path: string) => Promise<void>;
}

/**
 * Downloads a file. Resumes an interrupted attempt if the file is unchanged. The file gets the Last-Modified time of the server,
 * which is the same in all replicas and after each download.
 * @throws RemoteError, or RangeError for a full disk or a file with another SHA-256
 */
export async function downloadFile(client: RemoteClient, options: DownloadOptions): Promise<void> {
  const { url, target, signal } = options;
  const partial = `${target}.partial`;
  const versionFile = `${partial}.version`;
  const discard = async (): Promise<void> => {
    await Promise.all([rm(partial, { force: true }), rm(versionFile, { force: true })]);
  };
  const before = await sizeOf(partial);
  const knownVersion = before > 0 ? await readFile(versionFile, 'utf8').catch(() => '') : '';
  const ask = (from: number): Promise<IncomingMessage> =>
    client.get(url, from > 0 ? { range: `bytes=${from}-`, 'if-range': knownVersion } : {}, signal);
  let resumeFrom = knownVersion === '' ? 0 : before;
  let answer = await ask(resumeFrom);
  if (resumeFrom > 0 && isOtherRange(answer, resumeFrom, knownVersion)) {
    // The server would not continue this partial file at any attempt.
    answer.destroy();
    await discard();
    resumeFrom = 0;
    answer = await ask(resumeFrom);
  }
  try {
    const { start, total } = planOf(answer, url, resumeFrom);
    await options.admit(total, total - (await sizeOf(partial)));
    if (start === 0) {
      // A process that is killed here must not leave the bytes of another version beside the new version.
      if (before > 0) await rm(partial, { force: true });
      await writeFile(versionFile, versionOf(answer));
    }
    let received = start;
    options.progress(received, total);
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        received += chunk.length;
        options.progress(received, total);
        done(null, chunk);
      },
    });
    const ended = (): RemoteError => new RemoteError(`${plain(url)} ended after ${received} of ${total} bytes`);
    // The partial file is complete: the response has no body.
    if (start === total) answer.resume();
    else
      await pipeline(answer, counted, createWriteStream(partial, { flags: start === 0 ? 'w' : 'a' }), { signal }).catch(
        (error: unknown) => {
          // The text of a broken connection, `aborted`, names neither the server nor the progress.
          throw errorCode(error) === 'ECONNRESET' ? ended() : error;
        },
      );
    if (received !== total) throw ended();
  } catch (error) {
    answer.destroy();
    // Other files need the space.
    if (isFullDisk(error)) await discard();
    throw withRemedy(error, target);
  }
  try {
    if (options.sha256 !== '') assertSha256(await sha256Of(partial, signal), options.sha256);
    await options.verify(partial);
    const modifiedMs = Date.parse(answer.headers['last-modified'] ?? '');
    if (!Number.isNaN(modifiedMs)) await utimes(partial, new Date(), new Date(modifiedMs));
    await flush(partial);
  } catch (error) {
    // Resuming cannot succeed, except with a file that could not be read for a moment or until a stop.
    if (!lacksResources(error) && !signal.aborted) await discard();
    throw withRemedy(error, target);
  }
  await rename(partial, target);
  await rm(versionFile, { force: true });
}

const withRemedy = (error: unknown, path: string): unknown =>
  isFullDisk(error) ? new RangeError(`the disk of ${dirname(path)} is full; ${DISK_REMEDY}`) : error;

const firstAndTotalOf = ({ headers }: IncomingMessage): readonly (number | undefined)[] =>
  (/^bytes (\d+)-\d+\/(\d+)$/.exec(headers['content-range'] ?? '') ?? []).slice(1).map(Number);

/** The partial file is complete when the range begins at the end of the file. */
const isComplete = ({ statusCode, headers }: IncomingMessage, from: number): boolean =>
  statusCode === 416 && headers['content-range'] === `bytes */${from}`;

function isOtherRange(answer: IncomingMessage, from: number, version: string): boolean {
  if (answer.statusCode === 416) return !isComplete(answer, from);
  return answer.statusCode === 206 && (firstAndTotalOf(answer)[0] !== from || !isOfVersion(answer, version));
}

function planOf(
  answer: IncomingMessage,
  url: string,
  resumeFrom: number,
): { readonly start: number; readonly total: number } {
  const { statusCode, headers } = answer;
  if (statusCode === 206) {
    const [first, total] = firstAndTotalOf(answer);
    if (first === resumeFrom && total !== undefined) return { start: resumeFrom, total };
    throw new RemoteError(`${plain(url)} sent a different range than requested`);
  }
  if (resumeFrom > 0 && isComplete(answer, resumeFrom)) return { start: resumeFrom, total: resumeFrom };
  if (statusCode !== 200) throw new RemoteError(`${plain(url)} answered ${statusCode}`);
  const total = Number(headers['content-length']);
  if (!Number.isSafeInteger(total)) throw new RemoteError(`${plain(url)} sent no Content-Length`);
  if (total === 0) throw new RemoteError(`${plain(url)} sent an empty file`);
  return { start: 0, total };
}

const DOWNLOADS_AT_ONCE_MAX = 2;

/** Runs a limited number of downloads at one time. The others wait, by file name. */
export class DownloadTurns {
  private running = 0;
  private readonly waiting = new Map<string, () => void>();
  /** File names for which requests wait, in the order of the first requests. */
  private readonly preferred = new Set<string>();

  /** Runs the download when it has its turn. */
  async take(fileName: string, download: () => Promise<void>): Promise<void> {
    if (this.running >= DOWNLOADS_AT_ONCE_MAX) await new Promise<void>((go) => this.waiting.set(fileName, go));
    else this.running += 1;
    try {
      await download();
    } finally {
      this.passOn();
    }
  }

  /** A waiting download begins before those that are not preferred. */
  prefer(fileName: string): void {
    if (this.waiting.has(fileName)) this.preferred.add(fileName);
  }

  /** Runs all downloads that wait. */
  endWaiting(): void {
    while (this.waiting.size > 0) {
      this.running += 1;
      this.passOn();
    }
  }

  /** Gives the turn of a download that has ended to the next one. */
  private passOn(): void {
    const [next = ''] = [...this.preferred, ...this.waiting.keys()];
    const go = this.waiting.get(next);
    this.waiting.delete(next);
    this.preferred.delete(next);
    if (go) go();
    else this.running -= 1;
  }
}

/** A failed download is repeated at the first request after this time. */
const RETRY_AFTER_MS = 30_000;
const RETRY_AFTER_MS_MAX = 3_600_000;

/**
 * Decides when failed downloads are repeated. A wrong file was transferred completely, and probably will be again, so the wait doubles
 * each time.
 */
export class RetryWaits {
  /** Wrong files in sequence, by file name. */
  private readonly wrong = new Map<string, number>();

  /** Returns the wait in milliseconds after a failure in this state. */
  after(fileName: string, state: StoredImageState, error: unknown): number {
    const isComplete = state.kind === 'downloading' && state.receivedBytes === state.totalBytes;
    const wrong = isComplete && !lacksResources(error) ? (this.wrong.get(fileName) ?? 0) + 1 : 0;
    this.wrong.set(fileName, wrong);
    return Math.min(RETRY_AFTER_MS * 2 ** Math.max(0, wrong - 1), RETRY_AFTER_MS_MAX);
  }

  /** The download has succeeded. */
  end(fileName: string): void {
    this.wrong.delete(fileName);
  }
}

/** Reads the file in chunks, so that requests are served meanwhile. Hex. */
export async function sha256Of(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash, { signal });
  return hash.digest('hex');
}

/** Returns the SHA-256 digest of the text. Hex. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** @throws RangeError when the SHA-256 differs. Without an expected one, every file is accepted. */
export function assertSha256(found: string, expected: string): void {
  if (expected !== '' && found !== expected.toLowerCase())
    throw new RangeError(`its SHA-256 is ${found}, and OS_IMAGES says ${expected.toLowerCase()}`);
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+');
  await file.sync().finally(() => file.close());
}

/** Returns the size of the file in bytes; 0 when it does not exist. */
export const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
