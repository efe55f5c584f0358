import {
  type HardwareFacts,
  type HostKey,
  isHostKey,
  type MachineIdentity,
  parseHostKey,
  type Plain,
} from '@muster/contracts';
import {
  type HostCommand,
  hostPermits,
  type HostState,
  isAnotherMachine,
  isOtherMachine,
  machineOf,
} from '@muster/domain';
import { BoundedMap, type CommandContext, DeadlineScheduler } from '@muster/event-sourcing';
import { CLOCK, REACHABLE_SINCE } from '@muster/nest-kit';
import { type Clock, isoTime, steadyClock } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Aggregates } from '../aggregates';
import { CONFIG, type RegistrationConfig } from '../config';
import { InstallationDisks } from '../hosts/host-process';
import { isChange } from '../reactions/evaluations';
import { RegistrationView } from '../view/registration-view';

/** Wait before a failed append of a silence is repeated. */
const RETRY_MS = 5_000;

/**
 * Keeps the times of the last polls in memory. Only transitions are stored as events: a host fell silent, a host
 * returned.
 */
@Injectable()
export class Presence implements OnApplicationShutdown {
  private readonly logger = new Logger('registration');
  /** Times of `steady`: the clock of the machine may be set between two polls. */
  private readonly seenAtMs = new Map<HostKey, number>();
  private readonly steady: Clock;
  private readonly scheduler: DeadlineScheduler;

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    @Inject(REACHABLE_SINCE) private readonly reachableSinceMs: () => number,
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
  ) {
    this.steady = steadyClock(clock);
    this.scheduler = new DeadlineScheduler(this.steady, ({ key }) => {
      if (isHostKey(key)) void this.check(key);
    });
  }

  /** After a start, and after a time in which hosts could not poll, every polling host has the full period before it counts as silent. */
  start(): void {
    for (const { key, state } of this.view.openHosts())
      if (hostPermits('poll', state.status) && !state.isSilent && !this.seenAtMs.has(key)) this.touch(key);
    this.scheduler.start();
  }

  /** Records a request of the agent of the host. Returns nothing to wait for unless the host was silent. */
  seen(key: HostKey): Promise<void> | undefined {
    this.touch(key);
    if (!this.view.host(key)?.state.isSilent) return undefined;
    return this.send(key, { type: 'Return', at: this.aggregates.now() });
  }

  forget(key: HostKey): void {
    this.seenAtMs.delete(key);
    this.scheduler.set(key, []);
  }

  /** Returns the ISO 8601 time of the last request, or undefined. */
  lastSeenAt(key: HostKey): string | undefined {
    const seen = this.seenAtMs.get(key);
    return seen === undefined ? undefined : isoTime(seen + this.offsetMs());
  }

  onApplicationShutdown(): void {
    this.scheduler.close();
  }

  private touch(key: HostKey): void {
    const nowMs = this.steady.nowMs();
    // A poll does not change the heap. The timer check reads the time of the last poll.
    if (!this.seenAtMs.has(key)) this.schedule(key, nowMs + this.allowedMs(key));
    this.seenAtMs.set(key, nowMs);
  }

  private schedule(key: HostKey, atMs: number): void {
    this.scheduler.set(key, [{ name: 'silence', atMs }]);
  }

  private allowedMs(key: HostKey): number {
    const extra = this.view.host(key)?.state.isBootstrap ? this.config.bootstrapExtraDisconnectionMs : 0;
    return this.config.maxDisconnectionMs + extra;
  }

  private async check(key: HostKey): Promise<void> {
    const seen = this.seenAtMs.get(key);
    if (seen === undefined) return;
    try {
      const dueAtMs = Math.max(seen, this.reachableSinceMs() - this.offsetMs()) + this.allowedMs(key);
      if (dueAtMs > this.steady.nowMs()) return this.schedule(key, dueAtMs);
      this.seenAtMs.delete(key);
      const [at, lastSeenAt] = [this.aggregates.now(), isoTime(seen + this.offsetMs())];
      await this.send(key, { type: 'FallSilent', at, lastSeenAt });
      // A request arrived while the silence was being stored.
      if (this.seenAtMs.has(key)) await this.send(key, { type: 'Return', at: this.aggregates.now() });
    } catch (error) {
      this.logger.error(`The lost connection of host ${key} was not recorded: ${String(error)}`);
      if (!this.seenAtMs.has(key)) this.seenAtMs.set(key, seen);
      this.schedule(key, this.steady.nowMs() + RETRY_MS);
    }
  }

  /** How far the clock of the machine is ahead of the steady one. */
  private offsetMs(): number {
    return this.clock.nowMs() - this.steady.nowMs();
  }

  private async send(key: HostKey, command: Parameters<Aggregates['hosts']['handle']>[1]): Promise<void> {
    await this.aggregates.hosts.handle(key, command, this.aggregates.ownContext(this.view.host(key)));
  }
}

