import { createHash } from 'node:crypto';
import { stat, statfs } from 'node:fs/promises';
import { basename } from 'node:path';
import { blockCachedSource, type ByteSource } from '@muster/boot-image';
import { canonicalArchitecture } from '@muster/feature-support';
import { RefusalError } from '@muster/problems';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { CONFIG, type ImageConfig } from '../config';
import { assertSha256, sha256Of, type StoredImageState, type WantedImage } from '../remote/download-file';
import { ImageStore } from '../remote/image-store';
import { openHttpByteSource, RemoteClient } from '../remote/remote-client';
import { digestOfImage, OPEN_IMAGE_FILE, type OpenedFile, type OpenImageFile, verifyBaseImage } from './base-image';
import { kindOf, locationOfImage, type OsImageEntry } from './os-image-catalogue';

export interface OpenedSource {
  readonly source: ByteSource;
  readonly digest: string;
  readonly modifiedMs: number;
  close(): Promise<void>;
}

/** A source that is available until `release`. */
interface HeldSource {
  readonly key: string;
  open(): Promise<OpenedSource>;
  /** The image cannot be used. The next request downloads it again when it is stored here. */
  forget(): void;
  release(): void;
}

/** Failed downloads are repeated also without a request, so that the image is there when a machine boots. */
const REPEAT_FAILED_MS = 300_000;

