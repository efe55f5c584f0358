import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { HostBinding } from './host-binding';

@Controller()
export class UnbindHostController {
  constructor(private readonly binding: HostBinding) {}

  @Handles(RegistrationService.method.unbindHost)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.unbindHost>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.unbindHost>> {
    return { stored: await this.binding.unbind(request, context) };
  }
}
