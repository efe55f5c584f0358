import { type HostKey, hostKeyOf, InventoryService, type RegistrationService } from '@muster/contracts';
import { commandsOfReply, hostNotFound, type HostState, inventoryRefusal, isReport } from '@muster/domain';
import { type CommandContext, NOTHING_STORED, type Stored } from '@muster/event-sourcing';
import { callService, type InputOf, REQUESTS } from '@muster/nest-kit';
import type { Requests } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates/aggregates';
import { AgentUpgrades } from './agent-upgrades';
import { IdentityClaims } from './identity-claims';
import { Presence } from './presence';

type Reply = InputOf<typeof RegistrationService.method.replyToStep>;

/** Results of steps: commands on the host's life cycle, and reports for the inventory service. */
@Injectable()
export class StepReplies {
  constructor(
    @Inject(REQUESTS) private readonly requests: Requests,
    private readonly aggregates: Aggregates,
    private readonly presence: Presence,
    private readonly identities: IdentityClaims,
    private readonly upgrades: AgentUpgrades,
  ) {}

  /** @throws RefusalError when the host is unknown, or when the report of a successful step is not accepted. */
  async handle(reply: Reply, context: CommandContext): Promise<Stored> {
    const key = hostKeyOf(reply.infraEnvId, reply.hostId);
    const { state } = await this.aggregates.hosts.load(key);
    if (state.status === 'unregistered') throw new RefusalError(hostNotFound(reply.hostId));
    await this.presence.seen(key);
    if (reply.stepType === 'upgrade-agent') this.upgrades.ended(state, reply);

    let stored = NOTHING_STORED;
    for (const [index, command] of commandsOfReply(state, reply, this.aggregates.now()).entries()) {
      const own = { ...context, commandId: `${context.commandId}#state-${index}` };
      const result = await this.aggregates.hosts.handle(key, command, own);
      if (result.kind === 'stored') stored = result;
      else if (command.type === 'LoseMedia') return stored;
    }
    if (isReport(reply)) {
      try {
        stored = (await this.report(key, state, reply, context)) ?? stored;
      } catch (error) {
        // The report of a failed step need not be readable.
        if (reply.exitCode === 0 || !(error instanceof RefusalError) || error.refusal.code === 'busy') throw error;
      }
    }
    return { position: stored.position, revision: stored.revision };
  }

  private async report(
    key: HostKey,
    host: HostState,
    { stepType, output, exitCode, error }: Reply,
    context: CommandContext,
  ): Promise<Stored | undefined> {
    if (stepType === 'inventory') {
      const refusal = inventoryRefusal(host);
      if (refusal) throw new RefusalError(refusal);
      if (!(await this.identities.admits(key, output, context))) return undefined;
    }
    const report = { hostKey: key, stepType, output, exitCode, error, epoch: host.epoch };
    const { stored } = await callService(this.requests, InventoryService.method.recordReport, report, context);
    return stored;
  }
}
