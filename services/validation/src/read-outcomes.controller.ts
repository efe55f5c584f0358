import { ValidationService } from '@muster/contracts';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { RefusalError } from '@muster/problems';
import { completeClusterOutcomes, completeHostOutcomes, NO_HISTORY, SUPPRESSED } from '@muster/validation-rules';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { OutcomeStore } from './outcome-store';

const UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const SUBJECT_ID = new RegExp(`^${UUID}(\\.${UUID})?$`);

/** Returns all outcomes of a host or cluster with their history. */
@Controller()
export class ReadOutcomesController {
  constructor(private readonly store: OutcomeStore) {}

  @Handles(ValidationService.method.readOutcomes)
  async handle(
    @Payload() { subjectId }: InputOf<typeof ValidationService.method.readOutcomes>,
  ): Promise<OutputOf<typeof ValidationService.method.readOutcomes>> {
    if (!SUBJECT_ID.test(subjectId))
      throw new RefusalError({
        code: 'invalid-input',
        reason: `subjectId "${subjectId.slice(0, 100)}" is not the id of a cluster or host. Allowed: <cluster id> or <infra-env id>.<host id>.`,
        subject: 'subjectId',
      });
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
