import { Type } from '@sinclair/typebox';
import { type Static, STEP_TYPES, StringEnum, Nullable } from '@muster/assisted-api';
import type { NextStepsResponse, Plain } from '@muster/contracts';

const V2_STEP = Type.Object(
  {
    step_type: StringEnum<string>(STEP_TYPES),
    step_id: Type.Optional(Type.String()),
    args: Type.Optional(Type.Array(Type.String())),
  },
  { title: 'step' },
);
type V2Step = Static<typeof V2_STEP>;

/** `steps` of the contract. The seconds are left out when 0, the list is null when there is nothing to do. */
export const V2_STEPS = Type.Object(
  {
    next_instruction_seconds: Type.Optional(Type.Integer()),
    post_step_action: StringEnum<string>(['exit', 'continue']),
    instructions: Nullable(Type.Array(V2_STEP)),
  },
  { title: 'steps' },
);
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
