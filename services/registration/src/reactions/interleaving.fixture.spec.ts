import {
  type ClusterEvent,
  type HostEvent,
  type HostKey,
  isEventOf,
  parseStreamId,
  type RecordedMusterEvent,
  type ValidationEvent,
} from '@muster/contracts';
import { clusterDecider, clusterFollowUps, hostDecider } from '@muster/domain';
import {
  evaluateClusterOutcomes,
  evaluateHostOutcomes,
  FactsView,
  isRegistered,
  NO_OUTCOMES,
  type OutcomeCommand,
  outcomeDecider,
  parseSubject,
  type Subject,
  subjectOfStreamId,
} from '@muster/evaluation';
import { typedEventStore, WorkQueue } from '@muster/event-sourcing';
import { inMemoryEventStore } from '@muster/adapter-in-memory';
import type { ReactorHost } from '@muster/nest-kit';
import type { Requests } from '@muster/ports';
import type { SampleEvent } from '@muster/testing';
import {
  clusterBlockingIds,
  type ClusterConditions,
  completeClusterOutcomes,
  completeHostOutcomes,
  hostBlockingIds,
  type HostConditions,
  type RulesPolicy,
} from '@muster/validation-rules';
import { Aggregates } from '../aggregates';
import { ClusterProcess, RoleSuggestions } from '../clusters/cluster-process';
import type { RegistrationConfig } from '../config';
import { HostProcess, InstallationDisks } from '../hosts/host-process';
import { RegistrationView } from '../view/registration-view';
import { Evaluations } from './evaluations';
import { parseReactionKey, reactionKeysOf } from './reaction-keys';

const AT = '2024-01-01T00:00:00.000Z';
const METADATA = { commandId: '', correlationId: 'c', actor: 'test', occurredAt: AT };
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const SETTLING_TURNS = 8;

interface Waiter {
  readonly position: number;
  readonly subjectId: string;
  readonly answer: (position: number) => void;
}

/** Why a transition is wrong: it does not follow from what the service has observed. */
export interface Violation {
  readonly streamId: string;
  readonly stored: unknown;
  readonly expected: unknown;
}

/**
 * The reactions of registration over a store, and an evaluation of outcomes, each of which observes the stored events one by one
 * and at its own pace. The test selects the next step.
 */
export class Interleaving {
  readonly violations: Violation[] = [];
  private readonly stored: RecordedMusterEvent[] = [];
  private readonly view = new RegistrationView();
  private readonly facts = new FactsView();
  private readonly due: Subject[] = [];
  private readonly waiters = new Set<Waiter>();
  private readonly queue: WorkQueue;
  /** Stream → position of the last event that registration stored in it. */
  private readonly ownPositions = new Map<string, number>();
  private evaluated = 0;
  private ids = 0;
  private readonly store = inMemoryEventStore();
  private readonly aggregates: Aggregates;
  readonly errors: Error[] = [];

  constructor(
    private readonly policy: RulesPolicy,
    config: RegistrationConfig,
  ) {
    const typed = typedEventStore(this.store, {
      encode: (event: unknown) => event,
      decode: (event: unknown) => event,
    } as never);
    const eventStore = {
      ...typed,
      append: async (...[streamId, expected, events]: Parameters<typeof typed.append>) => {
        this.check(streamId, events as never);
        const result = await this.append(streamId, expected, events as never);
        if (result.kind === 'appended') this.ownPositions.set(streamId, result.position);
        return result;
      },
    };
    const { view } = this;
    const clock = { nowMs: () => Date.parse(AT) } as never;
    this.aggregates = new Aggregates(eventStore as never, clock, { uuid: () => `${(this.ids += 1)}` }, config, view);
    const evaluations = new Evaluations(this.requests(), this.aggregates, view);
    const disks = new InstallationDisks(config, view, this.aggregates);
    const hosts = new HostProcess(this.requests(), config, this.aggregates, view, disks, evaluations);
    const reactor = { isBusy: (key: string) => this.queue.isBusy(key) } as ReactorHost;
    const roles = new RoleSuggestions(config, this.aggregates, this.view);
    const clusters = new ClusterProcess(config, this.aggregates, view, roles, evaluations, reactor);
    this.queue = new WorkQueue(
      async (key) => {
        const { kind, id } = parseReactionKey(key);
        if (kind === 'cluster') return clusters.react(id);
        if (kind === 'host') await hosts.react(id as HostKey);
        if (kind === 'report') await hosts.reactToReport(id as HostKey);
        return undefined;
      },
      (error) => void this.errors.push(error),
    );
  }

