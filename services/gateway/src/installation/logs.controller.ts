import type { Readable } from 'node:stream';
import { DownloadLogsQuery, LogsProgressBody, UploadLogsQuery } from '@muster/assisted-api';
import { hostKeyOf, RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { type Probe, PROBES, requireDiskReserve } from '@muster/nest-kit';
import { byText } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Body, Controller, Get, HttpCode, Inject, Param, Post, Put, Query, Req, StreamableFile } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { AnswersFile, AnswersNothing } from '../api-document/answers.decorator';
import { Accepts } from '../auth/caller';
import { OpenedByUrl } from '../auth/download-urls';
import { Context } from '../auth/request.decorators';
import { Commands } from '../bus/commands';
import { attachment } from '../http/file-answers';
import { toOpenApi } from '../http/headers';
import { isForm, limitSlowUpload, LOG_BUNDLE_MAX_BYTES } from '../http/request-body';
import { IdPipe, SchemaViolation } from '../http/request.pipes';
import { ClusterViews } from '../views/cluster-views';
import { noHostOfCluster } from '../views/documents';
import { HostViews } from '../views/host-views';
import { type CollectedLog, collectedLogs, LogBundle } from './log-bundle';
import { StoredLogs } from './stored-logs';

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

@Controller('v2')
export class LogsController {
  constructor(
    @Inject(PROBES) private readonly probes: readonly Probe[],
    private readonly clusters: ClusterViews,
    private readonly hosts: HostViews,
    private readonly commands: Commands,
    private readonly bundle: LogBundle,
    private readonly stored: StoredLogs,
  ) {}

  @Get('clusters/:cluster_id/logs')
  @AnswersFile('Download collected logs of one host, of the controller, or all of them in one archive.', {
    mayBeNotReady: true,
  })
  @Accepts('userAuth', 'urlAuth')
  @OpenedByUrl()
  async downloadLogs(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Query() query: DownloadLogsQuery,
    @Req() { caller }: FastifyRequest,
    @Context() context: CommandContext,
  ): Promise<StreamableFile> {
    const cluster = await this.clusters.document(clusterId);
    const hosts = await this.hosts.documentsOfCluster(clusterId);
    const logs = collectedLogs(cluster, hosts);
    if (query.logs_type === 'host') {
      const hostId = hostIdOf(query);
      if (!hosts.some(({ id }) => id === hostId)) throw noHostOfCluster(clusterId, hostId);
      return this.one(clusterId, logs, hostId);
    }
    if (query.logs_type === 'controller') return this.one(clusterId, logs, 'controller');
    return attachment(await this.bundle.create(clusterId, logs, caller, context), `${cluster.name}_logs.tar`);
  }

  private async one(clusterId: string, logs: readonly CollectedLog[], source: string): Promise<StreamableFile> {
    // A machine that boots another image registers again, and its former registration may still be a host of the cluster.
    const [log] = logs
      .filter((collected) => collected.source === source)
      .sort((left, right) => byText(right.collectedAt, left.collectedAt));
    const body = log && (await this.stored.open(clusterId, log.digest));
    if (!log || !body) throw notCollected(source);
    return attachment(body, log.fileName);
  }

  /** The body is stored while it arrives. The event that is stored afterwards refers to it by digest. */
  @Post('clusters/:cluster_id/logs')
  @HttpCode(204)
  @ApiConsumes('multipart/form-data')
  @ApiBody({ required: true, schema: UPLOAD })
  @AnswersNothing('Upload the logs of a host or of the controller.')
  @Accepts('agentAuth')
  async uploadLogs(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Query() query: UploadLogsQuery,
    @Req() request: FastifyRequest,
    @Context() context: CommandContext,
  ): Promise<void> {
    await this.clusters.document(clusterId);
    await requireDiskReserve(this.probes);
    const infraEnvId = query.logs_type === 'host' ? await this.infraEnvOf(clusterId, query) : '';
    const { file, endCheck } = await openUpload(request);
    const hostId = query.logs_type === 'host' ? (query.host_id?.toLowerCase() ?? '') : '';
    const { recordHostLogs, recordClusterLogs } = RegistrationService.method;
    // The read models have to contain the event before the replaced body is removed, because they list the bodies in use.
    const key = hostId ? hostKeyOf(infraEnvId, hostId) : query.logs_type;
    const replaced = this.stored.replace(clusterId, key, file, async (body) => {
      // It would replace the logs that are there.
      if (body.bytes === 0) throw new SchemaViolation('upfile in formData is empty');
      return hostId
        ? this.commands.execute(recordHostLogs, { infraEnvId, hostId, logsState: '', body }, context)
        : this.commands.execute(
            recordClusterLogs,
            { clusterId, logsState: '', logsType: query.logs_type, hostId, body },
            context,
          );
    });
    let failure: unknown;
    file.once('error', (error) => (failure = error));
    await replaced
      .catch((error: unknown) => {
        throw error === failure ? explainUpload(error) : error;
      })
      .finally(endCheck);
  }

