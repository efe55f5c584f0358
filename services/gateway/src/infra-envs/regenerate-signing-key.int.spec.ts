import { RegistrationService } from '@muster/contracts';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { INFRA_ENV_ID, infraEnvDocument } from '../sample-documents.fixture.spec';

const { rotateSigningKey } = RegistrationService.method;
const regenerate = (id: string): string => `${API}/v2/infra-envs/${id}/regenerate-signing-key`;

describe('rotating the signing key', () => {
  let gateway: RunningGateway;
  beforeEach(async () => {
    gateway = await startRunningGateway();
    await gateway.project(2, [infraEnvDocument()]);
  });
  afterEach(() => gateway.close());

  it('sends the command and answers 204', async () => {
    await gateway.answers(rotateSigningKey, () => ({ stored: { position: 2, revision: 1 } }));
    const answer = await gateway.call('POST', regenerate(INFRA_ENV_ID));
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(gateway.received.map(({ body }) => body)).toEqual([{ infraEnvId: INFRA_ENV_ID }]);
  });

  it('answers 404 for an unknown infra-env, and 400 for an id that is not a UUID', async () => {
    await gateway.refuses(rotateSigningKey, { code: 'not-found', reason: 'There is none.', subject: 'infra_env_id' });
    expect(await gateway.call('POST', regenerate(INFRA_ENV_ID))).toMatchObject({ status: 404, body: { code: '404' } });
    expect((await gateway.call('POST', regenerate('one'))).status).toBe(400);
    expect(gateway.received).toHaveLength(1);
  });
});
