import { presentSteps } from './agent-requests';

describe('presentSteps', () => {
  it('returns post_step_action continue when the service sends none', () => {
    expect(presentSteps({ instructions: [], nextInstructionSeconds: 60, postStepAction: '', holdSeconds: 0 })).toEqual({
      next_instruction_seconds: 60,
      post_step_action: 'continue',
      instructions: null,
    });
  });
});
