import type { NextStepsResponse, Plain } from '@muster/contracts';

/** `steps` of the contract. */
export interface V2Steps {
  /** Left out when 0. */
  readonly next_instruction_seconds?: number;
  readonly post_step_action: string;
  /** null when there is nothing to do. */
  readonly instructions: readonly V2Step[] | null;
}

export interface V2Step {
  readonly step_type: string;
  readonly step_id?: string;
  readonly args?: readonly string[];
}

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
