import { keepJson } from '@muster/nest-kit';
import { presentSteps, writeSteps } from './agent-requests';

const EMPTY = { instructions: [], nextInstructionSeconds: 60, postStepAction: '', holdSeconds: 0 };

describe('presentSteps', () => {
  it('returns post_step_action continue when the service sends none', () => {
    expect(presentSteps(EMPTY)).toEqual({
      next_instruction_seconds: 60,
      post_step_action: 'continue',
      instructions: null,
    });
  });
});

describe('writeSteps', () => {
  const steps = {
    ...EMPTY,
    instructions: [
      { stepType: 'inventory', stepId: 'inventory-1', args: [] },
      { stepType: 'connectivity-check', stepId: 'connectivity-check-2', args: ['[{"name":"é"}]'] },
      { stepType: 'upgrade-agent', stepId: '', args: ['{"a":1}', 'b'] },
    ],
  };

  it.each([
    ['no steps', EMPTY],
    ['steps', steps],
  ])('writes %s as JSON', (_, response) => {
    expect(writeSteps(response).toString()).toBe(JSON.stringify(presentSteps(response)));
  });

  it('copies the JSON of an argument that the service has written', () => {
    const response = { ...steps };
    keepJson(response, new Map([['connectivity-check-2', JSON.stringify('[{"name":"é"}]')]]));
    expect(writeSteps(response).toString()).toBe(JSON.stringify(presentSteps(steps)));
    keepJson(response, new Map([['connectivity-check-2', '"copied"']]));
    expect(writeSteps(response).toString()).toContain('"step_id":"connectivity-check-2","args":["copied"]}');
  });
});
