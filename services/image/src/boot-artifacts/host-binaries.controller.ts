import { RefusalError } from '@muster/problems';
import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OPEN_IMAGE_FILE, type OpenImageFile } from '../base-images/base-image';
import { CONFIG, type ImageConfig } from '../config';
import { etagOf, FileResponder, type SentFile } from '../http/file-responder';

/** `npm run build:host` writes a compressed copy beside each executable. */
export const GZIP_SUFFIX = '.gz';

/**
 * The executables for hosts. They contain no secrets, because a host downloads its executable before it has
 * credentials.
 */
@Controller('host-binaries/:architecture')
export class HostBinariesController {
  constructor(
    @Inject(CONFIG) private readonly config: ImageConfig,
    @Inject(OPEN_IMAGE_FILE) private readonly openFile: OpenImageFile,
    private readonly responder: FileResponder,
  ) {}

  /** Sends the executable, compressed when the client accepts gzip. Ranges refer to the bytes that are sent. */
  @Get()
  async download(
    @Param('architecture') architecture: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const isCompressed = /(^|,)\s*(gzip|\*)\s*(;\s*q=(?!0(\.0*)?\s*(,|$))|,|$)/i.test(
      String(request.headers['accept-encoding'] ?? ''),
    );
    void reply.header('vary', 'accept-encoding');
    if (isCompressed) void reply.header('content-encoding', 'gzip');
    await this.responder.answer(() => this.open(architecture, isCompressed), request, reply);
  }

  private async open(architecture: string, isCompressed: boolean): Promise<SentFile> {
    const { hostBinaries } = this.config;
    const binary = hostBinaries.find((one) => one.architecture === architecture);
    if (!binary) {
      throw new RefusalError({
        code: 'not-found',
        reason: `No host executable is available for architecture ${architecture.slice(0, 64)}.`,
        allowed: hostBinaries.map((one) => one.architecture),
      });
    }
    const path = binary.path + (isCompressed ? GZIP_SUFFIX : '');
    const source = await this.openFile(path);
    return {
      source,
      size: source.size,
      etag: etagOf(binary.sha256, isCompressed ? 'gzip' : 'identity'),
      modifiedMs: source.modifiedMs ?? 0,
      fileName: 'muster-host',
      release: () => void source.close(),
    };
  }
}
