import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDirectory } from '@muster/adapter-filesystem';
import { type Clock, steadyClock } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { errorMessage, parseJson, textAt } from '@muster/schema';
import {
  digestOf,
  DISK_REMEDY,
  downloadFile,
  DownloadTurns,
  noteOf,
  RetryWaits,
  sha256Of,
  sizeOf,
  type StoredImageState,
  sum,
  type WantedImage,
} from './download-file';
import { plain, type RemoteClient } from './remote-client';

export interface ImageStoreOptions {
  readonly directory: string;
  /** Maximum total size of all images in bytes. The least recently used ones are evicted. */
  readonly bytesMax: number;
  /** Bytes of the disk that downloads leave free. */
  readonly reserveBytes: number;
  readonly freeBytes: (directory: string) => Promise<number>;
  readonly client: RemoteClient;
  readonly verify: (path: string) => Promise<void>;
  readonly clock: Clock;
  readonly log: (text: string) => void;
}

const PARTIAL = /\.partial(\.version)?$/;
const OWN_FILE = /^rhcos-[A-Za-z0-9._-]+\.iso(\.partial(\.version)?|\.origin)?$/;

/** Downloaded base images in a directory. Each has its own state and does not wait for others. */
export class ImageStore {
  private readonly states = new Map<string, StoredImageState>();
  private readonly users = new Map<string, number>();
  private readonly downloads = new Map<string, Promise<void>>();
  /** Running downloads that have their space: the size of the file, and the bytes that are still to be written. */
  private readonly incoming = new Map<string, { readonly totalBytes: number; readonly missingBytes: number }>();
  /** Downloads are admitted one after the other, so that no two of them take the same space. */
  private admitted = Promise.resolve();
  /** Ready files that are replaced when the file of the new URL in OS_IMAGES is there, with the time of the next attempt. */
  private readonly outdated = new Map<string, number>();
  private readonly turns = new DownloadTurns();
  private readonly waits = new RetryWaits();
  private readonly stop = new AbortController();
  private evicted: (path: string) => void = () => undefined;
  /** Measures the wait after a failed download. */
  private readonly steady: Clock;

  constructor(private readonly options: ImageStoreOptions) {
    this.steady = steadyClock(options.clock);
  }

  /**
   * Reads the directory. Deletes files of images that are no longer needed, or whose SHA-256 in OS_IMAGES was changed. A file whose URL
   * was changed is used until it is replaced. A file that cannot be read or deleted is logged. `keep`: files of other users.
   */
  async start(wanted: readonly WantedImage[], keep: readonly string[] = []): Promise<void> {
    createDirectory(this.options.directory);
    for (const name of await readdir(this.options.directory)) {
      const fileName = name.replace(/\.(partial(\.version)?|origin)$/, '');
      const images = wanted.filter((image) => image.fileName === fileName);
      const isUnused = images.length === 0;
      if (!OWN_FILE.test(name) || keep.includes(name) || (!isUnused && name !== fileName)) continue;
      const work = isUnused ? rm(this.pathOf(name), { force: true }) : this.adopt(fileName, images);
      await work.catch((error: unknown) => this.options.log(`${name}: ${errorMessage(error)}`));
    }
  }

  /** Uses a file of an earlier start, unless OS_IMAGES names another file now. One build may have several URLs. */
  private async adopt(fileName: string, images: readonly WantedImage[]): Promise<void> {
    const { size } = await stat(this.pathOf(fileName));
    for (const image of images) {
      if (!(await this.isCurrent(image))) continue;
      await this.recordOrigin(image).catch(({ message }: Error) => this.options.log(`${fileName}.origin: ${message}`));
      return void this.states.set(fileName, { kind: 'ready', bytes: size });
    }
    if (images.some(({ sha256 }) => sha256 !== '')) {
      this.options.log(`${fileName} was removed: OS_IMAGES has another sha256 for it`);
      return rm(this.pathOf(fileName), { force: true });
    }
    this.options.log(`${fileName} is used until it is replaced: OS_IMAGES has another url for it`);
    this.outdated.set(fileName, 0);
    this.states.set(fileName, { kind: 'ready', bytes: size });
  }

  /** Without a record, the file is from an earlier version of this program or was copied into the directory. */
  private async isCurrent({ fileName, url, sha256 }: WantedImage): Promise<boolean> {
    const origin = parseJson(await readFile(this.originOf(fileName), 'utf8').catch(() => ''));
    const urlSha256 = textAt(origin, 'urlSha256');
    // Earlier versions of this program recorded the URL with its query.
    if (sha256 === '') return urlSha256 === undefined || [plain(url), url].map(digestOf).includes(urlSha256);
    const stored = textAt(origin, 'sha256') || (await sha256Of(this.pathOf(fileName)));
    return stored === sha256.toLowerCase();
  }

