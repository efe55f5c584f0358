import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ImageAccess } from './image-access';
import { ImageResponder } from './image-responder';
import { typeOfFile, typeOfName } from './image-type';

const DEFAULT_ARCHITECTURE = 'x86_64';

interface ShortAddress {
  readonly version: string;
  readonly arch: string;
  readonly file: string;
}
type QueryParameters = { readonly [name: string]: string | readonly string[] | undefined };

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
    const id = await this.access.byId(infraEnvId, textOf(query['api_key']));
    await this.responder.answer({ infraEnvId: id, ...wanted }, request, reply);
  }

  @Get('byapikey/:token/:version/:arch/:file')
  async byApiKey(
    @Param() { token, ...address }: ShortAddress & { readonly token: string },
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const wanted = shortRequest(address);
    const infraEnvId = await this.access.byToken(token);
    await this.responder.answer({ infraEnvId, ...wanted }, request, reply);
  }

  @Get('images/:infraEnvId')
  async byParameters(
    @Param('infraEnvId') infraEnvId: string,
    @Query() query: QueryParameters,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const type = typeOfName(textOf(query['type']));
    const version = textOf(query['version']);
    const architecture = textOf(query['arch']) || DEFAULT_ARCHITECTURE;
    const id = await this.access.byId(infraEnvId, textOf(query['api_key']));
    await this.responder.answer({ infraEnvId: id, type, version, architecture }, request, reply);
  }
}

const shortRequest = ({ version, arch, file }: ShortAddress) => ({
  type: typeOfFile(file),
  version,
  architecture: arch,
});
const textOf = (value: QueryParameters[string]): string => (typeof value === 'string' ? value : '');
