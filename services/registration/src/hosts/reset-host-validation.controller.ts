import { hostKeyOf, InventoryService, RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { callService, Handles, type InputOf, type OutputOf, REQUESTS } from '@muster/nest-kit';
import type { Requests } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Aggregates } from '../aggregates/aggregates';
import { noSuchHost } from './host-refusals';

/** Validations that rest on a measurement which is taken once, and the step that takes it. */
const STEP_OF_VALIDATION: ReadonlyMap<string, string> = new Map([
  ['sufficient-installation-disk-speed', 'installation-disk-speed-check'],
  ['container-images-available', 'container-image-availability'],
]);

/** A measurement no longer counts, so that the host takes it again. */
@Controller()
export class ResetHostValidationController {
  constructor(
    @Inject(REQUESTS) private readonly requests: Requests,
    private readonly aggregates: Aggregates,
  ) {}

  @Handles(RegistrationService.method.resetHostValidation)
  async handle(
    @Payload() { infraEnvId, hostId, validationId }: InputOf<typeof RegistrationService.method.resetHostValidation>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.resetHostValidation>> {
    const stepType = STEP_OF_VALIDATION.get(validationId ?? '');
    if (!stepType) throw new RefusalError(NOT_MEASURED_ONCE);
    const hostKey = hostKeyOf(infraEnvId, hostId);
    const { state } = await this.aggregates.hosts.load(hostKey);
    if (state.status === 'unregistered') throw new RefusalError(noSuchHost(hostId));
    if (!state.clusterId) throw new RefusalError(IN_NO_CLUSTER);
    const request = { hostKey, stepType, epoch: state.epoch };
    return callService(this.requests, InventoryService.method.clearReport, request, context);
  }
}

const NOT_MEASURED_ONCE = {
  code: 'invalid-input',
  reason: 'This validation cannot be reset: it follows by itself from what the host reports.',
  subject: 'validation_id',
  allowed: [...STEP_OF_VALIDATION.keys()],
} as const;

const IN_NO_CLUSTER = {
  code: 'not-allowed-in-state',
  reason: 'The host is in no cluster, so nothing was measured for one; bind it first.',
  subject: 'host_id',
} as const;