  /** The URL is recorded without its query, which may contain a token or a signature that changes. */
  private async recordOrigin({ fileName, url, sha256 }: WantedImage): Promise<void> {
    const origin = JSON.stringify({ urlSha256: digestOf(plain(url)), sha256: sha256.toLowerCase() });
    await writeFile(this.originOf(fileName), origin);
  }

  state(image: WantedImage): StoredImageState {
    return this.states.get(image.fileName) ?? { kind: 'absent' };
  }

  /** Begins a download unless the present file is current, or the image is being downloaded or failed recently. */
  fetch(image: WantedImage): void {
    const state = this.state(image);
    const isCurrent = state.kind === 'ready' && !this.outdated.has(image.fileName);
    const retryAtMs = state.kind === 'failed' ? state.retryAtMs : (this.outdated.get(image.fileName) ?? 0);
    const failedLately = this.steady.nowMs() < retryAtMs;
    if (isCurrent || this.downloads.has(image.fileName) || failedLately || this.stop.signal.aborted) return;
    this.report(image, { kind: 'downloading', receivedBytes: 0, totalBytes: undefined });
    const download = this.turns
      .take(image.fileName, () => this.download(image).finally(() => this.incoming.delete(image.fileName)))
      .catch((error: unknown) => this.failed(image, error))
      .finally(() => this.downloads.delete(image.fileName));
    this.downloads.set(image.fileName, download);
  }

  /** As `fetch`. The download begins before those that no request waits for. */
  request(image: WantedImage): void {
    this.fetch(image);
    this.turns.prefer(image.fileName);
  }

