import { Controller, Get } from '@nestjs/common';
import { record, text } from '@muster/assisted-api';
import type { CommandContext } from '@muster/event-sourcing';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts, OnlyRoles } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Id } from '../../http/parameters.decorators';
import { HostIgnition } from '../host-ignition';

/** `host-ignition-params` of the contract. */
const V2_HOST_IGNITION = record('host-ignition-params', { config: text() });

@Controller('v2/infra-envs/:infra_env_id/hosts/:host_id/ignition')
export class ShowHostIgnitionController {
  constructor(private readonly ignition: HostIgnition) {}

  @Get()
  @Answers('Shows the ignition document that the host is installed with.', V2_HOST_IGNITION)
  @OnlyRoles('admin', 'user')
  @Accepts('userAuth')
  async handle(
    @Id('infra_env_id') infraEnvId: string,
    @Id('host_id') hostId: string,
    @Context() context: CommandContext,
  ): Promise<{ readonly config: string }> {
    const { content } = await this.ignition.read(infraEnvId, hostId, context);
    return { config: content.toString('utf8') };
  }
}
