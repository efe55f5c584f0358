import { Controller, Get } from '@nestjs/common';
import type { V2Host } from '@muster/assisted-api';
import { Accepts } from '../../auth/accepts.decorator';
import { Id } from '../../http/parameters.decorators';
import { HostViews } from '../../views/host-views';
import { InfraEnvViews } from '../../views/infra-env-views';

@Controller('v2/infra-envs/:infra_env_id/hosts')
export class ListHostsController {
  constructor(
    private readonly infraEnvs: InfraEnvViews,
    private readonly hosts: HostViews,
  ) {}

  @Get()
  @Accepts('userAuth', 'agentAuth')
  async handle(@Id('infra_env_id') infraEnvId: string): Promise<readonly V2Host[]> {
    await this.infraEnvs.document(infraEnvId);
    return this.hosts.listOfInfraEnv(infraEnvId);
  }
}
