import { fileSource, openIso, ROOTFS_PATH } from '@muster/boot-image';
import { RefusalError } from '@muster/problems';
import { Injectable } from '@nestjs/common';
import { BaseImages } from '../base-images/base-images';
import { refusing } from '../base-images/refusing';
import { etagOf } from '../http/etag';
import type { SentFile } from '../http/sent-file';

interface Artifact {
  /** The first one that the image has. */
  readonly paths: readonly string[];
  /** Undefined: every architecture has it. */
  readonly architecture?: string;
}

const ARTIFACTS: ReadonlyMap<string, Artifact> = new Map([
  ['rootfs', { paths: [ROOTFS_PATH] }],
  ['kernel', { paths: ['/images/pxeboot/vmlinuz', '/images/pxeboot/kernel.img'] }],
  ['ins-file', { paths: ['/generic.ins'], architecture: 's390x' }],
]);

/** Files of base images that every machine of a version may have, as they are. */
@Injectable()
export class BootArtifacts {
  constructor(private readonly baseImages: BaseImages) {}

  /** Throws RefusalError: `not-found` for an artifact there is not. */
  async open(name: string, version: string, architecture: string): Promise<SentFile> {
    const artifact = ARTIFACTS.get(name);
    if (!artifact) {
      throw new RefusalError({
        code: 'not-found',
        reason: `There is no boot artifact ${name.slice(0, 64)}.`,
        allowed: [...ARTIFACTS.keys()],
      });
    }
    if (artifact.architecture !== undefined && artifact.architecture !== architecture) {
      throw new RefusalError({
        code: 'invalid-input',
        reason: `Only machines of architecture ${artifact.architecture} boot from ${name}.`,
        subject: 'arch',
        allowed: [artifact.architecture],
      });
    }
    const { image: base, release } = await this.baseImages.find(version, architecture);
    try {
      return await refusing(async () => {
        const image = await openIso(base.source);
        for (const path of artifact.paths) {
          const entry = await image.find(path);
          if (!entry || entry.isDirectory) continue;
          const source = fileSource(base.source, entry);
          const { size } = source;
          const etag = etagOf(base.digest, path);
          return {
            source,
            size,
            etag,
            modifiedMs: base.modifiedMs,
            fileName: path.slice(path.lastIndexOf('/') + 1),
            release,
          };
        }
        throw new RefusalError({
          code: 'not-found',
          reason: `The base image ${base.entry.version} for ${base.entry.cpu_architecture} has no ${artifact.paths.join(' or ')}.`,
        });
      });
    } catch (error) {
      release();
      throw error;
    }
  }
}
