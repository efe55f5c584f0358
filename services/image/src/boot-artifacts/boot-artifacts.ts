import { fileSource, openIso, ROOTFS_PATH } from '@muster/boot-image';
import { RefusalError } from '@muster/problems';
import { Controller, Delete, Get, Injectable, Param, Patch, Post, Put, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refusing } from '../base-images/base-image';
import { BaseImages } from '../base-images/base-images';
import type { OsImageEntry } from '../base-images/os-image-catalogue';
import { DEFAULT_ARCHITECTURE, type QueryParameters, requiredTextOf, singleTextOf } from '../download/image-address';
import { etagOf, FileResponder, type SentFile } from '../http/file-responder';

/** URL from which a host without a root file system downloads that of its build. */
export function rootfsUrlOf(baseUrl: string, { cpu_architecture, version }: OsImageEntry): string {
  const query = new URLSearchParams({ arch: cpu_architecture, version });
  return `${baseUrl}/boot-artifacts/rootfs?${query.toString()}`;
}

interface Artifact {
  /** The first path that the image contains is used. */
  readonly paths: readonly string[];
  /** Undefined: for all architectures. */
  readonly architecture?: string;
}

const ARTIFACTS: ReadonlyMap<string, Artifact> = new Map([
  ['rootfs', { paths: [ROOTFS_PATH] }],
  ['kernel', { paths: ['/images/pxeboot/vmlinuz', '/images/pxeboot/kernel.img'] }],
  ['ins-file', { paths: ['/generic.ins'], architecture: 's390x' }],
]);

/** Files of base images that are the same for all hosts of a version. */
@Injectable()
export class BootArtifacts {
  constructor(private readonly baseImages: BaseImages) {}

  /** @throws RefusalError `not-found` for an unknown artifact */
  async open(name: string, version: string, architecture: string): Promise<SentFile> {
    const artifact = ARTIFACTS.get(name);
    if (!artifact) {
      throw new RefusalError({
        code: 'not-found',
        reason: `The boot artifact ${name.slice(0, 64)} does not exist.`,
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

const METHOD_NOT_ALLOWED = 405;

/** Kernels and root file systems are public, so they require no authentication. HEAD is supported. */
@Controller('boot-artifacts/:artifact')
export class BootArtifactsController {
  constructor(
    private readonly artifacts: BootArtifacts,
    private readonly responder: FileResponder,
  ) {}

  @Get()
  async download(
    @Param('artifact') artifact: string,
    @Query() query: QueryParameters,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const version = requiredTextOf(query, 'version');
    const architecture = singleTextOf(query, 'arch') || DEFAULT_ARCHITECTURE;
    await this.responder.answer(() => this.artifacts.open(artifact, version, architecture), request, reply, {
      mayWait: true,
    });
  }

  // Nest registers one route per method of the class: of several decorators, only the first has an effect.
  @Post()
  refusePost(@Res() reply: FastifyReply): void {
    refuse(reply);
  }

  @Put()
  refusePut(@Res() reply: FastifyReply): void {
    refuse(reply);
  }

  @Patch()
  refusePatch(@Res() reply: FastifyReply): void {
    refuse(reply);
  }

  @Delete()
  refuseDelete(@Res() reply: FastifyReply): void {
    refuse(reply);
  }
}

const refuse = (reply: FastifyReply): void => void reply.status(METHOD_NOT_ALLOWED).header('allow', 'GET, HEAD').send();