  /**
   * Returns the path of the image and keeps the file until `release`.
   * @throws RefusalError `busy` with the progress while the image is not available
   */
  async hold(image: WantedImage): Promise<{ readonly path: string; release(): void }> {
    this.request(image);
    const state = this.state(image);
    if (state.kind !== 'ready') throw new RefusalError({ code: 'busy', reason: noteOf(image.fileName, state) });
    this.users.set(image.fileName, (this.users.get(image.fileName) ?? 0) + 1);
    await this.markUsed(image.fileName).catch(() => undefined);
    let isHeld = true;
    return {
      path: this.pathOf(image.fileName),
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        this.users.set(image.fileName, (this.users.get(image.fileName) ?? 1) - 1);
      },
    };
  }

  /** Keeps the time of the last change, which clients receive as Last-Modified. */
  private async markUsed(fileName: string): Promise<void> {
    const { mtime } = await stat(this.pathOf(fileName));
    await utimes(this.pathOf(fileName), new Date(this.options.clock.nowMs()), mtime);
  }

  /** The file is missing or changed. The next request downloads it again. */
  forget(image: WantedImage): void {
    if (this.state(image).kind !== 'ready') return;
    this.outdated.delete(image.fileName);
    this.states.delete(image.fileName);
  }

  /** Called with the path of each image that was evicted or replaced. */
  onEvicted(listener: (path: string) => void): void {
    this.evicted = listener;
  }

  /** Aborts downloads. Partial files stay for the next start. */
  async close(): Promise<void> {
    this.stop.abort();
    this.turns.endWaiting();
    await Promise.all(this.downloads.values());
  }

  private async download(image: WantedImage): Promise<void> {
    const { client, verify, log } = this.options;
    const isReplacement = this.outdated.has(image.fileName);
    log(`${image.fileName} is being downloaded`);
    await downloadFile(client, {
      url: image.url,
      target: this.pathOf(image.fileName),
      sha256: image.sha256,
      signal: this.stop.signal,
      admit: (totalBytes, missingBytes) => {
        const makeRoom = (): Promise<void> => this.makeRoom(image.fileName, totalBytes, missingBytes);
        return (this.admitted = this.admitted.then(makeRoom, makeRoom));
      },
      progress: (receivedBytes, totalBytes) => {
        this.incoming.set(image.fileName, { totalBytes, missingBytes: totalBytes - receivedBytes });
        this.report(image, { kind: 'downloading', receivedBytes, totalBytes });
      },
      // The record exists before a new file, so that one of an interrupted download is not taken for a copied one.
      verify: (path) => verify(path).then(() => (isReplacement ? undefined : this.recordOrigin(image))),
    });
    // Without a record of the new URL, the next start downloads the file again.
    const unrecorded = ({ message }: Error): void => log(`${image.fileName}.origin: ${message}`);
    if (isReplacement) await this.recordOrigin(image).catch(unrecorded);
    const { size } = await stat(this.pathOf(image.fileName));
    this.waits.end(image.fileName);
    this.outdated.delete(image.fileName);
    this.states.set(image.fileName, { kind: 'ready', bytes: size });
    if (isReplacement) this.evicted(this.pathOf(image.fileName));
    log(`${image.fileName} is ready (${size} bytes)`);
  }

  /** A file that is being replaced stays ready. */
  private report(image: WantedImage, state: StoredImageState): void {
    if (!this.outdated.has(image.fileName)) this.states.set(image.fileName, state);
  }

  /**
   * Deletes parts of other downloads, then images without active downloads, least recently used first. The file that is
   * replaced does not count.
   * @throws RangeError when not enough can be deleted; then no image is deleted
   */
  private async makeRoom(fileName: string, totalBytes: number, missingBytes: number): Promise<void> {
    const { bytesMax, reserveBytes, directory, log } = this.options;
    if (totalBytes > bytesMax)
      throw new RangeError(
        `it has ${totalBytes} bytes, and OS_IMAGES_STORE_BYTES_MAX allows ${bytesMax} for all images`,
      );
    const others = await this.othersByUse(fileName);
    // The larger one of a file and its replacement counts.
    const sizes = new Map(others.map(({ name, bytes }) => [name, bytes]));
    for (const [name, one] of this.incoming) sizes.set(name, Math.max(sizes.get(name) ?? 0, one.totalBytes));
    let taken = sum([...sizes.values()]);
    const parts = (await readdir(directory)).filter((name) => this.isIdlePart(name, fileName));
    const partBytes = sum(await Promise.all(parts.map((name) => sizeOf(this.pathOf(name)))));
    let lacking = await this.lackingBytes(missingBytes);
    if (lacking > 0 || taken + partBytes + totalBytes > bytesMax) {
      for (const name of parts) if (this.isIdlePart(name, fileName)) await rm(this.pathOf(name), { force: true });
      lacking = await this.lackingBytes(missingBytes);
    }
    const isUnused = (name: string): boolean => (this.users.get(name) ?? 0) === 0 && !this.downloads.has(name);
    const assertRoom = (freedBytes: number): void => {
      if (taken - freedBytes + totalBytes > bytesMax)
        throw new RangeError(
          `it needs ${totalBytes} bytes, and ${taken - freedBytes} of OS_IMAGES_STORE_BYTES_MAX=${bytesMax} are in use`,
        );
      if (lacking > freedBytes)
        throw new RangeError(
          `the disk of ${directory} has ${lacking - freedBytes} bytes too few for it and MUSTER_DISK_RESERVE=${reserveBytes}; ${DISK_REMEDY}`,
        );
    };
    assertRoom(sum(others.map(({ name, bytes }) => (isUnused(name) ? bytes : 0))));
    for (const { name, bytes } of others) {
      if (taken + totalBytes <= bytesMax && lacking <= 0) break;
      if (!isUnused(name)) continue;
      this.outdated.delete(name);
      this.states.delete(name);
      await Promise.all([this.pathOf(name), this.originOf(name)].map((path) => rm(path, { force: true })));
      this.evicted(this.pathOf(name));
      taken -= bytes;
      lacking -= bytes;
      log(`${name} was removed to free space for ${fileName}`);
    }
    // A request may use an image meanwhile.
    assertRoom(0);
    this.incoming.set(fileName, { totalBytes, missingBytes });
  }

  /** Returns the bytes that the disk has too few. */
  private async lackingBytes(missingBytes: number): Promise<number> {
    if (missingBytes <= 0) return 0;
    const coming = sum([...this.incoming.values()].map((other) => other.missingBytes));
    return this.options.reserveBytes + missingBytes + coming - (await this.options.freeBytes(this.options.directory));
  }

  /** Returns whether the file is a part of another download, which is not running. */
  private isIdlePart(name: string, fileName: string): boolean {
    const owner = name.replace(PARTIAL, '');
    return OWN_FILE.test(name) && owner !== name && owner !== fileName && !this.downloads.has(owner);
  }

  private async othersByUse(fileName: string) {
    const others: Array<{ readonly name: string; readonly bytes: number; readonly usedMs: number }> = [];
    for (const [name, state] of this.states) {
      if (state.kind !== 'ready' || name === fileName) continue;
      const found = await stat(this.pathOf(name)).catch(() => undefined);
      others.push({ name, bytes: state.bytes, usedMs: found?.atimeMs ?? 0 });
    }
    return others.sort((a, b) => a.usedMs - b.usedMs);
  }

  private failed(image: WantedImage, error: unknown): void {
    const reason = errorMessage(error);
    const retryAtMs = this.steady.nowMs() + this.waits.after(image.fileName, this.state(image), error);
    this.report(image, { kind: 'failed', reason, retryAtMs });
    if (this.outdated.has(image.fileName)) this.outdated.set(image.fileName, retryAtMs);
    if (!this.stop.signal.aborted) this.options.log(`${image.fileName} could not be downloaded: ${reason}`);
  }

  private readonly pathOf = (fileName: string): string => join(this.options.directory, fileName);
  private readonly originOf = (fileName: string): string => `${this.pathOf(fileName)}.origin`;
}
