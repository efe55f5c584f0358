import {
  type ClusterDocument,
  ClusterFileQuery,
  CREDENTIAL_FILES,
  CredentialFileQuery,
  MANIFEST_FOLDERS,
  PresignedClusterFileQuery,
  type Static,
  V2_SIGNED_URL,
  type V2SignedUrl,
} from '@muster/assisted-api';
import { clusterActionRefusal, clusterPermits } from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import { RefusalError } from '@muster/problems';
import { isOneOf } from '@muster/schema';
import { Controller, Get, Param, Query, Req, type StreamableFile } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { Answers, AnswersFile } from '../api-document/answers.decorator';
import { Accepts, type Caller, OnlyRoles } from '../auth/caller';
import { DownloadUrls, OpenedByUrl } from '../auth/download-urls';
import { Ownership, TokenScopes } from '../auth/ownership';
import { Context, CurrentCaller } from '../auth/request.decorators';
import { Artifacts } from '../bus/commands';
import { ReadYourWrites } from '../bus/read-your-writes';
import { attachment } from '../http/file-answers';
import { SendsAgentVersion } from '../http/headers';
import { IdPipe } from '../http/request.pipes';
import { ClusterViews } from '../views/cluster-views';
import { hostIdOf } from './logs.controller';

/** Files with credentials: the kubeconfig and the keys of the cluster, and the pull secret. */
const SECRET_FILES: readonly string[] = ['bootstrap.ign', 'install-config.yaml', ...CREDENTIAL_FILES];

/** Values of `file_name` for `files-presigned` in addition to the installation files, each with its own route. */
const LOGS = 'logs';
const MANIFESTS = 'manifests';

/**
 * Files that are served until the requested one exists. The kubeconfig without the ingress CA is valid from the start
 * of the installation.
 */
const FALLBACK_FILES: ReadonlyMap<string, string> = new Map([['kubeconfig', 'kubeconfig-noingress']]);

const CONSOLE_OPERATOR = 'console';

