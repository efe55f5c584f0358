import { Controller, Delete, Get, Param, Patch, Post, Put, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FileResponder } from '../http/file-responder';
import { DEFAULT_ARCHITECTURE, type QueryParameters, requiredTextOf, textOf } from '../http/query';
import { BootArtifacts } from './boot-artifacts';

const METHOD_NOT_ALLOWED = 405;

/** Kernels and root file systems are public, so they need no authentication. HEAD is answered like GET. */
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
    const architecture = textOf(query, 'arch') || DEFAULT_ARCHITECTURE;
    await this.responder.answer(() => this.artifacts.open(artifact, version, architecture), request, reply);
  }

  @Post()
  @Put()
  @Patch()
  @Delete()
  refuse(@Res() reply: FastifyReply): void {
    void reply.status(METHOD_NOT_ALLOWED).header('allow', 'GET, HEAD').send();
  }
}
