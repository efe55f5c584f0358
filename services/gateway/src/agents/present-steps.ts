import { list, maybe, orNull, record, type Static, STEP_TYPES, text, whole, word } from '@muster/assisted-api';
import type { NextStepsResponse, Plain } from '@muster/contracts';

const V2_STEP = record('step', {
  step_type: word(STEP_TYPES),
  step_id: maybe(text()),
  args: maybe(list(text())),
});
type V2Step = Static<typeof V2_STEP>;

/** `steps` of the contract. The seconds are left out when 0, the list is null when there is nothing to do. */
export const V2_STEPS = record('steps', {
  next_instruction_seconds: maybe(whole()),
  post_step_action: word(['exit', 'continue']),
  instructions: orNull(list(V2_STEP)),
});
export type V2Steps = Static<typeof V2_STEPS>;

export function presentSteps(response: Plain<NextStepsResponse>): V2Steps {
  const { instructions, nextInstructionSeconds: seconds, postStepAction } = response;
  return {
    ...(seconds === 0 ? {} : { next_instruction_seconds: seconds }),
    post_step_action: postStepAction || 'continue',
    instructions: instructions.length === 0 ? null : instructions.map(presentStep),
  };
}

const presentStep = ({ stepType, stepId, args }: Plain<NextStepsResponse>['instructions'][number]): V2Step => ({
  step_type: stepType,
  ...(stepId === '' ? {} : { step_id: stepId }),
  ...(args.length === 0 ? {} : { args }),
});
