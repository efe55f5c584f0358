import { Controller, Get, HttpStatus, Res, type StreamableFile } from '@nestjs/common';
import { IgnitionService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import type { FastifyReply } from 'fastify';
import { AnswersFile } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { attachment } from '../../http/attachment';
import { Id } from '../../http/parameters.decorators';
import { InfraEnvViews } from '../../views/infra-env-views';

@Controller('v2/infra-envs/:infra_env_id/downloads/minimal-initrd')
export class DownloadMinimalInitrdController {
  constructor(
    private readonly commands: Commands,
    private readonly infraEnvs: InfraEnvViews,
  ) {}

  /** 204 when the infra-env's machines need nothing before they can fetch their root file system. */
  @Get()
  @AnswersFile('Gives the RAM disk with what machines need before they can fetch their root file system.', {
    isEarlyAtTimes: true,
    others: { 204: 'They need nothing.' },
  })
  @Accepts('userAuth', 'urlAuth', 'imageAuth')
  async handle(
    @Id('infra_env_id') infraEnvId: string,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile | undefined> {
    await this.infraEnvs.document(infraEnvId);
    const method = IgnitionService.method.renderNetworkRamdisk;
    const { archive } = await this.commands.ask(method, { infraEnvId }, context);
    if (archive !== '') return attachment(Buffer.from(archive, 'base64'), `initrd-${infraEnvId}.img`);
    void reply.status(HttpStatus.NO_CONTENT);
    return undefined;
  }
}