/** Maximum number of machines in memory. A running machine registers its id every few minutes. */
const MAX_REMEMBERED_MACHINES = 50_000;

/** An agent repeats a failed poll after about half a second at first. */
const REPEATED_POLL_MS = 5_000;

/** Detects two running machines with one host id. Reports of the second one are not accepted. */
@Injectable()
export class IdentityClaims {
  private readonly claimedAt = new BoundedMap<string, string>(MAX_REMEMBERED_MACHINES);
  /** Hosts with two machines, and the time of the last poll that was refused. */
  private readonly refusedAtMs = new BoundedMap<HostKey, number>(MAX_REMEMBERED_MACHINES);

  constructor(
    private readonly aggregates: Aggregates,
    private readonly disks: InstallationDisks,
  ) {}

  /**
   * Whether the inventory belongs to the machine that owns the host id. Its claim and the installation disk that
   * follows from its hardware are stored in one append, before the inventory, so that the host is evaluated once.
   */
  async admits(key: HostKey, hardware: Hardware, context: CommandContext): Promise<boolean> {
    const machine = machineOf(hardware, context.sourceAddress ?? '');
    if (machine.macAddresses.length === 0) return true;
    const { state } = await this.aggregates.hosts.load(key);
    const at = this.aggregates.now();
    this.claimedAt.set(`${key} ${fingerprintOf(machine)}`, at);

    const rivals = state.conflict
      ? [state.conflict.known, state.conflict.claimant]
      : state.machine
        ? [state.machine]
        : [];
    const other = rivals.find((rival) => isAnotherMachine(rival, machine));
    const otherMachineSeenAt = other && this.claimedAt.get(`${key} ${fingerprintOf(other)}`);
    const commandsFor = (current: () => HostState): Iterable<HostCommand> =>
      this.commandsOf({ type: 'ClaimIdentity', at, machine, otherMachineSeenAt }, hardware, current);
    // Nothing to store: the usual case, for which the handler would read the stream when the store has several writers.
    if ([...commandsFor(() => state)].every((command) => this.isWithoutChange(command, state)))
      return !isOtherMachine(state, machine);
    const result = await this.aggregates.hosts.handle(key, commandsFor, {
      ...context,
      commandId: `${context.commandId}#identity`,
    });
    return !isOtherMachine(result.state, machine);
  }

  /**
   * Refuses every other poll while two machines have the id of the host. An agent repeats an unchanged inventory, the claim of its
   * machine, only after an hour. When a poll fails, it discards what it has sent, and polls again immediately.
   * @throws RefusalError `identity-conflict`
   */
  requireClaim(key: HostKey, nowMs: number): void {
    const refusedAtMs = this.refusedAtMs.get(key);
    this.refusedAtMs.delete(key);
    if (refusedAtMs !== undefined && nowMs - refusedAtMs <= REPEATED_POLL_MS) return;
    this.refusedAtMs.set(key, nowMs);
    throw new RefusalError({
      code: 'identity-conflict',
      reason: `Two machines use the host id ${parseHostKey(key).hostId}. Poll again, and send the inventory also when it is unchanged.`,
      subject: 'host_id',
    });
  }

  private isWithoutChange(command: HostCommand, state: HostState): boolean {
    const decision = this.aggregates.hostDecider.decide(command, state);
    return decision.kind === 'accepted' && decision.events.length === 0;
  }

  private *commandsOf(
    claim: HostCommand & { readonly type: 'ClaimIdentity' },
    hardware: Hardware,
    current: () => HostState,
  ): Iterable<HostCommand> {
    yield claim;
    const state = current();
    if (isOtherMachine(state, claim.machine)) return;
    const disk = this.disks.commandFor({ state, hardware });
    // A refusal would also refuse the claim.
    if (disk && isChange(this.aggregates.hostDecider.decide(disk, state))) yield disk;
  }
}

type Hardware = Plain<HardwareFacts>;

const fingerprintOf = (machine: Plain<MachineIdentity>): string => [...machine.macAddresses].sort().join(',');
