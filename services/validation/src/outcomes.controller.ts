import type { Concern } from '@muster/event-sourcing';
import { ValidationService } from '@muster/contracts';
import { clusterSubject, evaluateDryRun, FactsView, hostSubject, parseSubject, type Subject } from '@muster/evaluation';
import {
  CLOCK,
  documentTask,
  DocumentWorkers,
  EVENT_STORE,
  Handles,
  type InputOf,
  type MusterEventStore,
  type OutputOf,
  ReactorHost,
} from '@muster/nest-kit';
import { type Clock, isoTime } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import {
  completeClusterOutcomes,
  completeHostOutcomes,
  NO_HISTORY,
  type RulesPolicy,
  SUPPRESSED,
} from '@muster/validation-rules';
import { Controller, Inject } from '@nestjs/common';
import { CONFIG } from './config';
import { OutcomeStore } from './outcome-store';

const UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const SUBJECT_ID = new RegExp(`^${UUID}(\\.${UUID})?$`);

/** @throws RefusalError when it is not the id of a cluster or host. */
function requireSubject(subjectId: string): void {
  if (SUBJECT_ID.test(subjectId)) return;
  throw new RefusalError({
    code: 'invalid-input',
    reason: `subjectId "${subjectId.slice(0, 100)}" is not the id of a cluster or host. Allowed: <cluster id> or <infra-env id>.<host id>.`,
    subject: 'subjectId',
  });
}

/** Returns all outcomes of a host or cluster with their history. */
@Controller()
export class ReadOutcomesController {
  constructor(private readonly store: OutcomeStore) {}

  @Handles(ValidationService.method.readOutcomes)
  async handle({
    subjectId,
  }: InputOf<typeof ValidationService.method.readOutcomes>): Promise<
    OutputOf<typeof ValidationService.method.readOutcomes>
  > {
    requireSubject(subjectId);
    const recorded = await this.store.read(subjectId);
    const outcomes = subjectId.includes('.')
      ? completeHostOutcomes(recorded.outcomes, recorded.clusterId !== '')
      : completeClusterOutcomes(recorded.outcomes);
    return {
      outcomes: outcomes
        .filter(({ status }) => status !== SUPPRESSED)
        .map((outcome) => {
          const { since, flips } = recorded.histories.get(outcome.id) ?? NO_HISTORY;
          return { ...outcome, since, flips };
        }),
    };
  }
}

/** Lets a caller wait for the outcomes that follow from an event. */
@Controller()
export class AwaitEvaluationController {
  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: MusterEventStore,
    private readonly reactor: ReactorHost,
    private readonly view: FactsView,
    private readonly store: OutcomeStore,
  ) {}

  @Handles(ValidationService.method.awaitEvaluation)
  async handle({
    position,
    subjectId,
  }: InputOf<typeof ValidationService.method.awaitEvaluation>): Promise<
    OutputOf<typeof ValidationService.method.awaitEvaluation>
  > {
    if (subjectId === '') {
      await this.reactor.followed(position);
      return { position: await this.eventStore.head() };
    }
    requireSubject(subjectId);
    await this.reactor.followed(position, () => this.concernOf(subjectId));
    const subjects = this.subjectsOf(subjectId);
    this.requireEvaluated(subjects);
    return { position: this.store.positionOf(subjects) };
  }

  private concernOf(subjectId: string): Concern {
    const { hosts, clusters } = this.view.concernedParts(subjectId);
    return {
      size: hosts.size + clusters.size,
      keys: () => this.subjectsOf(subjectId),
      has: (key) => {
        const { kind, id } = parseSubject(key);
        return kind === 'host' ? hosts.has(id) : clusters.has(id);
      },
    };
  }

  private subjectsOf(subjectId: string): readonly Subject[] {
    const { hosts, clusters } = this.view.concernedParts(subjectId);
    return [...[...clusters].map(clusterSubject), ...[...hosts].map(hostSubject)];
  }

  private requireEvaluated(subjects: readonly Subject[]): void {
    for (const subject of subjects) {
      const failure = this.reactor.failureOf(subject);
      if (failure)
        throw new RefusalError({ code: 'busy', reason: `The evaluation of ${subject} fails: ${failure}`, subject });
    }
  }
}

/** The evaluation of hundreds of hosts takes more than a second: it does not run in this thread. */
const DRY_RUN = documentTask('@muster/evaluation', 'hosts', evaluateDryRun);

/** Evaluates a cluster and its hosts without storing anything (dry run). */
@Controller()
export class DryRunController {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly policy: RulesPolicy,
    private readonly workers: DocumentWorkers,
  ) {}

  @Handles(ValidationService.method.dryRun)
  async handle({
    settings = {},
    pullSecretSet,
    hosts,
    requestedArchitecture,
  }: InputOf<typeof ValidationService.method.dryRun>): Promise<OutputOf<typeof ValidationService.method.dryRun>> {
    const at = isoTime(this.clock.nowMs());
    const request = { settings, pullSecretSet, hosts, requestedArchitecture };
    const { outcomes, hosts: results, machineNetworks } = await this.workers.run(DRY_RUN, this.policy, at, request);
    return {
      outcomes: [...outcomes],
      hosts: results.map((result) => ({ ...result, outcomes: [...result.outcomes] })),
      machineNetworks: [...machineNetworks],
    };
  }
}
