import { type HostKey, parseStreamId, type RecordedMusterEvent, isEventOf, hostKeyOfStream } from '@muster/contracts';
import {
  evaluateClusterOutcomes,
  evaluateHostOutcomes,
  FactsView,
  hostSubject,
  isRegistered,
  parseSubject,
  type Remember,
  type Subject,
  subjectOfStreamId,
} from '@muster/evaluation';
import { DeadlineScheduler } from '@muster/event-sourcing';
import { CLOCK, ReactorHost } from '@muster/nest-kit';
import type { Clock } from '@muster/ports';
import type { RulesPolicy } from '@muster/validation-rules';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG } from './config';
import { OutcomeStore } from './outcome-store';

/** Statuses in which nothing about a host is judged any more once the service starts anew. */
const FINISHED_HOSTS: readonly string[] = ['installed', 'added-to-existing-cluster'];

/** Name of the only deadline there is: what flaps may have held for long enough. */
const LOOK_AGAIN = 'look again';

/**
 * 1. Every fact is taken into the view, which says who depends on it. 2. Those are judged by the rules, from the view
 * as it is by then. 3. What differs from the last verdict is stored. A change never looks at more than that. 4. What
 * flaps is judged once more when it may have held for long enough.
 */
@Injectable()
export class ValidationProcess implements OnApplicationBootstrap, OnApplicationShutdown {
  private touched: readonly Subject[] = [];
  private readonly deadlines: DeadlineScheduler;

  constructor(
    @Inject(CLOCK) clock: Clock,
    @Inject(CONFIG) private readonly policy: RulesPolicy,
    private readonly view: FactsView,
    private readonly verdicts: OutcomeStore,
    private readonly host: ReactorHost,
  ) {
    this.deadlines = new DeadlineScheduler(clock, ({ key }) => this.host.wake(key));
  }

  onApplicationBootstrap(): void {
    this.host.start({
      name: 'validation',
      observe: (event) => {
        this.touched = this.observe(event);
      },
      keysOf: () => this.touched,
      react: (subject) => this.judge(subject as Subject),
      isOpen: (subject) => this.isOpen(subject as Subject),
      onLive: () => this.deadlines.start(),
    });
  }

  onApplicationShutdown(): void {
    this.deadlines.close();
  }

  private observe(event: RecordedMusterEvent): readonly Subject[] {
    // The epoch of a host that returns starts anew, so nothing recorded for its id applies to it.
    if (event.type === 'HostDeregistered') this.forget(hostSubject(hostKeyOfStream(event.streamId)));
    if (!isEventOf('validation', event)) return this.view.observe(event);
    const { id } = parseStreamId(event.streamId);
    const subject = subjectOfStreamId(id);
    const touched = this.verdicts.observe(subject, event) ? [subject] : [];
    const groups = event.type === 'ClusterOutcomesChanged' ? event.data.connectivityGroups : undefined;
    return groups ? [...touched, ...this.view.observeGroups(id, groups)] : touched;
  }

  private isOpen(subject: Subject): boolean {
    const { kind, id } = parseSubject(subject);
    if (kind === 'cluster') return this.view.cluster(id) !== undefined;
    const host = this.view.host(id);
    return host !== undefined && isRegistered(host) && !FINISHED_HOSTS.includes(host.state.status);
  }

  private async judge(subject: Subject): Promise<void> {
    const { kind, id } = parseSubject(subject);
    if (kind === 'host') await this.evaluateHostOutcomes(subject, id);
    else await this.evaluateClusterOutcomes(subject, id);
  }

  private async evaluateHostOutcomes(subject: Subject, key: HostKey): Promise<void> {
    const entry = this.view.host(key);
    if (!entry || !isRegistered(entry)) return this.forget(subject);
    const command = evaluateHostOutcomes(entry, this.view, this.policy, this.memoryOf(subject));
    await this.verdicts.record(subject, command, entry.lastEventId);
  }

  private async evaluateClusterOutcomes(subject: Subject, id: string): Promise<void> {
    const entry = this.view.cluster(id);
    if (!entry) return this.forget(subject);
    const command = evaluateClusterOutcomes(entry, this.view, this.policy, this.memoryOf(subject));
    if (command) await this.verdicts.record(subject, command, entry.lastEventId);
  }

  private memoryOf(subject: Subject): Remember {
    return (found, isDamped) => {
      const { outcomes, lookAgainAtMs } = this.verdicts.remember(subject, found, isDamped);
      this.deadlines.set(subject, lookAgainAtMs === undefined ? [] : [{ name: LOOK_AGAIN, atMs: lookAgainAtMs }]);
      return outcomes;
    };
  }

  private forget(subject: Subject): void {
    this.deadlines.set(subject, []);
    this.verdicts.forget(subject);
  }
}
