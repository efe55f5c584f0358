import { ValidationService } from '@muster/contracts';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { RefusalError } from '@muster/problems';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { OutcomeStore } from './outcome-store';

const UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const SUBJECT_ID = new RegExp(`^${UUID}(\\.${UUID})?$`);

/** The last verdict on one host or cluster; empty before the first. */
@Controller()
export class ReadOutcomesController {
  constructor(private readonly verdicts: OutcomeStore) {}

  @Handles(ValidationService.method.readOutcomes)
  async handle(
    @Payload() { subjectId }: InputOf<typeof ValidationService.method.readOutcomes>,
  ): Promise<OutputOf<typeof ValidationService.method.readOutcomes>> {
    if (!SUBJECT_ID.test(subjectId))
      throw new RefusalError({
        code: 'invalid-input',
        reason: `"${subjectId.slice(0, 100)}" names neither a cluster nor a host; give <cluster id> or <infra-env id>.<host id>.`,
        subject: 'subjectId',
      });
    const { outcomes } = await this.verdicts.read(subjectId);
    return { outcomes: [...outcomes] };
  }
}
