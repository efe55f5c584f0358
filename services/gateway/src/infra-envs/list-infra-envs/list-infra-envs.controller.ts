import { Controller, Get, Req } from '@nestjs/common';
import { ListInfraEnvsQuery, type V2InfraEnv } from '@muster/assisted-api';
import type { FastifyRequest } from 'fastify';
import { Accepts } from '../../auth/accepts.decorator';
import { QueryOf } from '../../http/parameters.decorators';
import { InfraEnvViews } from '../../views/infra-env-views';

@Controller('v2/infra-envs')
export class ListInfraEnvsController {
  constructor(private readonly infraEnvs: InfraEnvViews) {}

  @Get()
  @Accepts('userAuth', 'watcherAuth')
  handle(
    @QueryOf(ListInfraEnvsQuery) query: ListInfraEnvsQuery,
    @Req() request: FastifyRequest,
  ): Promise<readonly V2InfraEnv[]> {
    return this.infraEnvs.list({ clusterId: query.cluster_id?.toLowerCase(), owner: query.owner }, request);
  }
}
