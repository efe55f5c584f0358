import {
  type HostDocument,
  HostIgnitionBody,
  type InfraEnvDocument,
  InstallerArgsBody,
  V2_HOST,
} from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { DOCUMENT_TASKS, DocumentWorkers } from '@muster/nest-kit';
import { RefusalError } from '@muster/problems';
import { Body, Controller, Get, HttpCode, Injectable, Param, Patch, type StreamableFile } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { Answers, AnswersFile, AnswersNothing, AnswersText } from '../api-document/answers.decorator';
import { Accepts, type Caller, OnlyRoles } from '../auth/caller';
import { Ownership } from '../auth/ownership';
import { Context, CurrentCaller } from '../auth/request.decorators';
import { Artifacts, Commands } from '../bus/commands';
import { ReadYourWrites } from '../bus/read-your-writes';
import { attachment, type JsonAnswer } from '../http/file-answers';
import { IdPipe } from '../http/request.pipes';
import { ClusterViews } from '../views/cluster-views';
import { HostViews } from '../views/host-views';
import { InfraEnvViews } from '../views/infra-env-views';

interface IgnitionFile {
  readonly name: string;
  readonly content: Buffer;
}

/** Reads the Ignition config with which a host is installed. */
@Injectable()
export class HostIgnition {
  constructor(
    private readonly hosts: HostViews,
    private readonly clusters: ClusterViews,
    private readonly ownership: Ownership,
    private readonly artifacts: Artifacts,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  /**
   * A host may request its document before the read models contain its cluster and its role, and its installation fails
   * when the request is refused. So a refusal is based on everything that is stored.
   * @throws RefusalError `not-found`; `not-ready` before an installation is prepared; `busy` when the read models are too
   * far behind
   */
  async read(infraEnvId: string, hostId: string, caller: Caller, context: CommandContext): Promise<IgnitionFile> {
    const readKnown = (): Promise<IgnitionFile | RefusalError> =>
      this.readKnown(infraEnvId, hostId, caller, context).catch(notReadyRefusal);
    const known = await readKnown();
    if (!(known instanceof RefusalError)) return known;
    const isCurrent = await this.readYourWrites.current();
    const file = await readKnown();
    if (!(file instanceof RefusalError)) return file;
    if (isCurrent) throw file;
    const reason = `The present cluster and role of host ${hostId} are not known yet. Request the document again in a few seconds.`;
    throw new RefusalError({ code: 'busy', reason });
  }

  private async readKnown(
    infraEnvId: string,
    hostId: string,
    caller: Caller,
    context: CommandContext,
  ): Promise<IgnitionFile> {
    const host = await this.hosts.document(infraEnvId, hostId);
    if (!host.cluster_id) {
      throw new RefusalError({
        code: 'not-ready',
        reason: `Host ${hostId} has no Ignition config because it is not bound to a cluster. Bind it first.`,
      });
    }
    const name = `${effectiveRole(host)}-${hostId}.ign`;
    // With the token of the Ignition endpoint a caller could act as a host, so readers get the document without it.
    const cluster = await this.clusters.document(host.cluster_id);
    const withoutSecrets = !(await this.ownership.permitsWrite(caller, cluster));
    return { name, content: await this.artifacts.read(cluster.id, name, context, withoutSecrets) };
  }
}

/** @throws the error when it is another one */
function notReadyRefusal(error: unknown): RefusalError {
  if (error instanceof RefusalError && error.refusal.code === 'not-ready') return error;
  throw error;
}

/** A host without a role becomes a worker. Only day-2 hosts have no role here. */
function effectiveRole({ role, suggested_role }: HostDocument): string {
  const chosen = role === 'auto-assign' ? (suggested_role ?? role) : role;
  return chosen === 'auto-assign' ? 'worker' : chosen;
}

/** `host-ignition-params` of the v2 API. */
const V2_HOST_IGNITION = Type.Object({ config: Type.String() }, { title: 'host-ignition-params' });

@Controller('v2')
export class HostIgnitionController {
  constructor(
    private readonly ignition: HostIgnition,
    private readonly commands: Commands,
    private readonly hosts: HostViews,
    private readonly infraEnvs: InfraEnvViews,
    private readonly workers: DocumentWorkers,
  ) {}

  @Get('infra-envs/:infra_env_id/hosts/:host_id/ignition')
  @Answers('Get the Ignition config with which a host is installed.', V2_HOST_IGNITION, { mayBeNotReady: true })
  @OnlyRoles('admin', 'user')
  @Accepts('userAuth')
  async showHostIgnition(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Param('host_id', IdPipe) hostId: string,
    @Context() context: CommandContext,
    @CurrentCaller() caller: Caller,
  ): Promise<{ readonly config: string }> {
    const { content } = await this.ignition.read(infraEnvId, hostId, caller, context);
    return { config: content.toString('utf8') };
  }

  @Patch('infra-envs/:infra_env_id/hosts/:host_id/ignition')
  @HttpCode(201)
  @AnswersNothing('Replace the overrides of the Ignition config of a host.')
  @Accepts('userAuth')
  async overrideIgnition(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Param('host_id', IdPipe) hostId: string,
    @Body() { config = '' }: HostIgnitionBody,
    @Context() context: CommandContext,
  ): Promise<void> {
    await this.hosts.document(infraEnvId, hostId);
    if (config) await this.refuseUnusable(config, await this.infraEnvs.document(infraEnvId));
    const input = { infraEnvId, hostId, settings: {}, ignitionConfigOverrides: config };
    await this.commands.execute(RegistrationService.method.reviseHost, input, context);
  }

  /** The system of the discovery image, which is installed, reads the config. */
  private async refuseUnusable(config: string, { openshift_version: version }: InfraEnvDocument): Promise<void> {
    const task = DOCUMENT_TASKS.checkHostIgnition;
    const refusal = await this.workers.run(task, config, task.subject, version);
    if (refusal) throw new RefusalError(refusal);
  }

  @Patch('infra-envs/:infra_env_id/hosts/:host_id/installer-args')
  @HttpCode(201)
  @AnswersText('Replace the additional coreos-installer arguments of a host.', V2_HOST)
  @Accepts('userAuth')
  async setInstallerArgs(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Param('host_id', IdPipe) hostId: string,
    @Body() { args = [] }: InstallerArgsBody,
    @Context() context: CommandContext,
  ): Promise<JsonAnswer> {
    const input = { infraEnvId, hostId, settings: { installerArgs: JSON.stringify(args) } };
    await this.commands.execute(RegistrationService.method.reviseHost, input, context);
    return this.hosts.show(infraEnvId, hostId);
  }

  /** The v2 API spells this one path with `infra-env` in the singular. */
  @Get('infra-env/:infra_env_id/hosts/:host_id/downloads/ignition')
  @AnswersFile('Download the Ignition config with which a host is installed.', { mayBeNotReady: true })
  @Accepts('userAuth', 'agentAuth')
  async downloadHostIgnition(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Param('host_id', IdPipe) hostId: string,
    @Context() context: CommandContext,
    @CurrentCaller() caller: Caller,
  ): Promise<StreamableFile> {
    const { name, content } = await this.ignition.read(infraEnvId, hostId, caller, context);
    return attachment(content, name);
  }
}