  /** The host must belong to the cluster before its body is read. */
  private async infraEnvOf(clusterId: string, query: UploadLogsQuery): Promise<string> {
    const hostId = query.host_id?.toLowerCase();
    if (!hostId) throw new SchemaViolation('host_id in query is required when logs_type is host');
    const hosts = await this.hosts.documentsOfCluster(clusterId);
    const given = query.infra_env_id?.toLowerCase();
    const host = hosts.find(({ id, infra_env_id }) => id === hostId && (!given || infra_env_id === given));
    if (!host) throw noHostOfCluster(clusterId, hostId);
    return host.infra_env_id;
  }

  @Put('clusters/:cluster_id/logs-progress')
  @HttpCode(204)
  @AnswersNothing("Report the progress of collecting the controller's logs.")
  @Accepts('agentAuth')
  async reportClusterLogs(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Body() { logs_state: logsState }: LogsProgressBody,
    @Context() context: CommandContext,
  ): Promise<void> {
    const input = { clusterId, logsState, logsType: '', hostId: '' };
    await this.commands.send(RegistrationService.method.recordClusterLogs, input, context);
  }

  @Put('infra-envs/:infra_env_id/hosts/:host_id/logs-progress')
  @HttpCode(204)
  @AnswersNothing('Report the progress of collecting the logs of a host.')
  @Accepts('agentAuth')
  async reportHostLogs(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Param('host_id', IdPipe) hostId: string,
    @Body() { logs_state: logsState }: LogsProgressBody,
    @Context() context: CommandContext,
  ): Promise<void> {
    await this.commands.send(RegistrationService.method.recordHostLogs, { infraEnvId, hostId, logsState }, context);
  }
}

/** The parser of multipart bodies has no error class. Errors with a status are refusals of their own. */
const explainUpload = (error: unknown): unknown =>
  error instanceof SchemaViolation || !(error instanceof Error) || 'statusCode' in error
    ? error
    : new SchemaViolation(`body is not a complete multipart body: ${error.message}`);

interface Upload {
  readonly file: Readable;
  /** Ends the check of the rate at which the file arrives. */
  readonly endCheck: () => void;
}

/**
 * Returns the file of the form when it begins to arrive.
 * @throws SchemaViolation for another form, and for one whose file begins too late
 */
async function openUpload(request: FastifyRequest): Promise<Upload> {
  if (!isForm(request)) throw new SchemaViolation('body must be multipart/form-data with the file in upfile', 415);
  // The plugin learns it from its content type parser, which does not run (`leaveBodiesUnread`).
  request.isMultipart = () => true;
  let refuse: (error: Error) => void = () => undefined;
  const tooSlow = new Promise<never>((_, reject) => (refuse = reject));
  const endCheck = limitSlowUpload(request, (error) => refuse(error));
  try {
    const part = await Promise.race([request.file(), tooSlow]);
    if (part?.fieldname !== 'upfile') {
      part?.file.resume();
      throw new SchemaViolation('upfile in formData is required');
    }
    refuse = (error) => part.file.destroy(error);
    return { file: part.file, endCheck };
  } catch (error) {
    endCheck();
    throw explainUpload(error);
  }
}

/** @throws RefusalError without the id of a host */
export function hostIdOf(query: DownloadLogsQuery): string {
  if (query.host_id) return query.host_id.toLowerCase();
  throw new RefusalError({
    code: 'invalid-input',
    reason: 'host_id must be given when logs_type is host.',
    subject: 'host_id',
  });
}

const notCollected = (source: string): RefusalError =>
  new RefusalError({
    code: 'not-ready',
    reason: `No logs of ${source} have been collected yet. Hosts send logs when an installation ends or is cancelled.`,
  });