  /** Stores an event that a user or an agent causes. */
  async cause({ streamId, event }: SampleEvent): Promise<void> {
    const revision = this.stored.filter((one) => one.streamId === streamId).length - 1;
    await this.append(streamId, revision, [{ ...event, id: `e${this.stored.length}`, metadata: METADATA }] as never);
  }

  /** Registration observes the next event. Returns false when it has observed all. */
  async observe(): Promise<boolean> {
    const event = this.stored[this.view.position() + 1];
    if (!event) return false;
    this.aggregates.observe(event);
    this.view.observe(event);
    for (const key of reactionKeysOf(event, this.view)) this.queue.add(key);
    await this.settle();
    return true;
  }

  /** Validation observes the next event, or evaluates the next subject when `evaluates`. Returns false without work. */
  async validate(evaluates: boolean): Promise<boolean> {
    const event = this.stored[this.evaluated];
    if (evaluates && this.due.length > 0) await this.evaluateNext();
    else if (event) {
      this.evaluated += 1;
      for (const subject of this.touchedBy(event)) if (!this.due.includes(subject)) this.due.push(subject);
    } else return false;
    this.answerWaiters();
    await this.settle();
    return true;
  }

  statusOf(streamId: string): string {
    const { category, id } = parseStreamId(streamId as never);
    return category === 'host'
      ? (this.view.host(id as HostKey)?.state.status ?? '')
      : (this.view.cluster(id)?.state.status ?? '');
  }

  async close(): Promise<void> {
    for (const { answer } of this.waiters) answer(-1);
    await this.queue.close();
    await this.store.close();
  }

  private async settle(): Promise<void> {
    for (let turn = 0; turn < SETTLING_TURNS; turn += 1) await tick();
  }

  private async append(streamId: string, expected: number, events: readonly RecordedMusterEvent[]) {
    const result = await this.store.append(streamId as never, expected, events as never);
    if (result.kind !== 'appended') return result;
    for (const [index, event] of events.entries()) {
      const revision = result.revision - events.length + 1 + index;
      this.stored.push({ ...event, streamId, revision, position: this.stored.length, recordedAt: AT } as never);
    }
    return result;
  }

  private touchedBy(event: RecordedMusterEvent): readonly Subject[] {
    if (!isEventOf('validation', event)) return this.facts.observe(event);
    const { id } = parseStreamId(event.streamId);
    const groups = event.type === 'ClusterOutcomesChanged' ? event.data.connectivityGroups : undefined;
    return groups ? this.facts.observeGroups(id, groups) : [];
  }

  /** Behaves like the validation service, which has its stored outcomes immediately. */
  private async evaluateNext(): Promise<void> {
    const subject = this.due.shift();
    const command = subject && this.evaluate(subject, this.facts);
    if (!subject || !command) return;
    const streamId = `validation-${parseSubject(subject).id}`;
    const own = this.stored.filter((event) => event.streamId === streamId) as unknown as ValidationEvent[];
    const decision = outcomeDecider.decide(command, own.reduce(outcomeDecider.evolve, NO_OUTCOMES));
    const [event] = decision.kind === 'accepted' ? decision.events : [];
    if (event) await this.cause({ streamId: streamId as never, event });
  }

  private evaluate(subject: Subject, facts: FactsView): OutcomeCommand | undefined {
    const { kind, id } = parseSubject(subject);
    if (kind === 'host') {
      const host = facts.host(id);
      return host && isRegistered(host)
        ? evaluateHostOutcomes(host, facts, this.policy, (found) => found, AT)
        : undefined;
    }
    const cluster = facts.cluster(id);
    return cluster && evaluateClusterOutcomes(cluster, facts, this.policy, (found) => found, AT);
  }

  private requests(): Requests {
    const request = (_subject: string, body: { readonly position: number; readonly subjectId: string }) =>
      new Promise((resolve) => {
        const answer = (position: number): void => resolve({ ok: { position } });
        this.waiters.add({ ...body, answer });
        this.answerWaiters();
      });
    return { request } as unknown as Requests;
  }

