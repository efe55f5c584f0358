import { eventually } from '@muster/testing';
import { StepFailed } from '../machine/machine.port';
import type { VerifiedVip } from '../steps/step-work';
import { HOST_ID, registered, startAgent } from './agent.fixture.spec';

const INSTRUCTIONS = `/hosts/${HOST_ID}/instructions`;
const FAILED: VerifiedVip = { vip: '192.0.2.1', vip_type: 'api', verification: 'failed' };

/** Runs an agent whose third run of a step has another result. Returns the replies that the service receives. */
async function repliesTo(third: () => readonly VerifiedVip[], refusal = 400) {
  let runs = 0;
  const instructions = [{ step_type: 'verify-vips', step_id: 'verify-vips-1', args: ['[]'] }];
  const { service, of, stop } = await startAgent(
    ({ body, method, url }) => {
      if (method === 'GET') return { status: 200, json: { next_instruction_seconds: 1, instructions } };
      if (url.pathname.endsWith('/hosts')) return registered();
      return { status: JSON.stringify(body).includes(FAILED.vip) ? refusal : 204, json: { reason: 'too long\ud83d' } };
    },
    { 'verify-vips': async () => ((runs += 1) === 3 ? third() : []) },
  );
  await eventually('the step runs again', () => runs > 4 && of('reply-unchanged').length > 1);
  await stop();
  return service.of('POST', INSTRUCTIONS).map(({ body }) => body);
}

describe('an unchanged result is sent again', () => {
  it('after the step failed, because the service shows the failure until the next result', async () => {
    const replies = await repliesTo(() => {
      throw new StepFailed('nmap did not end');
    });
    expect(replies).toMatchObject([{ exit_code: 0 }, { exit_code: -1 }, { exit_code: 0 }]);
  });

  it('after the service refused another result', async () => {
    const replies = await repliesTo(() => [FAILED]);
    expect(replies).toMatchObject([{ output: '[]' }, { output: JSON.stringify([FAILED]) }, { output: '[]' }]);
  });
});

it('a result that is too large for the service is sent as a failed step, so that its user sees the reason', async () => {
  const replies = await repliesTo(() => [FAILED], 413);
  expect(replies).toMatchObject([
    { output: '[]' },
    { output: JSON.stringify([FAILED]) },
    { exit_code: -1, output: '', error: 'The result has 62 characters, which is too large: too long\ufffd' },
    { output: '[]' },
  ]);
});
