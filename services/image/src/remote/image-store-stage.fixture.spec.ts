import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, manualClock, temporaryDirectory } from '@muster/testing';
import type { WantedImage } from './download-file';
import { type FileServer, startFileServer } from './file-server.fixture.spec';
import { ImageStore, type ImageStoreOptions } from './image-store';
import { RemoteClient } from './remote-client';

export const FILE = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
export const image = (name: string, url: string, sha256 = ''): WantedImage => ({
  fileName: `rhcos-${name}.iso`,
  url,
  sha256,
});

/** A store of base images in a directory of its own, and a server with one file. */
export class ImageStoreStage {
  readonly directory = temporaryDirectory();
  readonly client = new RemoteClient({ headers: { 'x-token': 'canary' }, queryParameters: { key: 'k' } });
  readonly clock = manualClock();
  /** Size of the disk, of which only the files of the directory use space. */
  diskBytes = Number.MAX_SAFE_INTEGER;
  evicted: string[] = [];
  store: ImageStore;

  private constructor(
    readonly server: FileServer,
    private readonly log: (text: string) => void,
  ) {
    this.store = this.open();
  }

  static async create(log: (text: string) => void = () => undefined): Promise<ImageStoreStage> {
    return new ImageStoreStage(await startFileServer(), log);
  }

  /** Replaces the store. The previous one has to be closed. */
  open(options: Partial<ImageStoreOptions> = {}): ImageStore {
    const store = new ImageStore({
      directory: this.directory.path,
      bytesMax: 1_000_000,
      reserveBytes: 0,
      freeBytes: async () => this.files().reduce((free, name) => free - this.sizeOnDisk(name), this.diskBytes),
      client: this.client,
      verify: async () => undefined,
      clock: this.clock,
      log: this.log,
      ...options,
    });
    store.onEvicted((path) => this.evicted.push(path));
    return (this.store = store);
  }

  async close(): Promise<void> {
    this.server.release();
    await this.store.close();
    this.client.close();
    await this.server.close();
    this.directory.remove();
  }

  settled(wanted: WantedImage): Promise<void> {
    return eventually('the download has ended', async () =>
      ['ready', 'failed'].includes(this.store.state(wanted).kind),
    );
  }

  async contentOf(wanted: WantedImage): Promise<Buffer> {
    const { path, release } = await this.store.hold(wanted);
    release();
    return readFileSync(path);
  }

  sizeOnDisk(name: string): number {
    return statSync(join(this.directory.path, name), { throwIfNoEntry: false })?.size ?? 0;
  }

  files(): readonly string[] {
    return readdirSync(this.directory.path).sort();
  }
}
