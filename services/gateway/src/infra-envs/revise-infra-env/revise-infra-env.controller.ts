import { Controller, HttpCode, Patch, Req } from '@nestjs/common';
import { ReviseInfraEnvBody, toInfraEnvChanges, V2_INFRA_ENV, type V2InfraEnv } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import type { FastifyRequest } from 'fastify';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { ReleaseChoice } from '../../catalogue/release-choice';
import { checkPullSecret } from '../../clusters/check-pull-secret';
import { Id, JsonBody } from '../../http/parameters.decorators';
import { InfraEnvViews } from '../../views/infra-env-views';

@Controller('v2/infra-envs/:infra_env_id')
export class ReviseInfraEnvController {
  constructor(
    private readonly commands: Commands,
    private readonly releases: ReleaseChoice,
    private readonly infraEnvs: InfraEnvViews,
  ) {}

  @Patch()
  @HttpCode(201)
  @Answers('Changes the settings of an infra-env; what is left out stays.', V2_INFRA_ENV)
  @Accepts('userAuth')
  async handle(
    @Id('infra_env_id') infraEnvId: string,
    @JsonBody(ReviseInfraEnvBody) body: ReviseInfraEnvBody,
    @Context() context: CommandContext,
    @Req() request: FastifyRequest,
  ): Promise<V2InfraEnv> {
    // Empty means unchanged, as in the contract.
    const pullSecret = body.pull_secret || undefined;
    if (pullSecret) checkPullSecret(pullSecret);
    const { cpu_architecture: architecture } = await this.infraEnvs.document(infraEnvId);
    const changes = toInfraEnvChanges(body);
    if (changes.openshiftVersion) {
      changes.openshiftVersion = this.releases.ofInfraEnv(changes.openshiftVersion, architecture).openshiftVersion;
    }
    const input = { infraEnvId, changes, pullSecret };
    await this.commands.execute(RegistrationService.method.reviseInfraEnv, input, context);
    return this.infraEnvs.show(infraEnvId, request);
  }
}
