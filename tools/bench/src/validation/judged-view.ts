import type { RecordedMusterEvent } from '@muster/contracts';
import {
  FactsView,
  evaluateClusterOutcomes,
  evaluateHostOutcomes,
  parseSubject,
  type RecordedOutcomes,
  outcomeDecider,
} from '@muster/evaluation';
import { DEFAULT_FLAP_POLICY, type Outcome, rememberOutcomes, type RulesPolicy } from '@muster/validation-rules';

type Subject = ReturnType<FactsView['observe']>[number];

/** The validation service without store and bus: applies an event, evaluates dependent subjects, keeps the outcomes. */
export class JudgedView {
  private readonly view = new FactsView();
  private readonly verdicts = new Map<Subject, RecordedOutcomes>();
  private atMs = 0;

  constructor(private readonly policy: RulesPolicy) {}

  /** Applies the event without an evaluation. */
  observe(event: RecordedMusterEvent): readonly Subject[] {
    return this.view.observe(event);
  }

  /** Applies the event. Returns the number of evaluated subjects, including those with a changed connectivity group. */
  judge(event: RecordedMusterEvent): number {
    return this.evaluateAll(this.view.observe(event));
  }

  evaluateAll(subjects: readonly Subject[]): number {
    const due = [...subjects];
    let judged = 0;
    // Far apart, so that nothing flaps.
    this.atMs += DEFAULT_FLAP_POLICY.windowMs;
    for (let subject = due.shift(); subject !== undefined; subject = due.shift()) {
      judged += 1;
      due.push(...this.evaluateOne(subject));
    }
    return judged;
  }

  /** Answers those whose connectivity group changed. */
  private evaluateOne(subject: Subject): readonly Subject[] {
    const verdict = this.verdicts.get(subject) ?? outcomeDecider.initialState();
    const command = this.commandFor(subject, verdict);
    const decision = command && outcomeDecider.decide(command, verdict);
    if (decision?.kind !== 'accepted') return [];
    const [event] = decision.events;
    if (!event) return [];
    this.verdicts.set(subject, outcomeDecider.evolve(verdict, event));
    if (event.type !== 'ClusterOutcomesChanged' || !event.data.connectivityGroups) return [];
    return this.view.observeGroups(event.data.clusterId, event.data.connectivityGroups);
  }

  private commandFor(subject: Subject, recorded: RecordedOutcomes) {
    const at = new Date(this.atMs).toISOString();
    const remember = (found: readonly Outcome[], isDamped: (ruleId: string) => boolean): readonly Outcome[] =>
      rememberOutcomes(recorded, found, {
        atMs: this.atMs,
        policy: DEFAULT_FLAP_POLICY,
        watch: new Map(),
        isDamped,
      }).outcomes;
    const { kind, id } = parseSubject(subject);
    if (kind === 'cluster') {
      const cluster = this.view.cluster(id);
      return cluster && evaluateClusterOutcomes(cluster, this.view, this.policy, remember, at);
    }
    const host = this.view.host(id);
    return host && evaluateHostOutcomes(host, this.view, this.policy, remember, at);
  }
}
