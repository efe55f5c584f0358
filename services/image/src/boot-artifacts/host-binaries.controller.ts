import { RefusalError } from '@muster/problems';
import type { HostBinary } from '@muster/nest-kit';
import { errorCode } from '@muster/schema';
import { Controller, Get, Inject, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OPEN_IMAGE_FILE, type OpenImageFile } from '../base-images/base-image';
import { CONFIG, type ImageConfig } from '../config';
import type { QueryParameters } from '../download/image-address';
import { etagOf, FileResponder, type SentFile } from '../http/file-responder';

/** `npm run build:host` writes a compressed copy beside each executable. */
export const GZIP_SUFFIX = '.gz';
const NAME_MAX_CHARACTERS = 64;

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

  /**
   * Sends the executable with the digest in `sha256`, without that parameter the one of the last build. It is
   * compressed when the client accepts gzip. Ranges refer to the bytes that are sent.
   */
  @Get()
  async download(
    @Param('architecture') architecture: string,
    @Query() query: QueryParameters,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const isCompressed = /(^|,)\s*(gzip|\*)\s*(;\s*q=(?!0(\.0*)?\s*(,|$))|,|$)/i.test(
      String(request.headers['accept-encoding'] ?? ''),
    );
    void reply.header('vary', 'accept-encoding');
    const open = async (): Promise<SentFile> => {
      const file = await this.open(this.find(architecture, query['sha256']), isCompressed);
      // Not before: a refusal is not compressed.
      if (isCompressed) void reply.header('content-encoding', 'gzip');
      return file;
    };
    await this.responder.answer(open, request, reply);
  }

  private find(architecture: string, digest: QueryParameters[string]): HostBinary {
    const { earlierHostBinaries, hostBinaries } = this.config;
    const served = digest === undefined ? hostBinaries : [...hostBinaries, ...earlierHostBinaries];
    const available = served.filter((one) => one.architecture === architecture);
    const wanted = digest === undefined ? available[0]?.sha256 : String(digest).toLowerCase();
    const binary = available.find(({ sha256 }) => sha256 === wanted);
    if (binary) return binary;
    throw available.length === 0 || wanted === undefined
      ? new RefusalError({
          code: 'not-found',
          reason: `No host executable is available ${subjectOf(architecture)}.`,
          allowed: hostBinaries.map((one) => one.architecture),
        })
      : withoutDigest(architecture, wanted, available);
  }

  private async open(binary: HostBinary, isCompressed: boolean): Promise<SentFile> {
    const path = binary.path + (isCompressed ? GZIP_SUFFIX : '');
    const source = await this.openFile(path).catch((error: unknown) => {
      // Each build removes the oldest one, also while the service runs.
      throw errorCode(error) === 'ENOENT' ? withoutDigest(binary.architecture, binary.sha256, []) : error;
    });
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

const subjectOf = (architecture: string): string => `for architecture ${architecture.slice(0, NAME_MAX_CHARACTERS)}`;

const withoutDigest = (architecture: string, digest: string, available: readonly HostBinary[]): RefusalError =>
  new RefusalError({
    code: 'not-found',
    reason: `No host executable ${subjectOf(architecture)} has the SHA-256 digest ${digest.slice(0, NAME_MAX_CHARACTERS)}.`,
    allowed: available.map(({ sha256 }) => sha256),
  });
