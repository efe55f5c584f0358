import { Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { RegisterInfraEnvBody, toInfraEnvSettings, V2_INFRA_ENV, type V2InfraEnv } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { IDS } from '@muster/nest-kit';
import type { Ids } from '@muster/ports';
import type { FastifyRequest } from 'fastify';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import type { Caller } from '../../auth/caller';
import { Context, Who } from '../../auth/command-context.decorator';
import { Ownership } from '../../auth/ownership';
import { Commands } from '../../bus/commands';
import { ReleaseChoice } from '../../catalogue/release-choice';
import { checkPullSecret } from '../../clusters/check-pull-secret';
import { JsonBody } from '../../http/parameters.decorators';
import { ClusterViews } from '../../views/cluster-views';
import { InfraEnvViews } from '../../views/infra-env-views';

@Controller('v2/infra-envs')
export class RegisterInfraEnvController {
  constructor(
    @Inject(IDS) private readonly ids: Ids,
    private readonly commands: Commands,
    private readonly releases: ReleaseChoice,
    private readonly clusters: ClusterViews,
    private readonly infraEnvs: InfraEnvViews,
    private readonly ownership: Ownership,
  ) {}

  @Post()
  @HttpCode(201)
  @Answers('Makes an infra-env: an image, and the hosts that will boot from it.', V2_INFRA_ENV, { namesOthers: true })
  @Accepts('userAuth')
  async handle(
    @JsonBody(RegisterInfraEnvBody) body: RegisterInfraEnvBody,
    @Context() context: CommandContext,
    @Req() request: FastifyRequest,
    @Who() caller: Caller,
  ): Promise<V2InfraEnv> {
    checkPullSecret(body.pull_secret);
    const settings = toInfraEnvSettings(body);
    await this.ownership.check(caller, 'write', { clusterId: settings.clusterId });
    const cluster = settings.clusterId ? await this.clusters.document(settings.clusterId) : undefined;
    const version = body.openshift_version || cluster?.openshift_version || '';
    const infraEnvId = this.ids.uuid();
    await this.commands.execute(
      RegistrationService.method.registerInfraEnv,
      {
        infraEnvId,
        settings: { ...settings, ...this.releases.ofInfraEnv(version, body.cpu_architecture) },
        owner: { userName: context.user ?? '', orgId: context.org ?? '', emailDomain: '' },
        pullSecret: body.pull_secret,
      },
      context,
    );
    return this.infraEnvs.show(infraEnvId, request);
  }
}