/** Provides the bytes of base images: files, the store of downloaded images, or a server that is read in place. */
@Injectable()
export class ImageSources implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger('image');
  private readonly client: RemoteClient;
  private readonly store: ImageStore;
  /** By path, as they were when they were opened last. */
  private readonly files = new Map<string, OpenedFile>();
  /** By path, with the version that was read. A file that does not match is not read again at each request. */
  private readonly sha256s = new Map<string, { readonly version: string; readonly sha256: string }>();
  private outdated: (key: string) => void = () => undefined;
  private readonly stop = new AbortController();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: ImageConfig,
    @Inject(OPEN_IMAGE_FILE) private readonly openFile: OpenImageFile,
  ) {
    this.client = new RemoteClient(config.remote);
    this.store = new ImageStore({
      ...config.store,
      freeBytes,
      client: this.client,
      verify: (path) => this.verify(path),
      clock: { nowMs: () => Date.now() },
      log: (text) => this.logger.log(text),
    });
  }

  async onModuleInit(): Promise<void> {
    const wanted = this.config.osImages.flatMap((entry) => this.stored(entry) ?? []);
    if (wanted.length === 0) return;
    const keep = this.config.osImages.flatMap((entry) => {
      const location = this.locationOf(entry);
      return location?.kind === 'file' ? [basename(location.path)] : [];
    });
    await this.store.start(wanted, keep);
    if (this.config.fetch === 'eager') for (const image of wanted) this.store.fetch(image);
    const repeatFailed = (): void => {
      for (const image of wanted) if (this.store.state(image).kind === 'failed') this.store.fetch(image);
    };
    this.timer = setInterval(repeatFailed, REPEAT_FAILED_MS).unref();
  }

  /** The endpoint waits for its requests before it is closed. */
  beforeApplicationShutdown(): void {
    this.stop.abort(new RefusalError({ code: 'busy', reason: 'The image service stops. Retry later.' }));
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.store.close();
    this.client.close();
  }

  /** Whether the image can be opened without waiting for a download. */
  isLocal(entry: OsImageEntry): boolean {
    return this.state(entry).kind === 'ready' && this.locationOf(entry)?.kind === 'file';
  }

  /** Begins the download of an image that is stored here and is not present yet, as a request for it does. */
  prefetch(entry: OsImageEntry): void {
    const image = this.stored(entry);
    if (image) this.store.request(image);
  }

  /**
   * Keeps the image available until `release`.
   * @throws RefusalError `busy` while it is downloaded, or the reason why its URL cannot be used
   */
  async hold(entry: OsImageEntry): Promise<HeldSource> {
    const location = locationOfImage(entry.url, this.config.imageDirectory);
    const nothing = (): void => undefined;
    if (location.kind === 'file') {
      const { path } = location;
      await this.checkVersion(path);
      return { key: path, open: () => this.openFileOf(entry, path), forget: nothing, release: nothing };
    }
    const image = this.stored(entry);
    const { url } = location;
    if (!image) return { key: url, open: () => this.openRemote(url), forget: nothing, release: nothing };
    const { path, release } = await this.store.hold(image);
    // The store reports files that it replaces. Others may overwrite or cut off its files, which are then read or downloaded again.
    await this.checkVersion(path, { withReplaced: false }).catch((error: unknown) => {
      release();
      throw error;
    });
    return { key: path, open: () => this.openPath(path), forget: () => this.store.forget(image), release };
  }

  /** Files and servers that are read in place are always ready. The first use shows whether they can be read. */
  state(entry: OsImageEntry): StoredImageState {
    const image = this.stored(entry);
    return image ? this.store.state(image) : { kind: 'ready', bytes: 0 };
  }

  /** Called with the key of each image that was evicted, or whose file or server has another version now. */
  onOutdated(listener: (key: string) => void): void {
    this.outdated = listener;
    this.store.onEvicted(listener);
  }

  /** An open file may have been replaced or overwritten. A file that was deleted or replaced is still readable. */
  private async checkVersion(path: string, { withReplaced = true } = {}): Promise<void> {
    const known = this.files.get(path);
    const found = known && (await stat(path).catch(() => undefined));
    if (!known || !found || (!withReplaced && found.ino !== known.inode)) return;
    if (versionOf({ size: found.size, modifiedMs: Math.floor(found.mtimeMs) }) === versionOf(known)) return;
    // A concurrent request may have reported it meanwhile.
    if (this.files.get(path) !== known) return;
    this.files.delete(path);
    this.outdated(path);
    // Running downloads of an overwritten file end, so that no client receives parts of two files.
    if (found.ino === known.inode) await known.close();
  }

  /** Returns the image in the store; undefined for an image that is not stored there. */
  private stored(entry: OsImageEntry): WantedImage | undefined {
    if (this.config.fetch === 'stream' || this.locationOf(entry)?.kind !== 'remote') return undefined;
    const fileName = fileNameOf(entry);
    return { fileName, url: entry.url, sha256: this.sha256Of(entry, (other) => fileNameOf(other) === fileName) };
  }

  /** One build may have several names, and its digest may be set with only one of them. */
  private sha256Of(entry: OsImageEntry, isSame: (other: OsImageEntry) => boolean): string {
    return [entry, ...this.config.osImages].find((other) => other.sha256 && isSame(other))?.sha256 ?? '';
  }

  private async openFileOf(entry: OsImageEntry, path: string): Promise<OpenedSource> {
    const expected = this.sha256Of(entry, ({ url }) => url === entry.url);
    const opened = await this.openPath(path);
    try {
      if (expected !== '') assertSha256(await this.sha256OfVersion(path), expected);
      return opened;
    } catch (error) {
      await opened.close();
      throw error;
    }
  }

  private async sha256OfVersion(path: string): Promise<string> {
    const opened = this.files.get(path);
    const version = opened ? versionOf(opened) : '';
    const known = this.sha256s.get(path);
    if (known?.version === version) return known.sha256;
    const { signal } = this.stop;
    const sha256 = await sha256Of(path, signal).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : error;
    });
    this.sha256s.set(path, { version, sha256 });
    return sha256;
  }

  private locationOf(entry: OsImageEntry) {
    try {
      return locationOfImage(entry.url, this.config.imageDirectory);
    } catch {
      return undefined;
    }
  }

  private async openPath(path: string): Promise<OpenedSource> {
    const file = await this.openFile(path);
    this.files.set(path, file);
    try {
      return {
        source: file,
        digest: await digestOfImage(file),
        modifiedMs: file.modifiedMs ?? 0,
        close: () => file.close(),
      };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  private async openRemote(url: string): Promise<OpenedSource> {
    const remote = await openHttpByteSource(this.client, url, () => this.outdated(url));
    const source = blockCachedSource(remote);
    const known = createHash('sha256').update(`${url}\n${remote.version}\n${remote.size}`).digest('hex');
    const digest = remote.version === '' ? await digestOfImage(source) : known;
    return { source, digest, modifiedMs: remote.modifiedMs, close: () => remote.close() };
  }

  private async verify(path: string): Promise<void> {
    const file = await this.openFile(path);
    await verifyBaseImage(file, this.config.minimums).finally(() => file.close());
  }
}

async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

const versionOf = ({ size, modifiedMs = 0 }: Pick<OpenedFile, 'size' | 'modifiedMs'>): string =>
  `${size} ${modifiedMs}`;

function fileNameOf(entry: OsImageEntry): string {
  const name = [kindOf(entry), entry.version, canonicalArchitecture(entry.cpu_architecture)].join('-');
  return `rhcos-${name.replace(/[^A-Za-z0-9._-]/g, '_')}.iso`;
}
