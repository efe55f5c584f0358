import { Controller, Get, type StreamableFile } from '@nestjs/common';
import { list, V2_HOST } from '@muster/assisted-api';
import { AnswersText } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { jsonPieces } from '../../http/json-pieces';
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
  @AnswersText('Lists the hosts that booted from the image of an infra-env.', list(V2_HOST))
  @Accepts('userAuth', 'agentAuth')
  async handle(@Id('infra_env_id') infraEnvId: string): Promise<StreamableFile> {
    await this.infraEnvs.document(infraEnvId);
    return jsonPieces(await this.hosts.listOfInfraEnv(infraEnvId));
  }
}
