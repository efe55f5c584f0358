import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DEFAULT_ARCHITECTURE, type QueryParameters, requiredTextOf, textOf } from '../http/query';
import { ImageAccess } from './image-access';
import { ImageResponder } from './image-responder';
import { typeOfFile, typeOfName } from './image-type';

interface ShortAddress {
  readonly version: string;
  readonly arch: string;
  readonly file: string;
}

/** Every address of an image; HEAD is answered like GET. */
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
    const type = typeOfName(textOf(query, 'type'));
    const version = requiredTextOf(query, 'version');
    const architecture = textOf(query, 'arch') || DEFAULT_ARCHITECTURE;
    const id = await this.access.byId(infraEnvId, tokenIn(query), request.headers.authorization);
    await this.responder.image({ infraEnvId: id, type, version, architecture }, request, reply);
  }
}

/** The contract has a name for each kind of token; an address carries one. */
export const tokenIn = (query: QueryParameters): string => textOf(query, 'api_key') || textOf(query, 'image_token');

const shortRequest = ({ version, arch, file }: ShortAddress) => ({
  type: typeOfFile(file),
  version,
  architecture: arch,
});
