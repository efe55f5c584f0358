import { type HostKey, InventoryService, type RegistrationService } from '@muster/contracts';
import type { HostCommand, HostState } from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import { callService, type InputOf, PLATFORM, type Platform } from '@muster/nest-kit';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';
import { Aggregates, storedOrThrow } from '../aggregates/aggregates';
import { IdentityClaims } from './identity-claims';
import { REPORTING_STEPS, STATUSES_TAKING_INVENTORY } from './reporting-steps';

type Reply = InputOf<typeof RegistrationService.method.replyToStep>;
type Stored = { readonly position: number; readonly revision: number };

/** The discovery media could not be read while the step ran. */
const MEDIA_LOST_EXIT_CODE = 256;
/** podman's "name already in use": the installer is running, this was a second start. */
const ALREADY_RUNNING = { exitCode: 125, text: 'the container name "assisted-installer" is already in use' };

/** What an agent's reply means: life-cycle commands here, reports to the inventory service. */
@Injectable()
export class StepReplies {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly aggregates: Aggregates,
    private readonly identities: IdentityClaims,
  ) {}

  async take(key: HostKey, host: HostState, reply: Reply, context: CommandContext): Promise<Stored> {
    const command = this.lifecycleCommand(host, reply);
    let stored: Stored = { position: 0, revision: 0 };
    if (command) {
      const result = await this.aggregates.hosts.handle(key, command, {
        ...context,
        commandId: `${context.commandId}#state`,
      });
      // A failing step is no fault of the reply: what the table does not allow is left undone.
      if (result.kind === 'stored') stored = storedOrThrow(result);
    }
    if (!REPORTING_STEPS[reply.stepType]?.isStored(reply.exitCode, reply.output)) return stored;
    return this.report(key, host, reply, context);
  }

  private lifecycleCommand(host: HostState, reply: Reply): HostCommand | undefined {
    const at = this.aggregates.now();
    if (reply.exitCode === MEDIA_LOST_EXIT_CODE) return { type: 'LoseMedia', at, duringStep: reply.stepType };
    if (reply.exitCode === 0 && !host.isMediaConnected) return { type: 'RegainMedia', at };
    if (reply.stepType === 'install' && reply.exitCode !== 0) {
      const isSecondStart = reply.exitCode === ALREADY_RUNNING.exitCode && reply.error.includes(ALREADY_RUNNING.text);
      return isSecondStart
        ? undefined
        : { type: 'ReportInstallFailure', at, reason: 'The installation command failed on the host' };
    }
    if (reply.stepType === 'download-boot-artifacts')
      return { type: reply.exitCode === 0 ? 'RebootForReclaim' : 'FailReclaim', at };
    return undefined;
  }

  private async report(key: HostKey, host: HostState, reply: Reply, context: CommandContext): Promise<Stored> {
    if (reply.stepType === 'inventory') {
      if (!STATUSES_TAKING_INVENTORY.includes(host.status)) {
        throw new RefusalError({
          code: 'not-allowed-in-state',
          reason: `A host that is ${host.status} does not report its inventory.`,
          subject: 'status',
          allowed: STATUSES_TAKING_INVENTORY,
        });
      }
      if (!(await this.identities.admits(key, reply.output, context))) return { position: 0, revision: 0 };
    }
    const { stored } = await callService(
      this.platform.requests,
      InventoryService.method.recordReport,
      {
        hostKey: key,
        stepType: reply.stepType,
        output: reply.output,
        exitCode: reply.exitCode,
        error: reply.error,
        epoch: host.epoch,
      },
      context,
    );
    return stored ?? { position: 0, revision: 0 };
  }
}
