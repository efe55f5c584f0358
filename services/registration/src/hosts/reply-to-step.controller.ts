import { hostKeyOf, RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Aggregates } from '../aggregates/aggregates';
import { RefusalError } from '@muster/problems';
import { Presence } from '../agents/presence';
import { AgentUpgrades } from '../agents/agent-upgrades';
import { noSuchHost } from './host-refusals';
import { StepReplies } from '../agents/step-replies';

@Controller()
export class ReplyToStepController {
  constructor(
    private readonly aggregates: Aggregates,
    private readonly presence: Presence,
    private readonly replies: StepReplies,
    private readonly upgrades: AgentUpgrades,
  ) {}

  @Handles(RegistrationService.method.replyToStep)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.replyToStep>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.replyToStep>> {
    const key = hostKeyOf(request.infraEnvId, request.hostId);
    const { state } = await this.aggregates.hosts.load(key);
    if (state.status === 'unregistered') throw new RefusalError(noSuchHost(request.hostId));
    await this.presence.seen(key);
    if (request.stepType === 'upgrade-agent') this.upgrades.ended(state, request);
    return { stored: await this.replies.take(key, state, request, context) };
  }
}
