import { urlHost } from '@muster/schema';
import { Controller, Get, Inject, Injectable, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CONFIG, type ImageConfig } from '../config';
import { type DownloadListener, FileResponder, type SentFile } from '../http/file-responder';
import { DiscoveryImages, type ImageRequest } from './discovery-images';
import { Downloads } from './downloads';
import { ImageAccess } from './image-access';
import {
  DEFAULT_ARCHITECTURE,
  type QueryParameters,
  requiredTextOf,
  singleTextOf,
  textOf,
  typeOfFile,
  typeOfName,
} from './image-address';
import { NetworkBootImages, type NetworkBootRequest, S390X } from './network-boot-images';

/** Answers requests for images of an infra-env, and records first and completed downloads. */
@Injectable()
export class ImageResponder {
  constructor(
    @Inject(CONFIG) private readonly config: ImageConfig,
    private readonly images: DiscoveryImages,
    private readonly networkBoot: NetworkBootImages,
    private readonly files: FileResponder,
    private readonly downloads: Downloads,
  ) {}

  /**
   * Sends the response.
   * @throws RefusalError before anything is sent
   */
  image(wanted: Omit<ImageRequest, 'baseUrl'>, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const baseUrl = this.config.baseUrl ?? `${request.protocol}://${hostOf(request)}`;
    return this.send(
      () => this.images.make({ ...wanted, baseUrl }),
      // Virtual media reads an image in ranges, and a refused range is a read error of the machine that boots from it.
      { ...wanted, imageType: wanted.type, mayWait: request.headers.range !== undefined },
      request,
      reply,
    );
  }

  /** As `image`, for the ramdisk of a network boot. */
  initrd(wanted: NetworkBootRequest, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const facts = { ...wanted, imageType: 'pxe-initrd', mayWait: true };
    return this.send(() => this.networkBoot.initrd(wanted), facts, request, reply);
  }

  /** As `image`, for the ramdisk description of s390x. It is too small to be recorded as a download. */
  addressAndSize(wanted: NetworkBootRequest, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    return this.files.answer(() => this.networkBoot.addressAndSize(wanted), request, reply, { mayWait: true });
  }

  private send(
    make: () => Promise<SentFile>,
    {
      infraEnvId,
      imageType,
      version,
      architecture: arch,
      mayWait,
    }: NetworkBootRequest & { readonly imageType: string; readonly mayWait?: boolean },
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const facts = ({ size: bytes, changedMs = 0 }: SentFile) => ({
      infraEnvId,
      imageType,
      version,
      arch,
      bytes,
      changedMs,
    });
    const listener: DownloadListener = {
      started: (file) => this.downloads.record({ type: 'StartDownload', ...facts(file) }, request.ip),
      completed: (file) => this.downloads.record({ type: 'CompleteDownload', ...facts(file) }, request.ip),
    };
    return this.files.answer(make, request, reply, { listener, mayWait });
  }
}

/** A client of HTTP/1.0 may name no host. It reached this service at the local address of the connection. */
function hostOf({ host, raw: { socket } }: FastifyRequest): string {
  const { localAddress = '', localPort } = socket;
  return host || `${urlHost(localAddress.replace(/^::ffff:/i, ''))}:${localPort}`;
}

interface ShortAddress {
  readonly version: string;
  readonly arch: string;
  readonly file: string;
}

/** All URLs of an image. HEAD is supported. */
@Controller()
export class DownloadImageController {
  constructor(
    private readonly access: ImageAccess,
    private readonly responder: ImageResponder,
  ) {}

  @Get('byid/:infraEnvId/:version/:arch/:file')
  async byId(
    @Param() { infraEnvId, ...address }: ShortAddress & { readonly infraEnvId: string },
    @Query() query: QueryParameters,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const wanted = shortRequest(address);
    const id = await this.access.byId(infraEnvId, tokenIn(query), request.headers.authorization);
    await this.responder.image({ infraEnvId: id, ...wanted }, request, reply);
  }

  @Get(['byapikey/:token/:version/:arch/:file', 'bytoken/:token/:version/:arch/:file'])
  async byToken(
    @Param() { token, ...address }: ShortAddress & { readonly token: string },
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const wanted = shortRequest(address);
    const infraEnvId = await this.access.byToken(token);
    await this.responder.image({ infraEnvId, ...wanted }, request, reply);
  }

  @Get('images/:infraEnvId')
  async byParameters(
    @Param('infraEnvId') infraEnvId: string,
    @Query() query: QueryParameters,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const type = typeOfName(singleTextOf(query, 'type'));
    const version = requiredTextOf(query, 'version');
    const architecture = singleTextOf(query, 'arch') || DEFAULT_ARCHITECTURE;
    const id = await this.access.byId(infraEnvId, tokenIn(query), request.headers.authorization);
    await this.responder.image({ infraEnvId: id, type, version, architecture }, request, reply);
  }
}

/** The v2 API has a parameter for each kind of token. A URL contains one of them. */
export const tokenIn = (query: QueryParameters): string => textOf(query, 'api_key') || textOf(query, 'image_token');

const shortRequest = ({ version, arch, file }: ShortAddress) => ({
  type: typeOfFile(file),
  version,
  architecture: arch,
});

/** Files for a network boot. HEAD is supported. */
@Controller('images/:infraEnvId')
export class NetworkBootController {
  constructor(
    private readonly access: ImageAccess,
    private readonly responder: ImageResponder,
  ) {}

  @Get('pxe-initrd')
  async initrd(
    @Param('infraEnvId') infraEnvId: string,
    @Query() query: QueryParameters,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const wanted = {
      version: requiredTextOf(query, 'version'),
      architecture: singleTextOf(query, 'arch') || DEFAULT_ARCHITECTURE,
    };
    const id = await this.access.byId(infraEnvId, tokenIn(query), request.headers.authorization);
    await this.responder.initrd({ infraEnvId: id, ...wanted }, request, reply);
  }

  @Get('s390x-initrd-addrsize')
  async addressAndSize(
    @Param('infraEnvId') infraEnvId: string,
    @Query() query: QueryParameters,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const version = requiredTextOf(query, 'version');
    const id = await this.access.byId(infraEnvId, tokenIn(query), request.headers.authorization);
    await this.responder.addressAndSize({ infraEnvId: id, version, architecture: S390X }, request, reply);
  }
}
