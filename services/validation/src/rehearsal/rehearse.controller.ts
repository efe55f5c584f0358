import { ValidationService } from '@muster/contracts';
import { Handles, type InputOf, type OutputOf, PLATFORM, type Platform } from '@muster/nest-kit';
import type { RulesPolicy } from '@muster/validation-rules';
import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { CONFIG } from '../config';
import { Rehearsal } from './rehearsal';

/** What would be found, without anything being stored. */
@Controller()
export class RehearseController {
  constructor(
    @Inject(PLATFORM) private readonly platform: Pick<Platform, 'clock'>,
    @Inject(CONFIG) private readonly policy: RulesPolicy,
  ) {}

  @Handles(ValidationService.method.rehearse)
  handle(
    @Payload() { settings = {}, pullSecretSet, hosts }: InputOf<typeof ValidationService.method.rehearse>,
  ): OutputOf<typeof ValidationService.method.rehearse> {
    const rehearsal = new Rehearsal(this.policy, new Date(this.platform.clock.nowMs()).toISOString());
    const { outcomes, hosts: verdicts, machineNetworks } = rehearsal.run(settings, pullSecretSet, hosts);
    return {
      outcomes: [...outcomes],
      hosts: verdicts.map((verdict) => ({ ...verdict, outcomes: [...verdict.outcomes] })),
      machineNetworks: [...machineNetworks],
    };
  }
}
