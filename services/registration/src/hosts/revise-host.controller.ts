import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { HostRevision } from './host-revision';

@Controller()
export class ReviseHostController {
  constructor(private readonly revision: HostRevision) {}

  @Handles(RegistrationService.method.reviseHost)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.reviseHost>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.reviseHost>> {
    return { stored: await this.revision.revise(request, context) };
  }
}
