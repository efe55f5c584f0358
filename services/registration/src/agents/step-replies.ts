import {
  type HostKey,
  hostKeyOf,
  InventoryService,
  parseEvent,
  type RegistrationService,
  toJsonValue,
} from '@muster/contracts';
import {
  commandsOfReply,
  hostNotFound,
  type HostState,
  inventoryRefusal,
  isReport,
  isSecondStart,
  parseVipLeases,
} from '@muster/domain';
import { type CommandContext, NOTHING_STORED, type Stored } from '@muster/event-sourcing';
import { hasClockMoved, type Report, stepFailure, type StepReport } from '@muster/inventory';
import { callService, CLOCK, type InputOf, READ_REPORT, type ReadReport, REQUESTS } from '@muster/nest-kit';
import type { Clock, Requests } from '@muster/ports';
import { type ProblemCode, RefusalError } from '@muster/problems';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Aggregates } from '../aggregates';
import { AgentUpgrades } from './agent-upgrades';
import { IdentityClaims, Presence } from './presence';
import { StepFailures } from './step-failures';
import { inventoryDigest, UnchangedInventories } from './unchanged-inventories';

/** Refusals that are temporary, so that the agent sends the same reply again. */
const PASSING: ReadonlySet<ProblemCode> = new Set<ProblemCode>(['busy', 'unavailable']);

/** Parses reports of hosts once. The inventory service records them. */
@Injectable()
export class Reports {
  private readonly logger = new Logger('registration');

  constructor(
    @Inject(READ_REPORT) private readonly readReport: ReadReport,
    @Inject(REQUESTS) private readonly requests: Requests,
  ) {}

  /** @throws RefusalError with the place when the output is not valid. */
  async read(step: StepReport): Promise<Report> {
    const result = await this.readReport(step);
    if (result.kind === 'refused') throw new RefusalError(result.refusal);
    return result.report;
  }

  async record(
    hostKey: HostKey,
    { event, body, secret }: Report,
    context: CommandContext,
  ): Promise<Stored | undefined> {
    const { type, data } = parseEvent('inventory', event.type, event.data);
    const request = {
      hostKey,
      type,
      data: toJsonValue(data),
      body: body?.text ?? '',
      secretName: secret?.name ?? '',
      secret: secret?.plaintext ?? '',
    };
    return (await callService(this.requests, InventoryService.method.recordReport, request, context)).stored;
  }

  /** Discards the recorded failure of a step. The agent cannot act on a failure to do so. */
  async clear(hostKey: HostKey, stepType: string, generation: number, context: CommandContext): Promise<void> {
    const own = { ...context, commandId: `${context.commandId}#clear` };
    const request = { hostKey, stepType, generation };
    await callService(this.requests, InventoryService.method.clearReport, request, own).catch((error: Error) =>
      this.logger.warn(`The failure of step ${stepType} of host ${hostKey} was not discarded: ${error.message}`),
    );
  }
}

/** Measures the clock offset of each host at every poll, and reports changes. */
@Injectable()
export class HostClocks {
  private readonly logger = new Logger('registration');
  private readonly offsets = new Map<HostKey, { readonly generation: number; readonly seconds: number }>();

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly aggregates: Aggregates,
    private readonly reports: Reports,
  ) {}

  /** Removes the memory of a host that was installed or removed. */
  forget(key: HostKey): void {
    this.offsets.delete(key);
  }

  /**
   * `timestampSeconds`: time of the host at its poll; 0 when it is not known. The poll does not wait for the report.
   */
  measured(key: HostKey, generation: number, timestampSeconds: number): void {
    if (timestampSeconds === 0) return;
    const seconds = Math.round(timestampSeconds - this.clock.nowMs() / 1_000);
    const known = this.offsets.get(key);
    if (known?.generation === generation && !hasClockMoved(known.seconds, seconds)) return;
    this.offsets.set(key, { generation, seconds });
    this.report(key, generation, seconds).catch((error: Error) => {
      this.offsets.delete(key);
      this.logger.warn(`The clock offset of host ${key} was not recorded: ${error.message}`);
    });
  }

  private async report(key: HostKey, generation: number, seconds: number): Promise<void> {
    const output = JSON.stringify({ offset_seconds: seconds });
    const step = { hostKey: key, stepType: 'clock-offset', output, error: '', exitCode: 0, generation };
    await this.reports.record(key, await this.reports.read(step), this.aggregates.ownContext());
  }
}

type Reply = InputOf<typeof RegistrationService.method.replyToStep>;

