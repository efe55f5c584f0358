import {
  archiveWith,
  bufferByteSource,
  type ByteSource,
  concatSources,
  CPIO_DIRECTORY,
  CPIO_REGULAR_FILE,
  createRamdisk,
  extendRamdisk,
  type MinimalIso,
} from '@muster/boot-image';
import { ramdiskExecutableFiles, ramdiskExecutablePath } from '@muster/ignition-config';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { OPEN_IMAGE_FILE, type OpenImageFile, refusing } from '../base-images/base-image';
import { GZIP_SUFFIX } from '../boot-artifacts/host-binaries.controller';
import { CONFIG, type ImageConfig } from '../config';

/** An archive for a ramdisk, with the executable of one architecture. */
export interface ExecutableArchive {
  readonly source: ByteSource;
  /** SHA-256 of the executable, hexadecimal. */
  readonly sha256: string;
  /** Closes the file of the executable. */
  close(): Promise<void>;
}

/** Names of architectures in catalogues → as `uname -m` prints them. */
const MACHINES: ReadonlyMap<string, string> = new Map([['arm64', 'aarch64']]);

/** Adds the executable for hosts to images when MUSTER_HOST_BINARY=in-image. */
@Injectable()
export class InImageExecutable implements OnApplicationShutdown {
  private readonly archives = new Map<string, Promise<ExecutableArchive>>();
  private readonly extended = new WeakMap<MinimalIso, Promise<MinimalIso>>();

  constructor(
    @Inject(CONFIG) private readonly config: ImageConfig,
    @Inject(OPEN_IMAGE_FILE) private readonly openFile: OpenImageFile,
  ) {}

  /** Returns undefined when hosts download the executable, and for architectures without one. */
  async archiveFor(cpuArchitecture: string): Promise<ExecutableArchive | undefined> {
    if (!this.config.hasExecutableInImage) return undefined;
    const machine = MACHINES.get(cpuArchitecture) ?? cpuArchitecture;
    const binary = this.config.hostBinaries.find(({ architecture }) => architecture === machine);
    if (!binary) return undefined;
    const known = this.archives.get(machine) ?? this.open(machine, binary.path, binary.sha256);
    this.archives.set(machine, known);
    known.catch(() => this.archives.delete(machine));
    return known;
  }

  /** Returns the image with the archive after its ramdisk. Directories are read once per image. */
  async addTo(image: MinimalIso, archive: ExecutableArchive | undefined): Promise<MinimalIso> {
    if (!archive) return image;
    const known = this.extended.get(image) ?? refusing(() => extendRamdisk(image, archive.source));
    this.extended.set(image, known);
    known.catch(() => this.extended.delete(image));
    return known;
  }

  async onApplicationShutdown(): Promise<void> {
    for (const archive of this.archives.values()) await archive.then(({ close }) => close()).catch(() => undefined);
  }

  private async open(machine: string, path: string, sha256: string): Promise<ExecutableArchive> {
    const content = await this.openFile(path + GZIP_SUFFIX);
    const name = ramdiskExecutablePath(machine);
    const [directory = ''] = name.split('/');
    const folder = { name: directory, mode: CPIO_DIRECTORY | 0o755, data: new Uint8Array() };
    return {
      sha256,
      close: () => content.close(),
      source: concatSources([
        bufferByteSource(createRamdisk(ramdiskExecutableFiles(machine))),
        archiveWith([folder], { name, mode: CPIO_REGULAR_FILE | 0o644, content }),
      ]),
    };
  }
}
