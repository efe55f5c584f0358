import { customiseBootIso, type MinimalIso, RANGE_CHUNK_BYTES } from '@muster/boot-image';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type BaseImage, refusing } from '../base-images/base-image';
import { BaseImages } from '../base-images/base-images';
import { rootfsUrlOf } from '../boot-artifacts/boot-artifacts';
import { etagOf, type SentFile } from '../http/file-responder';
import { baseKindOf, type ImageType } from './image-address';
import { InImageExecutable } from './in-image-executable';
import { InfraEnvContents } from './infra-env-content';

export interface ImageRequest {
  readonly infraEnvId: string;
  readonly type: ImageType;
  readonly version: string;
  readonly architecture: string;
  /** URL at which the host that boots the image reaches this service. */
  readonly baseUrl: string;
}

/** An id that no infra-env has. */
const UNUSED_INFRA_ENV_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Combines the base image of a version with the document and the kernel arguments of an infra-env. Nothing is copied or
 * stored.
 */
@Injectable()
export class DiscoveryImages implements OnApplicationBootstrap {
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
        this.executable.archiveFor(base.entry.cpu_architecture),
        this.contents.of(infraEnvId, type, isMinimal),
      ]);
      const { config, appendKargs, networkRamdisk } = content;
      const form = await this.executable.addTo(await refusing(() => formOf(base, rootfsUrl)), archive);
      const source = await refusing(() =>
        customiseBootIso(form.source, form.layout, { config, appendKargs, networkRamdisk }),
      );
      return {
        source,
        size: source.size,
        etag: etagOf(
          base.digest,
          type,
          rootfsUrl,
          JSON.stringify(appendKargs),
          config,
          networkRamdisk,
          archive?.sha256 ?? '',
        ),
        modifiedMs: Math.max(content.modifiedMs, base.modifiedMs),
        fileName:
          type === 'disconnected-iso' ? `agent-ove.${base.entry.cpu_architecture}.iso` : `${infraEnvId}-discovery.iso`,
        release,
      };
    } catch (error) {
      release();
      throw error;
    }
  }
}

const formOf = async (base: BaseImage, rootfsUrl: string): Promise<MinimalIso> =>
  rootfsUrl === '' ? base : base.minimal(rootfsUrl);
