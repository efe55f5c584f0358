import { ValidationService } from '@muster/contracts';
import type { Decision } from '@muster/decision';
import { callService, REQUESTS } from '@muster/nest-kit';
import type { Requests } from '@muster/ports';
import { Inject, Injectable } from '@nestjs/common';
import { Aggregates, type CommandOrigin } from '../aggregates';
import { RegistrationView } from '../view/registration-view';
import type { ClusterEntry, HostEntry } from '../view/view-entries';

/** Returns true when a decision stores events. */
export const isChange = (decision: Decision<unknown>): boolean =>
  decision.kind === 'accepted' && decision.events.length > 0;

/** Maximum number of rounds. Inputs that change in every round are evaluated later. */
const ROUNDS_MAX = 10;

/** Asks the validation service whether outcomes include the last change that they depend on. */
@Injectable()
export class Evaluations {
  constructor(
    @Inject(REQUESTS) private readonly requests: Requests,
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
  ) {}

  /**
   * Returns true when the view holds the outcomes of the host, or of the cluster and its hosts, that include every event of the
   * view. Returns false when newer outcomes are stored and not observed yet. Their event leads to the next reaction.
   * @throws RefusalError when the validation service does not answer or an evaluation fails
   */
  async areCurrent(subjectId: string, entry: HostEntry | ClusterEntry): Promise<boolean> {
    for (let round = 1; round <= ROUNDS_MAX; round += 1) {
      const asked = this.view.position();
      const position = await this.lastOutcomes(subjectId, asked, entry);
      if (position > this.view.position()) return false;
      if (this.view.inputsPositionOf(entry) <= asked) return true;
    }
    throw new Error(`The inputs of ${subjectId} changed ${ROUNDS_MAX} times while they were evaluated.`);
  }

  /** Returns the position of the last outcomes of the subject when every event up to the position has been evaluated. */
  async lastOutcomes(subjectId: string, position: number, origin: CommandOrigin): Promise<number> {
    const { awaitEvaluation } = ValidationService.method;
    const context = this.aggregates.ownContext(origin);
    return (await callService(this.requests, awaitEvaluation, { position, subjectId }, context)).position;
  }
}
