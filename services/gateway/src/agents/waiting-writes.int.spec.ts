import { randomUUID } from 'node:crypto';
import { agentSubject, HEADERS, RegistrationService } from '@muster/contracts';
import { eventually } from '@muster/testing';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { HOST_ID, INFRA_ENV_ID } from '../sample-documents.fixture.spec';
import { AgentRequests, CONCURRENT_AGENT_WRITES_MAX, WAITING_WRITES } from './agent-requests';

const OTHER_HOST_ID = '7c1e0d3c-4b5a-4978-8695-a4b3c2d1e0f7';

describe('writes of agents that wait', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startRunningGateway();
  });
  afterAll(() => gateway.close());

  it('are answered as busy above the limit of a host, over HTTP and over the bus', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await gateway.answers(RegistrationService.method.replyToStep, async () => {
      await released;
      return {};
    });
    const sent = jest.spyOn(AgentRequests.prototype, 'send');
    const overBus = (hostId: string): Promise<unknown> =>
      gateway.bus.request(
        agentSubject(INFRA_ENV_ID, hostId, 'reply_to_step'),
        { stepType: 'inventory', output: 'x' },
        { [HEADERS.commandId]: randomUUID() },
        60_000,
      );
    const accepted = [
      ...Array.from({ length: CONCURRENT_AGENT_WRITES_MAX }, () => OTHER_HOST_ID),
      ...Array.from({ length: WAITING_WRITES.member.tasks }, () => HOST_ID),
    ].map(overBus);
    await eventually('all writes arrived', () => sent.mock.calls.length === accepted.length);

    const path = `${API}/v2/infra-envs/${INFRA_ENV_ID}/hosts/${HOST_ID}/instructions`;
    const json = { step_type: 'inventory', output: 'x' };
    const refused = await gateway.call('POST', path, { json });
    expect(refused).toMatchObject({ status: 503, body: { code: '503' } });
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await overBus(HOST_ID)).toMatchObject({ refusal: { code: 'busy' } });
    const ofOtherHost = overBus(OTHER_HOST_ID);

    release();
    for (const answer of await Promise.all([...accepted, ofOtherHost])) expect(answer).toHaveProperty('ok');
    expect((await gateway.call('POST', path, { json })).status).toBe(204);
  });
});
