import {
  bufferByteSource,
  createIgnitionArchive,
  extendInitrd,
  fileSource,
  INITRD_PATH,
  openIso,
  s390xAddressAndSize,
} from '@muster/boot-image';
import { RefusalError } from '@muster/problems';
import { Injectable } from '@nestjs/common';
import { refusing } from '../base-images/base-image';
import { BaseImages } from '../base-images/base-images';
import { etagOf, type SentFile } from '../http/file-responder';
import { InImageExecutable } from './in-image-executable';
import { type InfraEnvContent, InfraEnvContents } from './infra-env-content';

export interface NetworkBootRequest {
  readonly infraEnvId: string;
  readonly version: string;
  readonly architecture: string;
}

export const S390X = 's390x';

/**
 * Ramdisks for hosts that boot over the network: the ramdisk of a base image with the document and the network of an
 * infra-env.
 */
@Injectable()
export class NetworkBootImages {
  /** All machines of an infra-env boot with one document. The archive leaves together with the rendered content. */
  private readonly archives = new WeakMap<InfraEnvContent, Uint8Array>();

  constructor(
    private readonly baseImages: BaseImages,
    private readonly contents: InfraEnvContents,
    private readonly executable: InImageExecutable,
  ) {}

  /** @throws RefusalError when an input is unknown or not available yet */
  async initrd({ infraEnvId, version, architecture }: NetworkBootRequest): Promise<SentFile> {
    const { image: base, release } = await this.baseImages.find(version, architecture).catch((error: unknown) => {
      throw asBadParameter(error);
    });
    try {
      // Hosts that boot over the network get their network files in the same way as minimal images.
      const content = await this.contents.of(infraEnvId, 'minimal-iso', true);
      const archive = await this.executable.archiveFor(base.entry.cpu_architecture);
      const source = await refusing(async () => {
        const image = await openIso(base.source);
        const entry = await image.find(INITRD_PATH);
        if (!entry)
          throw new RefusalError({
            code: 'internal',
            reason: `The base image ${base.entry.version} has no ${INITRD_PATH}.`,
          });
        return extendInitrd(fileSource(base.source, entry), [
          this.archiveOf(content),
          content.networkRamdisk,
          ...(archive ? [archive.source] : []),
        ]);
      });
      return {
        source,
        size: source.size,
        etag: etagOf(base.digest, INITRD_PATH, content.config, content.networkRamdisk, archive?.sha256 ?? ''),
        modifiedMs: Math.max(content.modifiedMs, base.modifiedMs),
        changedMs: content.changedMs,
        fileName: `${infraEnvId}-initrd.img`,
        release,
      };
    } catch (error) {
      release();
      throw error;
    }
  }

  private archiveOf(content: InfraEnvContent): Uint8Array {
    const archive = this.archives.get(content) ?? createIgnitionArchive(content.config);
    this.archives.set(content, archive);
    return archive;
  }

  /** Returns the load address and the size of the ramdisk for s390x. */
  async addressAndSize(request: Omit<NetworkBootRequest, 'architecture'>): Promise<SentFile> {
    const initrd = await this.initrd({ ...request, architecture: S390X });
    const bytes = s390xAddressAndSize(initrd.size);
    return {
      ...initrd,
      source: bufferByteSource(bytes),
      size: bytes.length,
      etag: etagOf(initrd.etag, bytes),
      fileName: `${request.infraEnvId}-initrd.addrsize`,
    };
  }
}

/** The v2 API answers 400 to an unknown version on these paths. */
function asBadParameter(error: unknown): unknown {
  const isUnknown = error instanceof RefusalError && error.refusal.code === 'not-found';
  return isUnknown ? new RefusalError({ ...error.refusal, code: 'invalid-input' }) : error;
}
