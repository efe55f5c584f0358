import { eventually } from '@muster/testing';
import { HOST_ID, registered, startAgent } from './agent.fixture.spec';

const INSTRUCTIONS = `/hosts/${HOST_ID}/instructions`;

it('a step that still runs after the next registration is not started a second time', async () => {
  let starts = 0;
  let end: () => void = () => undefined;
  const running = new Promise<readonly []>((resolve) => (end = () => resolve([])));
  const instructions = [{ step_type: 'verify-vips', step_id: 'verify-vips-1', args: ['[]'] }];
  let polls = 0;
  const { service, of, stop } = await startAgent(
    ({ method, url }) => {
      if (url.pathname.endsWith('/hosts')) return registered();
      if (method !== 'GET') return { status: 204 };
      const post_step_action = (polls += 1) === 1 ? 'exit' : 'continue';
      return { status: 200, json: { next_instruction_seconds: 1, instructions, post_step_action } };
    },
    { 'verify-vips': () => ((starts += 1), running) },
  );
  await eventually('the second session polls again', () => of('registered').length === 2 && polls > 4);
  expect(starts).toBe(1);
  end();
  await eventually('the step runs again after its result was sent', () => starts > 1);
  expect(service.of('POST', INSTRUCTIONS)[0]?.body).toMatchObject({ step_id: 'verify-vips-1', exit_code: 0 });
  await stop();
});

it('an upgrade that succeeds after its session ended makes the agent start again with the new program', async () => {
  let end: () => void = () => undefined;
  const upgraded = new Promise<void>((resolve) => (end = resolve));
  const instructions = [{ step_type: 'upgrade-agent', args: ['{"agent_image":"quay.io/agent:2"}'] }];
  let polls = 0;
  const { of, running, stop } = await startAgent(
    ({ method, url }) => {
      if (url.pathname.endsWith('/hosts')) return registered();
      if (method !== 'GET') return { status: 204 };
      polls += 1;
      const json = { next_instruction_seconds: 60, instructions: polls === 1 ? instructions : [] };
      return { status: 200, json: { ...json, post_step_action: polls === 1 ? 'exit' : 'continue' } };
    },
    { 'upgrade-agent': async ({ image }) => upgraded.then(() => ({ agent_image: image, result: 'success' })) },
    { endsAfterUpgrade: true },
  );
  await eventually('the second session polls', () => of('registered').length === 2 && polls > 1);
  end();
  let hasEnded = false;
  void running.then(() => (hasEnded = true));
  await eventually('the agent ends', () => hasEnded).finally(stop);
  expect(of('halted')).toEqual([{ type: 'halted', reason: 'the agent image was upgraded' }]);
});