const ADMINISTRATOR = 'kubeadmin';
const PASSWORD = 'kubeadmin-password';

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
    private readonly urls: DownloadUrls,
    private readonly scopes: TokenScopes,
    private readonly ownership: Ownership,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @Get('downloads/files')
  @SendsAgentVersion()
  @AnswersFile('Download an installation file of a cluster.', { mayBeNotReady: true })
  @Accepts('userAuth', 'agentAuth', 'urlAuth')
  @OpenedByUrl()
  async downloadClusterFile(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Query() { file_name: name }: ClusterFileQuery,
    @Context() context: CommandContext,
    @CurrentCaller() caller: Caller,
  ): Promise<StreamableFile> {
    await this.refuseSecretsToReaders(caller, clusterId, name);
    const cluster = await this.clusterWithFiles(clusterId);
    await this.refuseIdleAgents(caller, cluster);
    return attachment(await this.artifacts.read(clusterId, name, context), name);
  }

  @Get('downloads/credentials')
  @AnswersFile('Download the kubeconfig or the kubeadmin password.', { mayBeNotReady: true })
  @OnlyRoles('user')
  @Accepts('userAuth', 'agentAuth')
  @OpenedByUrl()
  async downloadCredentials(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Query() { file_name: name }: CredentialFileQuery,
    @Context() context: CommandContext,
    @CurrentCaller() caller: Caller,
  ): Promise<StreamableFile> {
    await this.refuseSecretsToReaders(caller, clusterId, name);
    const cluster = await this.clusterWithFiles(clusterId);
    await this.refuseIdleAgents(caller, cluster);
    const content =
      (await this.artifacts.find(clusterId, name, context)) ??
      (await this.artifacts.read(clusterId, FALLBACK_FILES.get(name) ?? name, context));
    return attachment(content, name);
  }

  /** A browser downloads by URL, without the headers of its page. */
  @Get('downloads/credentials-presigned')
  @Answers('Get a signed URL of the kubeconfig or the kubeadmin password.', V2_SIGNED_URL, { mayBeNotReady: true })
  @OnlyRoles('user')
  @Accepts('userAuth')
  async credentialsPresigned(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Query() { file_name }: CredentialFileQuery,
    @Req() request: FastifyRequest,
    @CurrentCaller() caller: Caller,
  ): Promise<V2SignedUrl> {
    await this.refuseSecretsToReaders(caller, clusterId, file_name);
    await this.clusterWithFiles(clusterId);
    return this.urls.create(`v2/clusters/${clusterId}/downloads/credentials`, { file_name }, request);
  }

  @Get('downloads/files-presigned')
  @Answers('Get a signed URL of an installation file, the logs or a custom manifest.', V2_SIGNED_URL, {
    mayBeNotReady: true,
  })
  @Accepts('userAuth')
  async filesPresigned(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Query() query: PresignedClusterFileQuery,
    @Req() request: FastifyRequest,
    @CurrentCaller() caller: Caller,
  ): Promise<V2SignedUrl> {
    await this.refuseSecretsToReaders(caller, clusterId, query.file_name);
    await this.clusters.document(clusterId);
    const path = `v2/clusters/${clusterId}`;
    const { file_name, host_id, logs_type } = query;
    if (file_name === LOGS) {
      if (logs_type === 'host') hostIdOf(query);
      return this.urls.create(
        `${path}/logs`,
        { ...(logs_type && { logs_type }), ...(host_id && { host_id }) },
        request,
      );
    }
    if (file_name === MANIFESTS) return this.urls.create(`${path}/manifests/files`, manifestQuery(query), request);
    await this.clusterWithFiles(clusterId);
    return this.urls.create(`${path}/downloads/files`, { file_name }, request);
  }

  /**
   * Refuses files with keys to users without write access to the cluster. With the keys, these users would administer the
   * cluster.
   * @throws RefusalError `forbidden`, `not-found`
   */
  private async refuseSecretsToReaders(caller: Caller, clusterId: string, name: string): Promise<void> {
    if (!SECRET_FILES.includes(name)) return;
    if (await this.ownership.permitsWrite(caller, await this.clusters.document(clusterId))) return;
    const reason = `The file ${name} contains credentials. Only users with write access to the cluster can download it.`;
    throw new RefusalError({ code: 'forbidden', reason });
  }

  /**
   * Returns the cluster when its status permits downloads; files of an earlier installation are not served. A host may get
   * its installation step before the read models contain the status that goes with it, and its installation fails when a
   * download is refused. So a refusal is based on everything that is stored.
   * @throws RefusalError `not-found`, `not-ready`; `busy` when the read models are too far behind
   */
  private async clusterWithFiles(clusterId: string): Promise<ClusterDocument> {
    const known = await this.clusters.document(clusterId);
    if (clusterPermits('download-files', known.status)) return known;
    const isCurrent = await this.readYourWrites.current();
    const cluster = await this.clusters.document(clusterId);
    const refusal = clusterActionRefusal('download-files', cluster.status, cluster.name);
    if (!refusal) return cluster;
    if (isCurrent) throw new RefusalError({ ...refusal, subject: 'file_name' });
    const reason = `The present status of cluster ${clusterId} is not known yet. Request the file again in a few seconds.`;
    throw new RefusalError({ code: 'busy', reason });
  }

  /**
   * The token of an infra-env is still valid after an installation, so it gives access to clusters that are being
   * installed only.
   */
  private async refuseIdleAgents({ scope }: Caller, { id, status, name }: ClusterDocument): Promise<void> {
    if (!scope) return;
    const refusal = clusterActionRefusal('give-credentials-to-agents', status, name);
    if (refusal) throw new RefusalError(refusal);
    if (await this.scopes.hasHostIn(scope, id)) return;
    throw new RefusalError({
      code: 'forbidden',
      reason: 'The token is not of an infra-env with hosts in this cluster.',
    });
  }

  @Get('credentials')
  @Answers("Get the administrator's credentials and the console URL.", V2_CREDENTIALS, { mayBeNotReady: true })
  @OnlyRoles('user')
  @Accepts('userAuth')
  async showCredentials(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Context() context: CommandContext,
    @CurrentCaller() caller: Caller,
  ): Promise<V2Credentials> {
    await this.refuseSecretsToReaders(caller, clusterId, PASSWORD);
    const cluster = await this.clusters.document(clusterId);
    const consoleUrl = consoleUrlOf(cluster);
    const password = await this.artifacts.read(clusterId, PASSWORD, context);
    return { username: ADMINISTRATOR, password: password.toString('utf8').trimEnd(), console_url: consoleUrl };
  }
}

/**
 * Returns an empty text when the cluster has no console.
 * @throws RefusalError `not-ready` while the console is not available
 */
function consoleUrlOf(cluster: ClusterDocument): string {
  const console = cluster.monitored_operators.find(({ name }) => name === CONSOLE_OPERATOR);
  if (!console) return '';
  if (console.status !== 'available') {
    throw new RefusalError({
      code: 'not-ready',
      reason: `The console of cluster ${cluster.id} is not available yet. Retry after the cluster is finalized.`,
    });
  }
  return `https://console-openshift-console.apps.${cluster.name}.${cluster.base_dns_domain ?? ''}`;
}

/** `openshift/a.yaml` is the manifest a.yaml in the folder openshift. */
function manifestQuery({ additional_name: name = '' }: PresignedClusterFileQuery): { [name: string]: string } {
  const [fileName, folder, ...more] = name.split('/').reverse();
  if (fileName && more.length === 0 && (!folder || isOneOf(MANIFEST_FOLDERS, folder)))
    return { file_name: fileName, ...(folder && { folder }) };
  throw new RefusalError({
    code: 'invalid-input',
    reason: `additional_name ${name === '' ? 'is missing' : 'does not name a manifest'}. Send the folder and the name of the manifest, such as openshift/a.yaml.`,
    subject: 'additional_name',
    allowed: name === '' ? undefined : MANIFEST_FOLDERS.map((known) => `${known}/<file name>`),
  });
}
