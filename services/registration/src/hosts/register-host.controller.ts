import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { CONFIG, type RegistrationConfig } from '../config';
import { HostRegistration } from './host-registration';

@Controller()
export class RegisterHostController {
  constructor(
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly registration: HostRegistration,
  ) {}

  @Handles(RegistrationService.method.registerHost)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.registerHost>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.registerHost>> {
    return { stored: await this.registration.register(request, context), agentVersion: this.config.images.agent };
  }
}
