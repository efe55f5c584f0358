import { RegistrationService } from '@muster/contracts';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { HOST_ID, INFRA_ENV_ID } from '../sample-documents.fixture.spec';

describe('the report of a stage over REST', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startRunningGateway();
  });
  afterAll(() => gateway.close());

  it('may have a text of any length, as in assisted-service v2', async () => {
    await gateway.answers(RegistrationService.method.reportHostProgress, () => ({
      stored: { position: 1, revision: 1 },
    }));
    const progress_info = 'x'.repeat(100_000);
    const path = `${API}/v2/infra-envs/${INFRA_ENV_ID}/hosts/${HOST_ID}/progress`;
    const answer = await gateway.call('PUT', path, { json: { current_stage: 'Failed', progress_info } });
    expect(answer.status).toBe(200);
    expect(gateway.received[0]?.body).toMatchObject({ stage: 'Failed', progressInfo: progress_info });
  });
});
