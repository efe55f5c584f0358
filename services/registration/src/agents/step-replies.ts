import { type HostKey, hostKeyOf, type RegistrationService } from '@muster/contracts';
import { commandsOfReply, hostNotFound, type HostState, inventoryRefusal, isReport } from '@muster/domain';
import { type CommandContext, NOTHING_STORED, type Stored } from '@muster/event-sourcing';
import type { InputOf } from '@muster/nest-kit';
import { RefusalError } from '@muster/problems';
import { Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates/aggregates';
import { AgentUpgrades } from './agent-upgrades';
import { IdentityClaims } from './identity-claims';
import { Presence } from './presence';
import { Reports } from './reports';

type Reply = InputOf<typeof RegistrationService.method.replyToStep>;

/** Results of steps: commands on the host's life cycle, and reports for the inventory service. */
@Injectable()
export class StepReplies {
  constructor(
    private readonly aggregates: Aggregates,
    private readonly presence: Presence,
    private readonly identities: IdentityClaims,
    private readonly upgrades: AgentUpgrades,
    private readonly reports: Reports,
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
    const refusal = stepType === 'inventory' ? inventoryRefusal(host) : undefined;
    if (refusal) throw new RefusalError(refusal);
    const report = this.reports.read({ hostKey: key, stepType, output, exitCode, error, epoch: host.epoch });
    const { event } = report;
    const hardware = event.type === 'InventoryReported' ? event.data.hardware : undefined;
    if (hardware && !(await this.identities.admits(key, hardware, context))) return undefined;
    return this.reports.record(key, report, context);
  }
}
