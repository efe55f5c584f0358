import type { HostKey } from '@muster/contracts';
import { clusterDeadlines, hostDeadlines } from '@muster/domain';
import { type Deadline, DeadlineScheduler } from '@muster/event-sourcing';
import { CLOCK, REACHABLE_SINCE } from '@muster/nest-kit';
import { type Clock, steadyClock } from '@muster/ports';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Aggregates } from '../aggregates';
import { ClusterProcess } from '../clusters/cluster-process';
import { CONFIG, type RegistrationConfig } from '../config';
import { HostProcess } from '../hosts/host-process';
import { RegistrationView } from '../view/registration-view';
import { parseReactionKey } from './reaction-keys';

/** Wait before a passed deadline is sent to its aggregate again, when the store was not available. */
const RETRY_MS = 5_000;
/** No state has a deadline of this name. When it passes, the deadlines of the present state are set. */
const AGAIN = 'again';

/** `limitMs`: the length of the deadline. */
type Due = Pick<Deadline, 'name' | 'atMs'> & { readonly limitMs: number };

/** A change of the clock of the machine other than the passing of time. `untilMs`: its time at the change, the earlier of both. */
interface ClockStep {
  readonly untilMs: number;
  readonly byMs: number;
}

/** Smaller changes correct the drift of the clock. */
const STEP_MS_MIN = 1_000;
/** A deadline that began before more steps passes by the size of the first ones too early. */
const STEPS_MAX = 100;

/** The deadlines of all hosts and clusters in one heap, rebuilt from their states at start. */
@Injectable()
export class Deadlines implements OnApplicationShutdown {
  private readonly logger = new Logger('registration');
  private readonly scheduler: DeadlineScheduler;
  private readonly steady: Clock;
  /** A time of `steady`: the clock of the machine may be set later. */
  private startedAtMs = -Infinity;
  private readonly steps: ClockStep[] = [];
  /** How far the clock of the machine was ahead of `steady` after the last step. */
  private offsetMs = 0;

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    @Inject(REACHABLE_SINCE) private readonly reachableSinceMs: () => number,
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
    private readonly hosts: HostProcess,
    private readonly clusters: ClusterProcess,
  ) {
    this.steady = steadyClock(clock);
    this.scheduler = new DeadlineScheduler(clock, (deadline) => void this.pass(deadline));
  }

  start(): void {
    this.startedAtMs = this.steady.nowMs();
    this.setAll();
    this.scheduler.start();
  }

  /** Updates the deadlines after the state of `host:<key>` or `cluster:<id>` changed. */
  set(key: string): void {
    this.scheduler.set(key, this.dueOf(key));
  }

  onApplicationShutdown(): void {
    this.scheduler.close();
  }

  private setAll(): void {
    for (const { key } of this.view.openHosts()) this.set(`host:${key}`);
    for (const { id } of this.view.openClusters()) this.set(`cluster:${id}`);
  }

  private dueOf(key: string): readonly Due[] {
    this.noticeStep();
    return this.limitsOf(key)
      .map((due) => ({ ...due, atMs: due.atMs + this.steppedMs(due.atMs - due.limitMs) }))
      .map((due) => ({ ...due, atMs: this.sinceReachable(due) }));
  }

  /** Each change of a state sets its deadlines, so a step is noticed before a deadline begins after it. */
  private noticeStep(): void {
    const nowMs = this.clock.nowMs();
    const byMs = nowMs - this.steady.nowMs() - this.offsetMs;
    if (Math.abs(byMs) < STEP_MS_MIN) return;
    this.offsetMs += byMs;
    this.steps.push({ untilMs: nowMs - Math.max(byMs, 0), byMs });
    if (this.steps.length > STEPS_MAX) this.steps.shift();
    this.setAll();
  }

  /**
   * Returns how far the clock was set forward, in milliseconds, since a deadline began at `beganMs`. The deadline would pass too early by
   * this time. The clock was right when a deadline began before the start, if a wrong clock of the hardware is corrected after the start.
   * The decision tables accept no deadline before the time in its state, so a step back delays it.
   */
  private steppedMs(beganMs: number): number {
    if (beganMs < this.startedAtMs) return 0;
    let sum = 0;
    for (const { byMs, untilMs } of this.steps) if (beganMs <= untilMs) sum += byMs;
    return Math.max(0, sum);
  }

  /**
   * Nothing was reported while the service was stopped or hosts could not reach it. So a deadline that began before passes at the earliest
   * when a host that is silent since then would be disconnected, or after its own length if that is shorter. The retention needs no reports.
   */
  private sinceReachable({ name, atMs, limitMs }: Due): number {
    const startedAtMs = this.startedAtMs + this.clock.nowMs() - this.steady.nowMs();
    const sinceMs = Math.max(startedAtMs, this.reachableSinceMs());
    const hasBegunBefore = atMs - limitMs < sinceMs;
    if (!hasBegunBefore || name === 'retention') return atMs;
    return Math.max(atMs, sinceMs + Math.min(limitMs, this.config.maxDisconnectionMs));
  }

  private limitsOf(key: string): readonly Due[] {
    const { kind, id } = parseReactionKey(key);
    if (kind === 'host') {
      const host = this.view.host(id);
      return host ? hostDeadlines(host.state, this.config.hostTimeouts) : [];
    }
    const { clusterTimeouts: timeouts, softTimeouts } = this.config;
    const cluster = this.view.cluster(id);
    if (!cluster) return [];
    const due = clusterDeadlines(cluster.state, { timeouts, softTimeouts });
    const { download, queuedAtMs = 0 } = cluster;
    const progressedAtMs = Math.max(download?.atMs ?? 0, queuedAtMs);
    // Each progress of a download restarts the time limit of the preparation, because the hosts need time after the download. So does
    // each report of a preparation that waits for others.
    return due.map((one) =>
      one.name === 'preparation' ? { ...one, atMs: Math.max(one.atMs, progressedAtMs + one.limitMs) } : one,
    );
  }

  private async pass({ key, name }: Deadline): Promise<void> {
    try {
      const { kind, id } = parseReactionKey(key);
      const due = this.dueOf(key);
      const atMs = due.find((one) => one.name === name)?.atMs ?? Infinity;
      // Hosts could not report since the deadline was set, or the state has changed.
      if (atMs > this.clock.nowMs()) return this.scheduler.set(key, due);
      if (kind === 'host') await this.passHost(id, name);
      else await this.clusters.passDeadline(id, name);
    } catch (error) {
      this.logger.error(`deadline ${name} of ${key}: ${String(error)}`);
      this.scheduler.set(key, [{ name: AGAIN, atMs: this.clock.nowMs() + RETRY_MS }]);
    }
  }

  private async passHost(key: HostKey, deadline: string): Promise<void> {
    const entry = this.view.host(key);
    if (!entry) return;
    const at = this.aggregates.now();
    const command = { type: 'PassDeadline', at, deadline, ...this.hosts.surroundings(entry) } as const;
    await this.aggregates.hosts.handle(key, command, this.aggregates.ownContext(entry));
  }
}