/** Handles the results of steps: commands on the life cycle of the host, and reports for the inventory service. */
@Injectable()
export class StepReplies {
  private readonly logger = new Logger('registration');

  constructor(
    private readonly aggregates: Aggregates,
    private readonly presence: Presence,
    private readonly identities: IdentityClaims,
    private readonly upgrades: AgentUpgrades,
    private readonly reports: Reports,
    private readonly inventories: UnchangedInventories,
    private readonly failures: StepFailures,
  ) {}

  /** @throws RefusalError when the host is unknown, or when the report of a successful step is not accepted */
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
      // The installer of a host that is not installed any more was stopped, or its end was reported before.
      else if (command.type === 'LoseMedia' || command.type === 'ReportInstallFailure') return stored;
    }
    if (reply.stepType === 'dhcp-lease-allocate' && reply.exitCode === 0)
      stored = (await this.acceptLeases(key, state, reply, context)) ?? stored;
    if (isReport(reply)) {
      try {
        stored = (await this.report(key, state, reply, context)) ?? stored;
      } catch (error) {
        // The report of a failed step may be invalid.
        if (reply.exitCode === 0 || !(error instanceof RefusalError) || PASSING.has(error.refusal.code)) throw error;
      }
    }
    const endsFailure = reply.exitCode === 0 && this.failures.forgotten(key, reply.stepType);
    // A report of the step ends the failure itself.
    if (endsFailure && !isReport(reply)) await this.reports.clear(key, reply.stepType, state.generation, context);
    const isOwnRecord = stored !== NOTHING_STORED || reply.stepType === 'upgrade-agent';
    if (reply.exitCode !== 0 && !isOwnRecord && !isSecondStart(reply)) await this.fail(key, state, reply, context);
    return { position: stored.position, revision: stored.revision };
  }

  /** The event log shows the failure, and the validations that depend on the step name it. */
  private async fail(key: HostKey, host: HostState, reply: Reply, context: CommandContext): Promise<void> {
    const reason = this.failures.note(host, reply);
    if (!reason) return;
    const report = stepFailure(reply.stepType, reason, host.generation);
    // The agent cannot act on a failure of this record.
    await this.reports.record(key, report, context).catch((error: Error) => {
      this.failures.unreported(key, reply.stepType);
      this.logger.warn(`The failed step of host ${key} was not recorded: ${error.message}`);
    });
  }

  /** The leases of a host become the VIPs of its cluster. Undefined for a host without a cluster. */
  private async acceptLeases(
    key: HostKey,
    host: HostState,
    reply: Reply,
    context: CommandContext,
  ): Promise<Stored | undefined> {
    const { clusterId } = host;
    const parsed = parseVipLeases(reply.output);
    if (parsed.kind === 'refused') throw new RefusalError(parsed.refusal);
    if (!clusterId) return undefined;
    const command = { type: 'AcceptVipLeases', at: this.aggregates.now(), ...parsed.leases } as const;
    const own = { ...context, commandId: `${context.commandId}#leases` };
    try {
      return await this.aggregates.clusters.execute(clusterId, command, own);
    } catch (error) {
      // The agent cannot correct the addresses, so the user has to see them.
      if (error instanceof RefusalError) await this.fail(key, host, { ...reply, error: error.refusal.reason }, context);
      throw error;
    }
  }

  private async report(
    key: HostKey,
    host: HostState,
    { stepType, output, exitCode, error }: Reply,
    context: CommandContext,
  ): Promise<Stored | undefined> {
    const refusal = stepType === 'inventory' ? inventoryRefusal(host) : undefined;
    // In a conflict, each inventory tells which of the two machines runs.
    if (refusal && !host.conflict) throw new RefusalError(refusal);
    const { generation } = host;
    const isInventory = stepType === 'inventory' && exitCode === 0;
    const digest = isInventory ? inventoryDigest(output) : '';
    const known = isInventory ? this.inventories.find(key, generation, digest) : undefined;
    if (known) return (await this.identities.admits(key, known.hardware, context)) ? known.stored : undefined;
    const step = { hostKey: key, stepType, output, exitCode, error, generation };
    const report = await this.reports.read(step);
    const { event } = report;
    const hardware = event.type === 'InventoryReported' ? event.data.hardware : undefined;
    if (hardware && !(await this.identities.admits(key, hardware, context))) return undefined;
    if (refusal) return undefined;
    const stored = await this.reports.record(key, report, context);
    if (isInventory && hardware) this.inventories.recorded(key, generation, digest, hardware, stored);
    return stored;
  }
}