  private answerWaiters(): void {
    for (const waiter of this.waiters) {
      const { position, subjectId, answer } = waiter;
      const hosts = this.facts.cluster(subjectId)?.hostKeys ?? [];
      const subjects: string[] = [subjectOfStreamId(subjectId), ...[...hosts].map((key) => `host:${key}`)];
      if (this.evaluated <= position || this.due.some((subject) => subjects.includes(subject))) continue;
      this.waiters.delete(waiter);
      const last = this.stored.filter(
        ({ streamId }) =>
          streamId.startsWith('validation-') && subjects.includes(subjectOfStreamId(streamId.slice(11))),
      );
      answer(last.at(-1)?.position ?? -1);
    }
  }

  /** Compares a transition with the decision on a fresh evaluation of all events that registration has observed or stored. */
  private check(streamId: string, events: readonly (HostEvent | ClusterEvent)[]): void {
    if (!events.some(({ type }) => TRANSITIONS.has(type))) return;
    const fresh = new FactsView();
    for (const event of this.stored)
      if (event.position <= Math.max(this.view.position(), this.ownPositions.get(event.streamId) ?? -1))
        fresh.observe(event);
    const { category, id } = parseStreamId(streamId as never);
    const expected = category === 'host' ? this.hostDecision(id as HostKey, fresh) : this.clusterDecision(id, fresh);
    const stored = events.filter(({ type }) => TRANSITIONS.has(type)).map(({ type, data }) => ({ type, data }));
    const wanted = expected.filter(({ type }) => TRANSITIONS.has(type));
    if (JSON.stringify(stored) !== JSON.stringify(wanted)) this.violations.push({ streamId, stored, expected: wanted });
  }

  private hostDecision(key: HostKey, fresh: FactsView): readonly HostEvent[] {
    const state = this.stateOf(`host-${key}`, hostDecider);
    const found = this.evaluate(`host:${key}`, fresh);
    const cluster = this.view.cluster(state.clusterId);
    const isBound = state.clusterId !== '';
    const outcomes = completeHostOutcomes(new Map(found?.outcomes.map((one) => [one.id, one])), isBound);
    const decision = hostDecider.decide(
      {
        type: 'Refresh',
        at: AT,
        conditions: found && { ...(found.conditions as HostConditions), ...hostBlockingIds(outcomes, [], isBound) },
        evaluatedRevision: Infinity,
        cluster: cluster && { status: cluster.state.status, isInstallationQuorumMet: false },
        softTimeouts: false,
      },
      state,
    );
    return decision.kind === 'accepted' ? decision.events : [];
  }

  /** Hosts whose statuses do not follow from the events are inputs that are older than a change. */
  private clusterDecision(id: string, fresh: FactsView): readonly ClusterEvent[] {
    const hosts = this.view.hostsOf(id);
    const outdated = hosts.filter(({ key }) => this.hostDecision(key, fresh).some(({ type }) => TRANSITIONS.has(type)));
    if (outdated.length > 0) return [{ type: 'outdated hosts', data: outdated.map(({ key }) => key) } as never];
    const found = this.evaluate(`cluster:${id}`, fresh);
    const state = this.stateOf(`cluster-${id}`, clusterDecider);
    const outcomes = completeClusterOutcomes(new Map(found?.outcomes.map((one) => [one.id, one])));
    const conditions = found && {
      ...(found.conditions as ClusterConditions),
      ...clusterBlockingIds(outcomes, []),
    };
    const surroundings = { conditions, evaluatedRevision: Infinity, hosts, hasKubeconfig: false };
    const refresh = [...clusterFollowUps(state, surroundings, AT)].at(-1);
    const decision = refresh && clusterDecider.decide(refresh, state);
    return decision?.kind === 'accepted' ? decision.events : [];
  }

  private stateOf<State, Event>(
    streamId: string,
    decider: { initialState(): State; evolve(state: State, event: Event): State },
  ): State {
    const own = this.stored.filter((event) => event.streamId === streamId);
    return own.reduce((state, event) => decider.evolve(state, event as Event), decider.initialState());
  }
}

const TRANSITIONS: ReadonlySet<string> = new Set([
  'HostEnteredStatus',
  'HostStatusExplained',
  'ClusterEnteredStatus',
  'ClusterStatusExplained',
]);
