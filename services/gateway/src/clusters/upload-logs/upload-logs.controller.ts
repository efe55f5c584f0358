import { Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import { UploadLogsQuery } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { OBJECT_STORE } from '@muster/nest-kit';
import type { ObjectStore } from '@muster/ports';
import type { FastifyRequest } from 'fastify';
import { AnswersNothing } from '../../api-document/answers.decorator';
import { toOpenApi } from '../../api-document/to-open-api';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { LOG_BUNDLE_MAX_BYTES } from '../../http/limits';
import { Id, QueryOf } from '../../http/parameters.decorators';
import { SchemaViolation } from '../../http/schema-violation';
import { ClusterViews } from '../../views/cluster-views';
import { HostViews } from '../../views/host-views';
import { noHost } from '../../views/not-found';

const UPLOAD = toOpenApi({
  type: 'object',
  properties: {
    upfile: {
      type: 'string',
      format: 'binary',
      maxLength: LOG_BUNDLE_MAX_BYTES,
      description: 'A tar archive, packed with gzip.',
    },
  },
  required: ['upfile'],
});

/** The body goes to the object store as it comes in; the fact that follows names it by digest. */
@Controller('v2/clusters/:cluster_id/logs')
export class UploadLogsController {
  constructor(
    @Inject(OBJECT_STORE) private readonly objectStore: ObjectStore,
    private readonly commands: Commands,
    private readonly clusters: ClusterViews,
    private readonly hosts: HostViews,
  ) {}

  @Post()
  @HttpCode(204)
  @ApiConsumes('multipart/form-data')
  @ApiBody({ required: true, schema: UPLOAD })
  @AnswersNothing('Takes collected logs: of a host, or of the controller.')
  @Accepts('agentAuth')
  async handle(
    @Id('cluster_id') clusterId: string,
    @QueryOf(UploadLogsQuery) query: UploadLogsQuery,
    @Req() request: FastifyRequest,
    @Context() context: CommandContext,
  ): Promise<void> {
    await this.clusters.document(clusterId);
    const infraEnvId = query.logs_type === 'host' ? await this.infraEnvOf(clusterId, query) : '';
    const body = await this.store(request);
    if (query.logs_type === 'host') {
      const input = { infraEnvId, hostId: query.host_id?.toLowerCase() ?? '', logsState: '', body };
      await this.commands.ask(RegistrationService.method.recordHostLogs, input, context);
    } else {
      const input = { clusterId, logsState: '', logsType: query.logs_type, hostId: '', body };
      await this.commands.ask(RegistrationService.method.recordClusterLogs, input, context);
    }
  }

  /** The host must be one of the cluster's before its body is taken in. */
  private async infraEnvOf(clusterId: string, query: UploadLogsQuery): Promise<string> {
    const hostId = query.host_id?.toLowerCase();
    if (!hostId) throw new SchemaViolation('host_id in query is required when logs_type is host');
    const hosts = await this.hosts.documentsOfCluster(clusterId);
    const given = query.infra_env_id?.toLowerCase();
    const host = hosts.find(({ id, infra_env_id }) => id === hostId && (!given || infra_env_id === given));
    if (!host) throw noHost(given ?? `of cluster ${clusterId}`, hostId);
    return host.infra_env_id;
  }

  private async store(request: FastifyRequest): Promise<{ digest: string; bytes: number }> {
    if (!request.isMultipart())
      throw new SchemaViolation('body must be multipart/form-data with the file in upfile', 415);
    const part = await request.file();
    if (!part || part.fieldname !== 'upfile') {
      part?.file.resume();
      throw new SchemaViolation('upfile in formData is required');
    }
    const { digest, bytes } = await this.objectStore.put(part.file, LOG_BUNDLE_MAX_BYTES);
    return { digest, bytes };
  }
}
