import { Controller, Get, Req } from '@nestjs/common';
import { V2_INFRA_ENV, type V2InfraEnv } from '@muster/assisted-api';
import type { FastifyRequest } from 'fastify';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Id } from '../../http/parameters.decorators';
import { InfraEnvViews } from '../../views/infra-env-views';

@Controller('v2/infra-envs/:infra_env_id')
export class ShowInfraEnvController {
  constructor(private readonly infraEnvs: InfraEnvViews) {}

  @Get()
  @Answers('Shows an infra-env.', V2_INFRA_ENV)
  @Accepts('userAuth', 'agentAuth', 'urlAuth', 'imageAuth', 'imageURLAuth')
  handle(@Id('infra_env_id') infraEnvId: string, @Req() request: FastifyRequest): Promise<V2InfraEnv> {
    return this.infraEnvs.show(infraEnvId, request);
  }
}
