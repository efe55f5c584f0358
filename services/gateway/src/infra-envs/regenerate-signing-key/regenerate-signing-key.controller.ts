import { Controller, HttpCode, Post } from '@nestjs/common';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { AnswersNothing } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id } from '../../http/parameters.decorators';

@Controller('v2/infra-envs/:infra_env_id/regenerate-signing-key')
export class RegenerateSigningKeyController {
  constructor(private readonly commands: Commands) {}

  @Post()
  @HttpCode(204)
  @AnswersNothing('Makes every address of the image worthless that was handed out so far.')
  @Accepts('userAuth')
  async handle(@Id('infra_env_id') infraEnvId: string, @Context() context: CommandContext): Promise<void> {
    await this.commands.execute(RegistrationService.method.rotateSigningKey, { infraEnvId }, context);
  }
}
