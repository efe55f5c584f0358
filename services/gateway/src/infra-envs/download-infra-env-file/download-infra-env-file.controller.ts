import { Controller, Get, Req, Res, type StreamableFile } from '@nestjs/common';
import { InfraEnvFileQuery, type JsonSchema } from '@muster/assisted-api';
import { IgnitionService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AnswersFile } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { attachment } from '../../http/attachment';
import { Id, QueryOf } from '../../http/parameters.decorators';
import { staticNetworkArchive } from './static-network-archive';
import { InfraEnvViews } from '../../views/infra-env-views';
import { IPXE_SCRIPT, IpxeScripts } from '../ipxe-script/ipxe-scripts';

const DISCOVERY_IGNITION = 'discovery.ign';
const STATIC_NETWORKS = 'static-network-config';

const LAST_MODIFIED: { readonly [name: string]: JsonSchema } = {
  'Last-Modified': { type: 'string', description: 'Of discovery.ign: when what it is made of changed last.' },
};

@Controller('v2/infra-envs/:infra_env_id/downloads/files')
export class DownloadInfraEnvFileController {
  constructor(
    private readonly commands: Commands,
    private readonly infraEnvs: InfraEnvViews,
    private readonly ipxeScripts: IpxeScripts,
  ) {}

  @Get()
  @AnswersFile('Gives a file that machines boot with.', { isEarlyAtTimes: true, headers: LAST_MODIFIED })
  @Accepts('userAuth', 'agentAuth', 'urlAuth', 'imageAuth', 'imageURLAuth')
  async handle(
    @Id('infra_env_id') infraEnvId: string,
    @QueryOf(InfraEnvFileQuery) query: InfraEnvFileQuery,
    @Context() context: CommandContext,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const infraEnv = await this.infraEnvs.document(infraEnvId);
    if (query.file_name === STATIC_NETWORKS) return attachment(await staticNetworkArchive(infraEnv), STATIC_NETWORKS);
    if (query.file_name === IPXE_SCRIPT) {
      const wanted = { type: query.ipxe_script_type ?? '', mac: query.mac ?? '' };
      return attachment(Buffer.from(await this.ipxeScripts.script(infraEnv, wanted, request)), IPXE_SCRIPT);
    }
    const { ignition, generatedAt } = await this.commands.ask(
      IgnitionService.method.renderDiscoveryIgnition,
      { infraEnvId, isoType: query.discovery_iso_type ?? '' },
      context,
    );
    // The image service takes this as the age of its images.
    const changedAt = new Date(generatedAt);
    if (!Number.isNaN(changedAt.getTime())) void reply.header('Last-Modified', changedAt.toUTCString());
    return attachment(Buffer.from(ignition, 'base64'), DISCOVERY_IGNITION);
  }
}
