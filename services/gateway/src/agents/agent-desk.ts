import { Inject, Injectable } from '@nestjs/common';
import { type AgentVerb, RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { callService, type InputOf, type Method, type OutputOf, REQUESTS, CLOCK } from '@muster/nest-kit';
import type { Clock, Requests } from '@muster/ports';
import { FailureLog } from '../bus/failure-log';
import { LastSeen } from '../auth/last-seen';

/** What an agent may ask, by the verb of its subject. Both endpoints lead here. */
export const AGENT_METHODS = {
  register: RegistrationService.method.registerHost,
  next_steps: RegistrationService.method.nextSteps,
  reply_to_step: RegistrationService.method.replyToStep,
  report_progress: RegistrationService.method.reportHostProgress,
} as const satisfies { readonly [verb in Exclude<AgentVerb, 'nudge'>]: Method };

export type AskingVerb = keyof typeof AGENT_METHODS;

/** The one handler behind the HTTP endpoint and the NATS endpoint of agents. */
@Injectable()
export class AgentRequests {
  constructor(
    @Inject(REQUESTS) private readonly requests: Requests,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly lastSeen: LastSeen,
    private readonly failures: FailureLog,
  ) {}

  /** Throws RefusalError. */
  async ask<Verb extends AskingVerb>(
    verb: Verb,
    input: InputOf<(typeof AGENT_METHODS)[Verb]> & { readonly infraEnvId: string; readonly hostId: string },
    context: CommandContext,
  ): Promise<OutputOf<(typeof AGENT_METHODS)[Verb]>> {
    const asAgent = { ...context, actor: `agent:${input.hostId}` };
    const ask = () => callService(this.requests, AGENT_METHODS[verb], input, asAgent);
    const { infraEnvId, hostId } = input;
    const answer =
      verb === 'register'
        ? await this.failures.around({ name: 'host_registration_failed', infraEnvId, hostId }, asAgent, ask)
        : await ask();
    // Only for known hosts, so that made-up ids take no memory.
    const clockSeconds = 'timestampSeconds' in input ? Number(input.timestampSeconds) : 0;
    this.lastSeen.note(infraEnvId, hostId, this.clock.nowMs(), clockSeconds);
    return answer;
  }
}
