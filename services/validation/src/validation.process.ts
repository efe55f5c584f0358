import { type HostKey, parseStreamId, type RecordedMusterEvent, isEventOf } from '@muster/contracts';
import {
  clusterSubject,
  evaluateClusterOutcomes,
  evaluateHostOutcomes,
  FactsView,
  hostsOfPassingGroups,
  hostSubject,
  isRegistered,
  parseSubject,
  toSubject,
  type Remember,
  type Subject,
  subjectOfStreamId,
} from '@muster/evaluation';
import { FINISHED_HOSTS } from '@muster/domain';
import { DeadlineScheduler, LOAD_TIME, type SavedConsumer } from '@muster/event-sourcing';
import { CLOCK, ReactorHost, SAVED } from '@muster/nest-kit';
import { type Clock, isoTime, KeyedQueue, steadyClock, TurnShare } from '@muster/ports';
import type { RulesPolicy } from '@muster/validation-rules';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG } from './config';
import { OutcomeStore } from './outcome-store';

/** Events after which something may still happen to a host or cluster by itself, or no longer. */
const CHANGES_OF_LIFE: ReadonlySet<string> = new Set([
  'HostEnteredStatus',
  'HostDeregistered',
  'HostDeadlinePassed',
  'ClusterEnteredStatus',
  'ClusterDeregistered',
]);

/** The only deadline. When it passes, a flapping outcome may be stable. */
const EVALUATE_AGAIN = 'evaluate again';

/**
 * Evaluates hosts and clusters.
 * 1. The view folds every event and returns the hosts and clusters that depend on it.
 * 2. Those are evaluated with the present view.
 * 3. Outcomes that differ from the recorded ones are stored.
 * 4. A flapping outcome is evaluated again when it may be stable.
 */
@Injectable()
export class ValidationProcess implements OnApplicationBootstrap, OnApplicationShutdown {
  private touched: readonly Subject[] = [];
  private readonly deadlines: DeadlineScheduler;
  /** The clock of the machine may be set while an outcome becomes stable. */
  private readonly steady: Clock;
  private readonly loading = new KeyedQueue();
  private readonly loadTime = new TurnShare(LOAD_TIME);

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly policy: RulesPolicy,
    @Inject(SAVED) private readonly saved: SavedConsumer,
    private readonly view: FactsView,
    private readonly outcomes: OutcomeStore,
    private readonly host: ReactorHost,
  ) {
    this.steady = steadyClock(clock);
    this.deadlines = new DeadlineScheduler(this.steady, ({ key }) => this.host.wake(key));
  }

  onApplicationBootstrap(): void {
    this.host.start({
      name: 'validation',
      prepare: (event) => this.view.prepare(event),
      observe: (event) => {
        this.touched = this.observe(event);
      },
      keysOf: () => this.touched,
      react: (key) => this.evaluate(toSubject(key)),
      openKeys: () => this.openSubjects(),
      saved: this.saved,
      isOpen: (key) => this.isOpen(toSubject(key)),
      onLive: () => {
        this.outcomes.isLive = true;
        this.deadlines.start();
      },
    });
  }

  onApplicationShutdown(): void {
    this.deadlines.close();
  }

  private observe(event: RecordedMusterEvent): readonly Subject[] {
    const { id } = parseStreamId(event.streamId);
    const subject = subjectOfStreamId(id);
    if (!isEventOf('validation', event)) {
      if (CHANGES_OF_LIFE.has(event.type)) this.outcomes.reconsider(subject);
      return this.view.observe(event);
    }
    const touched = this.outcomes.observe(subject, event) ? [subject] : [];
    const groups = event.type === 'ClusterOutcomesChanged' ? event.data.connectivityGroups : undefined;
    return groups ? [...touched, ...this.view.observeGroups(id, groups)] : touched;
  }

  private *openSubjects(): Iterable<Subject> {
    for (const { key } of this.view.openHosts()) yield hostSubject(key);
    for (const { id } of this.view.openClusters()) yield clusterSubject(id);
  }

  private isOpen(subject: Subject): boolean {
    const { kind, id } = parseSubject(subject);
    if (kind === 'cluster') return this.view.cluster(id) !== undefined;
    const host = this.view.host(id);
    return host !== undefined && isRegistered(host) && !FINISHED_HOSTS.includes(host.state.status);
  }

  private async evaluate(subject: Subject): Promise<void> {
    const { kind, id } = parseSubject(subject);
    if (kind === 'host') await this.evaluateHostOutcomes(subject, id);
    else await this.evaluateClusterOutcomes(subject, id);
  }

  private async evaluateHostOutcomes(subject: Subject, key: HostKey): Promise<void> {
    const cluster = this.view.cluster(this.view.host(key)?.state.clusterId ?? '');
    if (cluster && !cluster.combined) await this.loading.run(cluster.id, () => this.loadHostsOf(cluster.id));
    const entry = this.view.host(key);
    if (!entry || !isRegistered(entry)) {
      this.deadlines.set(subject, []);
      return this.outcomes.unwatch(subject);
    }
    const command = evaluateHostOutcomes(entry, this.view, this.policy, this.memoryOf(subject), this.now());
    await this.outcomes.record(subject, command, entry.lastEventId);
  }

  /** The hosts of an installed cluster are not in memory. They are read once for the evaluations of all of them. */
  private async loadHostsOf(clusterId: string): Promise<void> {
    for (const _ of this.view.loadHostsOf(clusterId)) if (!this.loadTime.hasTime()) await this.loadTime.nextTurn();
  }

  private async evaluateClusterOutcomes(subject: Subject, id: string): Promise<void> {
    const entry = this.view.cluster(id);
    if (!entry) {
      this.deadlines.set(subject, []);
      return this.outcomes.forget(subject);
    }
    const command = evaluateClusterOutcomes(entry, this.view, this.policy, this.memoryOf(subject), this.now());
    if (!command) return;
    for (const host of hostsOfPassingGroups(entry, this.view)) this.host.wake(host);
    await this.outcomes.record(subject, command, entry.lastEventId);
  }

  private now(): string {
    return isoTime(this.clock.nowMs());
  }

  private memoryOf(subject: Subject): Remember {
    return (found, isDamped, scope) => {
      const { outcomes, evaluateAgainAtMs } = this.outcomes.remember(subject, found, isDamped, scope);
      const aheadMs = this.clock.nowMs() - this.steady.nowMs();
      this.deadlines.set(
        subject,
        evaluateAgainAtMs === undefined ? [] : [{ name: EVALUATE_AGAIN, atMs: evaluateAgainAtMs - aheadMs }],
      );
      return outcomes;
    };
  }
}
