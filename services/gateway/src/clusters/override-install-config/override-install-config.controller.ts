import { Controller, HttpCode, Patch } from '@nestjs/common';
import { DOCUMENT_MAX_CHARACTERS } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { RefusalError } from '@muster/problems';
import { AnswersNothing } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id, TextBody } from '../../http/parameters.decorators';

@Controller('v2/clusters/:cluster_id/install-config')
export class OverrideInstallConfigController {
  constructor(private readonly commands: Commands) {}

  @Patch()
  @HttpCode(201)
  @AnswersNothing('Replaces what is merged over the install-config of a cluster.')
  @Accepts('userAuth')
  async handle(
    @Id('cluster_id') clusterId: string,
    @TextBody(DOCUMENT_MAX_CHARACTERS) installConfigOverrides: string,
    @Context() context: CommandContext,
  ): Promise<void> {
    if (installConfigOverrides !== '' && !isJsonObject(installConfigOverrides)) {
      throw new RefusalError({
        code: 'invalid-input',
        reason: 'The install-config override must be the text of a JSON object, or empty to remove it.',
      });
    }
    const input = { clusterId, changes: { installConfigOverrides } };
    await this.commands.execute(RegistrationService.method.reviseCluster, input, context);
  }
}

function isJsonObject(text: string): boolean {
  try {
    const document: unknown = JSON.parse(text);
    return typeof document === 'object' && document !== null && !Array.isArray(document);
  } catch {
    return false;
  }
}
