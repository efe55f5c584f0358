import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { HostBinding } from './host-binding';

@Controller()
export class BindHostController {
  constructor(private readonly binding: HostBinding) {}

  @Handles(RegistrationService.method.bindHost)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.bindHost>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.bindHost>> {
    return { stored: await this.binding.bind(request, context) };
  }
}
