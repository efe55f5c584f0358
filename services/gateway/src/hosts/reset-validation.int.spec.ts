import { RegistrationService } from '@muster/contracts';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { HOST_ID, hostDocument, INFRA_ENV_ID } from '../sample-documents.fixture.spec';

const { resetHostValidation } = RegistrationService.method;
const RESET = `${API}/v2/infra-envs/${INFRA_ENV_ID}/hosts/${HOST_ID}/actions/reset-validation`;

describe('resetting a validation', () => {
  let gateway: RunningGateway;
  beforeEach(async () => {
    gateway = await startRunningGateway();
    await gateway.project(2, [hostDocument()]);
  });
  afterEach(() => gateway.close());

  it('answers 200 with the host after the measurement was discarded', async () => {
    await gateway.answers(resetHostValidation, async () => {
      await gateway.project(3, [hostDocument({ images_status: '[]' })]);
      return { stored: { position: 3, revision: 1 } };
    });
    const answer = await gateway.call('PATCH', `${RESET}/container-images-available`);
    expect(answer).toMatchObject({ status: 200, body: { id: HOST_ID, images_status: '[]' } });
    expect(gateway.received.map(({ body }) => body)).toEqual([
      { infraEnvId: INFRA_ENV_ID, hostId: HOST_ID, validationId: 'container-images-available' },
    ]);
  });

  it.each([
    ['invalid-input', 400],
    ['not-allowed-in-state', 409],
  ] as const)('answers the refusal %s with %i and its reason', async (code, status) => {
    await gateway.refuses(resetHostValidation, { code, reason: 'It cannot be.', subject: 'validation_id' });
    const answer = await gateway.call('PATCH', `${RESET}/connected`);
    expect(answer).toMatchObject({ status, body: { kind: 'Error', reason: expect.stringContaining('It cannot be.') } });
  });
});
