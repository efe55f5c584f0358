import { presentSteps } from './agent-desk';

describe('presentSteps', () => {
  it('says continue where the service says nothing', () => {
    expect(presentSteps({ instructions: [], nextInstructionSeconds: 60, postStepAction: '', holdSeconds: 0 })).toEqual({
      next_instruction_seconds: 60,
      post_step_action: 'continue',
      instructions: null,
    });
  });
});
