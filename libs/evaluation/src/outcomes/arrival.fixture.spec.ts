import { type SampleEvent, recorded } from '@muster/testing';
import {
  completeClusterOutcomes,
  completeHostOutcomes,
  conditionsWithoutHosts,
  initialHostConditions,
  type Outcome,
  SERVICE_DEFAULTS,
} from '@muster/validation-rules';
import { FactsView } from '../facts/facts-view';
import { isRegistered, type ObservedEvent, parseSubject, type Subject } from '../facts/view-entries';
import { evaluateClusterOutcomes, evaluateHostOutcomes, hostsOfPassingGroups, type Remember } from './evaluate';
import { type OutcomeCommand, outcomeDecider, type RecordedOutcomes } from './outcomes.decider';

export const POLICY = SERVICE_DEFAULTS;

/** Outcomes are recorded without damping. */
const WITHOUT_MEMORY: Remember = (found) => found;
const AT = '2024-01-01T00:00:00.000Z';

/** Evaluates events on arrival, without store and bus. */
export class Arrival {
  private readonly view = new FactsView();
  private readonly recorded = new Map<Subject, RecordedOutcomes>();
  private readonly seen = new Set<Subject>();

  /** Evaluates after each event the subjects that depend on it. */
  static stepByStep(facts: readonly SampleEvent[]): Arrival {
    const arrival = new Arrival();
    for (const event of recorded(facts)) arrival.settle(arrival.take(event));
    return arrival;
  }

  /**
   * Evaluates the dependent subjects later, the oldest first: a turn evaluates one, or folds the next event. The turns are repeated. In
   * the end, all are evaluated.
   */
  static later(facts: readonly SampleEvent[], turns: readonly ('fold' | 'evaluate')[]): Arrival {
    const arrival = new Arrival();
    const events: ObservedEvent[] = recorded(facts);
    const due = new Set<Subject>();
    for (let turn = 0; events.length + due.size > 0; turn += 1) {
      const [subject] = due;
      const event = turns[turn % turns.length] === 'fold' || !subject ? events.shift() : undefined;
      if (subject && !event) due.delete(subject);
      const dependent = event ? arrival.take(event) : subject ? arrival.settleOne(subject) : [];
      for (const one of dependent) due.add(one);
    }
    return arrival;
  }

  /** Folds all events, then evaluates all subjects. */
  static atOnce(facts: readonly SampleEvent[]): Arrival {
    const arrival = new Arrival();
    for (const event of recorded(facts)) arrival.take(event);
    arrival.settle([...arrival.seen]);
    return arrival;
  }

  /** Returns all outcomes and conditions by subject, in a fixed order. */
  outcomes(): object {
    return Object.fromEntries([...this.seen].sort().map((subject) => [subject, this.complete(subject)]));
  }

  private complete(subject: Subject): object | undefined {
    const recorded = this.recorded.get(subject) ?? outcomeDecider.initialState();
    const { kind, id } = parseSubject(subject);
    if (kind === 'cluster') {
      const cluster = this.view.cluster(id);
      return (
        cluster && {
          outcomes: withoutReferences(completeClusterOutcomes(recorded.outcomes)),
          conditions: recorded.conditions ?? conditionsWithoutHosts(cluster.facts),
          groups: sorted(recorded.groups),
        }
      );
    }
    const host = this.view.host(id);
    if (!host || !isRegistered(host)) return undefined;
    const isBound = this.view.cluster(host.state.clusterId) !== undefined;
    return {
      outcomes: withoutReferences(completeHostOutcomes(recorded.outcomes, isBound)),
      conditions: recorded.conditions ?? initialHostConditions(isBound),
    };
  }

  private take(event: ObservedEvent): readonly Subject[] {
    const affected = this.view.observe(event);
    for (const subject of affected) this.seen.add(subject);
    return affected;
  }

  private settle(subjects: readonly Subject[]): void {
    const due = [...subjects];
    for (let subject = due.shift(); subject !== undefined; subject = due.shift()) due.push(...this.settleOne(subject));
  }

  /** Returns the subjects that have to be evaluated because of the outcomes. */
  private settleOne(subject: Subject): readonly Subject[] {
    const before = this.recorded.get(subject) ?? outcomeDecider.initialState();
    const command = this.evaluate(subject);
    if (!command) {
      this.recorded.delete(subject);
      return [];
    }
    const decision = outcomeDecider.decide(command, before);
    if (decision.kind !== 'accepted') throw new Error(`The evaluation of ${subject} is refused.`);
    const cluster = command.type === 'EvaluateCluster' ? this.view.cluster(command.clusterId) : undefined;
    const due = [...(cluster ? hostsOfPassingGroups(cluster, this.view) : [])];
    for (const event of decision.events) {
      this.recorded.set(subject, outcomeDecider.evolve(this.recorded.get(subject) ?? before, event));
      if (event.type === 'ClusterOutcomesChanged' && event.data.connectivityGroups)
        due.push(...this.view.observeGroups(event.data.clusterId, event.data.connectivityGroups));
    }
    return due;
  }

  private evaluate(subject: Subject): OutcomeCommand | undefined {
    const { kind, id } = parseSubject(subject);
    if (kind === 'host') {
      const host = this.view.host(id);
      return host && isRegistered(host) ? evaluateHostOutcomes(host, this.view, POLICY, WITHOUT_MEMORY, AT) : undefined;
    }
    const cluster = this.view.cluster(id);
    return cluster && evaluateClusterOutcomes(cluster, this.view, POLICY, WITHOUT_MEMORY, AT);
  }
}

/** An empty group is the same as a missing group. */
const sorted = (groups: RecordedOutcomes['groups']): readonly (readonly [string, readonly string[]])[] =>
  [...groups].filter(([, hosts]) => hosts.length > 0).sort(([a], [b]) => (a < b ? -1 : 1));

const withoutReferences = (outcomes: readonly Outcome[]): readonly (readonly string[])[] =>
  outcomes.map(({ id, status, reason = '', parameters }) => [id, status, reason, ...parameters]);
