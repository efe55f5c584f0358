import { buffer } from 'node:stream/consumers';
import {
  type InfraEnvDocument,
  InfraEnvFileQuery,
  type JsonSchema,
  PresignedInfraEnvFileQuery,
  UNSET_TIME,
  V2_SIGNED_URL,
} from '@muster/assisted-api';
import { IgnitionService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { hostNetworkFiles } from '@muster/ignition-config';
import { DOCUMENT_TASKS, DocumentWorkers } from '@muster/nest-kit';
import { type Refusal, RefusalError } from '@muster/problems';
import { Controller, Get, HttpStatus, Param, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Answers, AnswersFile } from '../api-document/answers.decorator';
import { Accepts, ADMIN, type Caller, OnlyRoles } from '../auth/caller';
import { Ownership } from '../auth/ownership';
import { Context, CurrentCaller } from '../auth/request.decorators';
import { Commands } from '../bus/commands';
import { attachment, createTar } from '../http/file-answers';
import { IdPipe } from '../http/request.pipes';
import { ImageUrls, InfraEnvViews } from '../views/infra-env-views';
import { IPXE_SCRIPT, IpxeScripts } from './ipxe-scripts';

interface Networked {
  readonly openshift_version?: string;
  readonly static_network_config?: string;
}

/** Returns the files of the static networks of the hosts as a tar archive; empty when the infra-env has none. */
export async function staticNetworkArchive(
  { openshift_version, static_network_config }: Networked,
  documents: DocumentWorkers,
): Promise<Buffer> {
  const planned = await documents.run(DOCUMENT_TASKS.planStaticNetworks, {
    openshiftVersion: openshift_version ?? '',
    staticNetworkConfig: static_network_config ?? '',
  });
  if (!planned) return Buffer.alloc(0);
  const files = hostNetworkFiles(planned.networks.hosts, planned.form);
  // Paths are absolute on the host and relative in the archive, as tar writes them.
  const entries = files.map(({ path, content }) => ({
    name: path.slice(1),
    open: () => Promise.resolve(Buffer.from(content)),
  }));
  return buffer(createTar(entries));
}

/** @throws RefusalError for a parameter of the iPXE script with another file */
function refuseOtherScriptType(query: { readonly file_name: string; readonly ipxe_script_type?: string }): void {
  if (query.ipxe_script_type === undefined || query.file_name === IPXE_SCRIPT) return;
  throw new RefusalError({
    code: 'invalid-input',
    reason: `ipxe_script_type applies to the file ${IPXE_SCRIPT} only. Omit it, or request ${IPXE_SCRIPT}.`,
    subject: 'ipxe_script_type',
  });
}

const DISCOVERY_IGNITION = 'discovery.ign';

const STATIC_NETWORKS = 'static-network-config';

const RAM_DISK_HAS_SECRETS: Refusal = {
  code: 'forbidden',
  reason:
    'The RAM disk contains the credentials of the proxy. Only users with write access to the infra-env can download it.',
};

const LAST_MODIFIED: { readonly [name: string]: JsonSchema } = {
  'Last-Modified': { type: 'string', description: 'Time of the last change of the content of discovery.ign.' },
};

@Controller('v2/infra-envs/:infra_env_id/downloads')
export class ImagesController {
  constructor(
    private readonly documents: DocumentWorkers,
    private readonly infraEnvs: InfraEnvViews,
    private readonly urls: ImageUrls,
    private readonly commands: Commands,
    private readonly ipxeScripts: IpxeScripts,
    private readonly ownership: Ownership,
  ) {}

  /** A URL that does not expire has the zero time of the v2 API as its expiry. */
  @Get('image-url')
  @Answers('Get the download URL of the discovery image.', V2_SIGNED_URL)
  @Accepts('userAuth')
  @OnlyRoles('admin', 'user')
  async showImageUrl(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Req() request: FastifyRequest,
  ): Promise<{ readonly url: string; readonly expires_at: string }> {
    const infraEnv = await this.infraEnvs.document(infraEnvId);
    return { url: await this.urls.of(infraEnv, request), expires_at: this.urls.expiresAt() ?? UNSET_TIME };
  }

  @Get('files')
  @AnswersFile('Download a boot file of an infra-env.', {
    mayBeNotReady: true,
    mayStore: true,
    headers: LAST_MODIFIED,
  })
  @Accepts('userAuth', 'agentAuth', 'urlAuth', 'imageAuth', 'imageURLAuth')
  async downloadInfraEnvFile(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Query() query: InfraEnvFileQuery,
    @Context() context: CommandContext,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    refuseOtherScriptType(query);
    const infraEnv = await this.infraEnvs.document(infraEnvId);
    if (query.file_name === STATIC_NETWORKS) return attachment(await this.staticNetworks(infraEnv), STATIC_NETWORKS);
    if (query.file_name === IPXE_SCRIPT) {
      const wanted = { type: query.ipxe_script_type ?? '', mac: query.mac ?? '' };
      return attachment(Buffer.from(await this.ipxeScripts.script(infraEnv, wanted, request)), IPXE_SCRIPT);
    }
    // With the token of the agents or the pull secret a caller could act as a host, so readers get the document without them.
    const withoutSecrets = !(await this.ownership.permitsWrite(request.caller ?? ADMIN, infraEnv));
    const { ignition, generatedAt } = await this.commands.send(
      IgnitionService.method.renderDiscoveryIgnition,
      { infraEnvId, isoType: query.discovery_iso_type ?? '', withoutSecrets },
      context,
    );
    // The image service uses this time as the modification time of its images.
    const changedAt = new Date(generatedAt);
    if (!Number.isNaN(changedAt.getTime())) void reply.header('Last-Modified', changedAt.toUTCString());
    return attachment(Buffer.from(ignition, 'base64'), DISCOVERY_IGNITION);
  }

  /** Hosts have no other credentials, so the URL is signed. */
  @Get('files-presigned')
  @Answers('Get a signed URL of a boot file.', V2_SIGNED_URL)
  @Accepts('userAuth')
  @OnlyRoles('admin', 'user')
  async presignInfraEnvFile(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Query() query: PresignedInfraEnvFileQuery,
    @Req() request: FastifyRequest,
  ): Promise<{ readonly url: string; readonly expires_at: string }> {
    refuseOtherScriptType(query);
    const infraEnv = await this.infraEnvs.document(infraEnvId);
    const parameters = {
      file_name: query.file_name,
      ...(query.ipxe_script_type && { ipxe_script_type: query.ipxe_script_type }),
    };
    return {
      url: await this.urls.file(infraEnv, parameters, request),
      expires_at: this.urls.expiresAt() ?? UNSET_TIME,
    };
  }

  /** Answers 204 when the hosts of the infra-env need no RAM disk to download their root file system. */
  @Get('minimal-initrd')
  @AnswersFile('Download the initial RAM disk of the minimal image.', {
    mayBeNotReady: true,
    others: { 204: 'The hosts need no RAM disk.' },
  })
  @Accepts('userAuth', 'urlAuth', 'imageAuth')
  async downloadMinimalInitrd(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Context() context: CommandContext,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile | undefined> {
    if (!(await this.ownership.permitsWrite(caller, await this.infraEnvs.document(infraEnvId))))
      throw new RefusalError(RAM_DISK_HAS_SECRETS);
    const method = IgnitionService.method.renderNetworkRamdisk;
    const { archive } = await this.commands.send(method, { infraEnvId }, context);
    if (archive !== '') return attachment(Buffer.from(archive, 'base64'), `initrd-${infraEnvId}.img`);
    void reply.status(HttpStatus.NO_CONTENT);
    return undefined;
  }

  private async staticNetworks(infraEnv: InfraEnvDocument): Promise<Buffer> {
    const { openshift_version } = infraEnv;
    const static_network_config = await this.infraEnvs.staticNetworksOf(infraEnv);
    return staticNetworkArchive({ openshift_version, static_network_config }, this.documents);
  }
}
