import { type ClusterDocument, ClusterFileQuery, CredentialFileQuery, type Static } from '@muster/assisted-api';
import { clusterActionRefusal } from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import { RefusalError } from '@muster/problems';
import { Controller, Get, Param, Query, type StreamableFile } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { Answers, AnswersFile, AnswersRefusal } from '../api-document/answers.decorator';
import { Accepts, OnlyRoles } from '../auth/caller';
import { Context } from '../auth/request.decorators';
import { Artifacts } from '../bus/commands';
import { attachment } from '../http/file-answers';
import { SendsAgentVersion } from '../http/headers';
import { IdPipe } from '../http/request.pipes';
import { ClusterViews } from '../views/cluster-views';

/**
 * Refuses the download of a file that the status of the cluster does not permit yet. An earlier installation's files are
 * not served either.
 *
 * @throws RefusalError with code `not-ready`
 */
export function refuseBeforeFilesExist({ status, name }: Pick<ClusterDocument, 'status' | 'name'>): void {
  const refusal = clusterActionRefusal('download-files', status, name);
  if (refusal) throw new RefusalError({ ...refusal, subject: 'file_name' });
}

/** Replacements until the file exists: the kubeconfig without the ingress CA is valid from the first minute. */
const STAND_INS: ReadonlyMap<string, string> = new Map([['kubeconfig', 'kubeconfig-noingress']]);

const CONSOLE_OPERATOR = 'console';

const ADMINISTRATOR = 'kubeadmin';

const V2_CREDENTIALS = Type.Object(
  { username: Type.String(), password: Type.String(), console_url: Type.String() },
  { title: 'credentials' },
);

type V2Credentials = Static<typeof V2_CREDENTIALS>;

@Controller('v2/clusters/:cluster_id')
export class DownloadsController {
  constructor(
    private readonly clusters: ClusterViews,
    private readonly artifacts: Artifacts,
  ) {}

  @Get('downloads/files')
  @SendsAgentVersion()
  @AnswersFile('Download an installation file of a cluster.', { isEarlyAtTimes: true })
  @Accepts('userAuth', 'agentAuth', 'urlAuth')
  async downloadClusterFile(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Query() { file_name: name }: ClusterFileQuery,
    @Context() context: CommandContext,
  ): Promise<StreamableFile> {
    refuseBeforeFilesExist(await this.clusters.document(clusterId));
    return attachment(await this.artifacts.read(clusterId, name, context), name);
  }

  @Get('downloads/credentials')
  @AnswersFile('Download the kubeconfig or the kubeadmin password.', { isEarlyAtTimes: true })
  @OnlyRoles('user')
  @Accepts('userAuth', 'agentAuth')
  async downloadCredentials(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Query() { file_name: name }: CredentialFileQuery,
    @Context() context: CommandContext,
  ): Promise<StreamableFile> {
    refuseBeforeFilesExist(await this.clusters.document(clusterId));
    const content =
      (await this.artifacts.find(clusterId, name, context)) ??
      (await this.artifacts.read(clusterId, STAND_INS.get(name) ?? name, context));
    return attachment(content, name);
  }

  @Get('downloads/credentials-presigned')
  @AnswersRefusal(
    'Not supported: URLs of an object store are not handed out; download from downloads/credentials instead.',
  )
  @OnlyRoles('user')
  @Accepts('userAuth')
  credentialsPresigned(@Param('cluster_id', IdPipe) _clusterId: string): never {
    throw noPresignedUrls('downloads/credentials');
  }

  @Get('downloads/files-presigned')
  @AnswersRefusal(
    'Not supported: URLs of an object store are not handed out; download from downloads/files or logs instead.',
  )
  @Accepts('userAuth')
  filesPresigned(@Param('cluster_id', IdPipe) _clusterId: string): never {
    throw noPresignedUrls('downloads/files or logs');
  }

  @Get('credentials')
  @Answers("Get the administrator's credentials and the console URL.", V2_CREDENTIALS, { isEarlyAtTimes: true })
  @OnlyRoles('user')
  @Accepts('userAuth')
  async showCredentials(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Context() context: CommandContext,
  ): Promise<V2Credentials> {
    const cluster = await this.clusters.document(clusterId);
    const consoleUrl = consoleUrlOf(cluster);
    const password = await this.artifacts.read(clusterId, 'kubeadmin-password', context);
    return { username: ADMINISTRATOR, password: password.toString('utf8').trimEnd(), console_url: consoleUrl };
  }
}

/** Empty when the cluster has no console. Throws RefusalError `not-ready` until it is up. */
function consoleUrlOf(cluster: ClusterDocument): string {
  const console = cluster.monitored_operators.find(({ name }) => name === CONSOLE_OPERATOR);
  if (cluster.monitored_operators.length > 0 && !console) return '';
  if (console?.status !== 'available') {
    throw new RefusalError({
      code: 'not-ready',
      reason: `The console of cluster ${cluster.id} is not available yet. Retry after the cluster is finalized.`,
    });
  }
  return `https://console-openshift-console.apps.${cluster.name}.${cluster.base_dns_domain ?? ''}`;
}

const noPresignedUrls = (instead: string): RefusalError =>
  new RefusalError({
    code: 'invalid-input',
    reason: `URLs of an object store are not handed out; download from ${instead} instead.`,
  });
