import { Controller, Get, Req } from '@nestjs/common';
import { list, ListInfraEnvsQuery, V2_INFRA_ENV, type V2InfraEnv } from '@muster/assisted-api';
import type { FastifyRequest } from 'fastify';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import type { Caller } from '../../auth/caller';
import { Who } from '../../auth/command-context.decorator';
import { Ownership } from '../../auth/ownership';
import { QueryOf } from '../../http/parameters.decorators';
import { InfraEnvViews } from '../../views/infra-env-views';

@Controller('v2/infra-envs')
export class ListInfraEnvsController {
  constructor(
    private readonly infraEnvs: InfraEnvViews,
    private readonly ownership: Ownership,
  ) {}

  @Get()
  @Answers('Lists the infra-envs that whoever asks may see.', list(V2_INFRA_ENV))
  @Accepts('userAuth', 'watcherAuth')
  handle(
    @QueryOf(ListInfraEnvsQuery) query: ListInfraEnvsQuery,
    @Req() request: FastifyRequest,
    @Who() caller: Caller,
  ): Promise<readonly V2InfraEnv[]> {
    const wanted = { clusterId: query.cluster_id?.toLowerCase(), owner: query.owner };
    return this.infraEnvs.list(wanted, (infraEnv) => this.ownership.shows(caller, infraEnv), request);
  }
}
