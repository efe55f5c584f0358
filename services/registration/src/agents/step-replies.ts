import { type HostKey, InventoryService, type RegistrationService } from '@muster/contracts';
import type { HostCommand, HostState } from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import { callService, type InputOf, REQUESTS } from '@muster/nest-kit';
import type { Requests } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';
import { NOTHING_STORED, type Stored } from '../aggregates/aggregate';
import { Aggregates } from '../aggregates/aggregates';
import { IdentityClaims } from './identity-claims';
import { REPORTING_STEPS, STATUSES_TAKING_INVENTORY } from '../hosts/reporting-steps';

type Reply = InputOf<typeof RegistrationService.method.replyToStep>;

/** The discovery media could not be read while the step ran. */
const MEDIA_LOST_EXIT_CODE = 256;
/** podman's "name already in use": the installer is running, this was a second start. */
const ALREADY_RUNNING = { exitCode: 125, text: 'the container name "assisted-installer" is already in use' };

/** What an agent's reply means: life-cycle commands here, reports to the inventory service. */
@Injectable()
export class StepReplies {
  constructor(
    @Inject(REQUESTS) private readonly requests: Requests,
    private readonly aggregates: Aggregates,
    private readonly identities: IdentityClaims,
  ) {}

  /** Throws RefusalError for a successful step whose report is not taken; a failed step is never the reply's fault. */
  async take(key: HostKey, host: HostState, reply: Reply, context: CommandContext): Promise<Stored> {
    let stored = NOTHING_STORED;
    for (const [index, command] of this.lifecycleCommands(host, reply).entries()) {
      const own = { ...context, commandId: `${context.commandId}#state-${index}` };
      const result = await this.aggregates.hosts.handle(key, command, own);
      if (result.kind === 'stored') stored = result;
      else if (command.type === 'LoseMedia') return stored;
    }
    if (REPORTING_STEPS.get(reply.stepType)?.isStored(reply.exitCode, reply.output)) {
      try {
        stored = (await this.report(key, host, reply, context)) ?? stored;
      } catch (error) {
        if (reply.exitCode === 0 || !(error instanceof RefusalError) || error.refusal.code === 'busy') throw error;
      }
    }
    return { position: stored.position, revision: stored.revision };
  }

  private lifecycleCommands(host: HostState, { stepType, exitCode, error }: Reply): readonly HostCommand[] {
    const at = this.aggregates.now();
    if (exitCode === MEDIA_LOST_EXIT_CODE) return [{ type: 'LoseMedia', at, duringStep: stepType }];
    const commands: HostCommand[] = [];
    if (exitCode === 0 && !host.isMediaConnected) commands.push({ type: 'RegainMedia', at });
    const isSecondStart = exitCode === ALREADY_RUNNING.exitCode && error.includes(ALREADY_RUNNING.text);
    if (stepType === 'install' && exitCode !== 0 && !isSecondStart)
      commands.push({ type: 'ReportInstallFailure', at, reason: 'The installation command failed on the host' });
    if (stepType === 'download-boot-artifacts')
      commands.push({ type: exitCode === 0 ? 'RebootForReclaim' : 'FailReclaim', at });
    return commands;
  }

  private async report(
    key: HostKey,
    host: HostState,
    { stepType, output, exitCode, error }: Reply,
    context: CommandContext,
  ): Promise<Stored | undefined> {
    if (stepType === 'inventory') {
      refuseUnwantedInventory(host);
      if (!(await this.identities.admits(key, output, context))) return undefined;
    }
    const report = { hostKey: key, stepType, output, exitCode, error, epoch: host.epoch };
    const { stored } = await callService(this.requests, InventoryService.method.recordReport, report, context);
    return stored;
  }
}

function refuseUnwantedInventory({ status }: HostState): void {
  if (STATUSES_TAKING_INVENTORY.includes(status)) return;
  throw new RefusalError({
    code: 'not-allowed-in-state',
    reason: `A host that is ${status} does not report its inventory.`,
    subject: 'status',
    allowed: STATUSES_TAKING_INVENTORY,
  });
}
