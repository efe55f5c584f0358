import { type OsImage, VersionCatalogue } from '@muster/assisted-api';
import { BootImageError, readBootIsoLayout } from '@muster/boot-image';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type ImageConfig } from '../config';
import { type BaseImage, OPEN_IMAGE_FILE, type OpenImageFile } from './base-image';
import { digestOfImage } from './image-digest';
import { pathOfImage } from './image-path';

type OpenedImage = BaseImage & { close(): Promise<void> };

/** Other names of one architecture. */
const SAME_ARCHITECTURE: ReadonlyMap<string, string> = new Map([
  ['aarch64', 'arm64'],
  ['amd64', 'x86_64'],
]);
const architectureOf = (name: string): string => SAME_ARCHITECTURE.get(name) ?? name;

/** The images that discovery images are made from. Each is opened, measured and read once, at its first use. */
@Injectable()
export class BaseImages implements OnApplicationShutdown {
  private readonly catalogue: VersionCatalogue;
  private readonly opened = new Map<OsImage, Promise<OpenedImage>>();

  constructor(
    @Inject(CONFIG) private readonly config: ImageConfig,
    @Inject(OPEN_IMAGE_FILE) private readonly openFile: OpenImageFile,
  ) {
    const images = config.osImages.map((image) => ({
      ...image,
      cpu_architecture: architectureOf(image.cpu_architecture),
    }));
    this.catalogue = new VersionCatalogue([], images);
  }

  /** `version`: of the build, or of OpenShift to any precision. Throws RefusalError when there is no such image, or it cannot be used. */
  async find(version: string, architecture: string): Promise<BaseImage> {
    const entry = version === '' ? undefined : this.catalogue.findOsImage(version, architectureOf(architecture));
    if (!entry) {
      throw new RefusalError({
        code: 'not-found',
        reason: `There is no base image of version ${version.slice(0, 64)} for ${architecture.slice(0, 32)}.`,
        subject: 'version',
        allowed: this.catalogue.osImages.map((image) => `${image.openshift_version}/${image.cpu_architecture}`),
      });
    }
    const known = this.opened.get(entry) ?? this.open(entry);
    this.opened.set(entry, known);
    // A file that was missing may be there at the next request.
    known.catch(() => this.opened.delete(entry));
    return known;
  }

  async onApplicationShutdown(): Promise<void> {
    for (const image of this.opened.values()) await image.then(({ close }) => close()).catch(() => undefined);
  }

  private async open(entry: OsImage): Promise<OpenedImage> {
    const path = pathOfImage(entry.url, this.config.imageDirectory);
    const source = await this.openFile(path).catch((error: unknown) => {
      throw unusable(entry, error);
    });
    try {
      const [layout, digest] = [await readBootIsoLayout(source), await digestOfImage(source)];
      return { entry, source, layout, digest, close: () => source.close() };
    } catch (error) {
      await source.close();
      throw error instanceof BootImageError || error instanceof RangeError ? unusable(entry, error) : error;
    }
  }
}

const unusable = ({ openshift_version, cpu_architecture, url }: OsImage, error: unknown): RefusalError =>
  new RefusalError({
    code: 'internal',
    reason: `The base image ${openshift_version}/${cpu_architecture} (${url} in OS_IMAGES) cannot be used: ${
      error instanceof Error ? error.message : String(error)
    }`,
    subject: 'OS_IMAGES',
  });
