import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { tokenIn } from '../download/download-image.controller';
import { ImageAccess } from '../download/image-access';
import { ImageResponder } from '../download/image-responder';
import { DEFAULT_ARCHITECTURE, type QueryParameters, requiredTextOf, textOf } from '../http/query';
import { S390X } from './network-boot-images';

/** What machines fetch that boot over the network; HEAD is answered like GET. */
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
      architecture: textOf(query, 'arch') || DEFAULT_ARCHITECTURE,
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
