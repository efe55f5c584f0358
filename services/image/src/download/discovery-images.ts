import {
  bufferByteSource,
  type ByteSource,
  concatSources,
  customiseBootIso,
  type MinimalIso,
  RANGE_CHUNK_BYTES,
  sliceSource,
} from '@muster/boot-image';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type BaseImage, refusing } from '../base-images/base-image';
import { BaseImages } from '../base-images/base-images';
import { rootfsUrlOf } from '../boot-artifacts/boot-artifacts';
import { etagOf, type SentFile } from '../http/file-responder';
import { baseKindOf, type ImageType } from './image-address';
import { type ExecutableArchive, InImageExecutable } from './in-image-executable';
import { type InfraEnvContent, InfraEnvContents } from './infra-env-content';
import { S390X } from './network-boot-images';

export interface ImageRequest {
  readonly infraEnvId: string;
  readonly type: ImageType;
  readonly version: string;
  readonly architecture: string;
  /** URL at which the host that boots the image reaches this service. */
  readonly baseUrl: string;
}

/** Inputs of an image in addition to the content of the infra-env. */
interface Parts {
  readonly base: BaseImage;
  /** Empty for images with their root file system. */
  readonly rootfsUrl: string;
  readonly archive: ExecutableArchive | undefined;
}

interface MadeImage extends Parts {
  readonly source: ByteSource;
  readonly etag: string;
}

/** An id that no infra-env has. */
const UNUSED_INFRA_ENV_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Combines the base image of a version with the document and the kernel arguments of an infra-env. Nothing is copied or
 * stored.
 */
@Injectable()
export class DiscoveryImages implements OnApplicationBootstrap {
  /** Virtual media reads an image in many ranges. The image leaves together with the rendered content. */
  private readonly made = new WeakMap<InfraEnvContent, MadeImage>();

  constructor(
    private readonly baseImages: BaseImages,
    private readonly contents: InfraEnvContents,
    private readonly executable: InImageExecutable,
  ) {}

  /** Runs once at start, so the first download does not wait for compilation and connections. */
  onApplicationBootstrap(): void {
    void this.contents.of(UNUSED_INFRA_ENV_ID, 'full-iso', false).catch(() => undefined);
    void this.baseImages
      .opened()
      .then(async (images) => {
        for (const { source, layout } of images) {
          const image = await customiseBootIso(source, layout, { config: new TextEncoder().encode('{}') });
          await image.read(0, Math.min(RANGE_CHUNK_BYTES, image.size));
        }
      })
      .catch(() => undefined);
  }

  /** @throws RefusalError when an input is unknown, too large or not available yet */
  async make({ infraEnvId, type, version, architecture, baseUrl }: ImageRequest): Promise<SentFile> {
    const { image: base, release } = await this.baseImages.find(version, architecture, baseKindOf(type));
    try {
      const isMinimal = type === 'minimal-iso';
      const rootfsUrl = isMinimal ? rootfsUrlOf(baseUrl, base.entry) : '';
      const [archive, content] = await Promise.all([
        // The boot program of an s390x image contains a copy of the ramdisk, and this copy cannot become larger.
        base.entry.cpu_architecture === S390X ? undefined : this.executable.archiveFor(base.entry.cpu_architecture),
        this.contents.of(infraEnvId, type, isMinimal),
      ]);
      const { source, etag } = await this.imageOf(content, type, { base, rootfsUrl, archive });
      return {
        source,
        size: source.size,
        etag,
        modifiedMs: Math.max(content.modifiedMs, base.modifiedMs),
        changedMs: content.changedMs,
        fileName:
          type === 'disconnected-iso' ? `agent-ove.${base.entry.cpu_architecture}.iso` : `${infraEnvId}-discovery.iso`,
        release,
      };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Returns the same image as long as the content and the parts are the same objects. */
  private async imageOf(content: InfraEnvContent, type: ImageType, parts: Parts): Promise<MadeImage> {
    const known = this.made.get(content);
    const { base, rootfsUrl, archive } = parts;
    if (known && known.base === base && known.rootfsUrl === rootfsUrl && known.archive === archive) return known;
    const { config, appendKargs, networkRamdisk } = content;
    const form = await this.executable.addTo(await refusing(() => formOf(base, rootfsUrl)), archive);
    const source = await refusing(async () =>
      withKeptBegin(await customiseBootIso(form.source, form.layout, { config, appendKargs, networkRamdisk })),
    );
    const sha256 = archive?.sha256 ?? '';
    const etag = etagOf(base.digest, type, rootfsUrl, JSON.stringify(appendKargs), config, networkRamdisk, sha256);
    const image = { ...parts, source, etag };
    this.made.set(content, image);
    return image;
  }
}

/** The first bytes of a download do not wait for the disk. */
async function withKeptBegin(image: ByteSource): Promise<ByteSource> {
  const begin = await image.read(0, Math.min(RANGE_CHUNK_BYTES, image.size));
  return concatSources([bufferByteSource(begin), sliceSource(image, begin.length, image.size - begin.length)]);
}

const formOf = async (base: BaseImage, rootfsUrl: string): Promise<MinimalIso> =>
  rootfsUrl === '' ? base : base.minimal(rootfsUrl);
