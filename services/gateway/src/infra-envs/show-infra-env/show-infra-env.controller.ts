import { Controller, Get, Req } from '@nestjs/common';
import type { V2InfraEnv } from '@muster/assisted-api';
import type { FastifyRequest } from 'fastify';
import { Accepts } from '../../auth/accepts.decorator';
import { Id } from '../../http/parameters.decorators';
import { InfraEnvViews } from '../../views/infra-env-views';

@Controller('v2/infra-envs/:infra_env_id')
export class ShowInfraEnvController {
  constructor(private readonly infraEnvs: InfraEnvViews) {}

  @Get()
  @Accepts('userAuth', 'agentAuth', 'urlAuth', 'imageAuth', 'imageURLAuth')
  handle(@Id('infra_env_id') infraEnvId: string, @Req() request: FastifyRequest): Promise<V2InfraEnv> {
    return this.infraEnvs.show(infraEnvId, request);
  }
}
