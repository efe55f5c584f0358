import { Controller, Get } from '@nestjs/common';
import { V2_HOST, type V2Host } from '@muster/assisted-api';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Id } from '../../http/parameters.decorators';
import { HostViews } from '../../views/host-views';

@Controller('v2/infra-envs/:infra_env_id/hosts/:host_id')
export class ShowHostController {
  constructor(private readonly hosts: HostViews) {}

  @Get()
  @Answers('Shows a host.', V2_HOST)
  @Accepts('userAuth')
  handle(@Id('infra_env_id') infraEnvId: string, @Id('host_id') hostId: string): Promise<V2Host> {
    return this.hosts.show(infraEnvId, hostId);
  }
}
