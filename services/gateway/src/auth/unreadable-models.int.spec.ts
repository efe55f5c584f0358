import { generateKeyPairSync } from 'node:crypto';
import { agentSubject, PULL_SECRET, RegistrationService } from '@muster/contracts';
import { Unavailable } from '@muster/ports';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { CLUSTER_ID, HOST_ID, INFRA_ENV_ID, infraEnvDocument } from '../sample-documents.fixture.spec';

const REMOVED_ID = '2f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f6';
const HOST = `${API}/v2/infra-envs/${INFRA_ENV_ID}/hosts/${HOST_ID}`;

describe.each(['rebuilt', 'not available'])('a host while the read models are %s', (state) => {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startRunningGateway(
      {
        AUTH_TYPE: 'local',
        EC_PUBLIC_KEY_PEM: keys.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
        EC_PRIVATE_KEY_PEM: keys.privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
      },
      { storedEvents: state === 'rebuilt' ? 1 : 0 },
    );
    if (state === 'not available') {
      const away = (): Promise<never> => Promise.reject(new Unavailable('MongoDB at 10.0.0.6:27017', 'no answer'));
      Object.assign(gateway.readModels, { get: away, find: away, count: away });
    }
    await gateway.platform.secrets.seal(INFRA_ENV_ID, PULL_SECRET, Buffer.from('{}'));
    const { nextSteps, replyToStep, reportHostProgress } = RegistrationService.method;
    const steps = { instructions: [], nextInstructionSeconds: 60, postStepAction: 'continue' };
    await gateway.answers(nextSteps, () => steps);
    await gateway.answers(replyToStep, () => ({}));
    await gateway.answers(reportHostProgress, () => ({}));
  });
  afterAll(() => gateway.close());

  const call = async (method: string, path: string, json?: object, infraEnvId = INFRA_ENV_ID): Promise<number> => {
    const { SignJWT } = await import('jose');
    const claims = new SignJWT({ infra_env_id: infraEnvId }).setProtectedHeader({ alg: 'ES256' });
    const headers = { 'x-secret-key': await claims.sign(keys.privateKey) };
    return (await gateway.call(method, path, { headers, ...(json && { json }) })).status;
  };

  it('polls and reports with the token of its infra-env', async () => {
    const reply = { step_type: 'inventory', step_id: 'inventory-1', exit_code: 0, output: '{}', error: '' };
    expect(await call('GET', `${HOST}/instructions`)).toBe(200);
    expect(await call('POST', `${HOST}/instructions`, reply)).toBe(204);
    expect(await call('PUT', `${HOST}/progress`, { current_stage: 'Rebooting' })).toBe(200);
  });

  it('gets no document', async () => {
    expect(await call('GET', `${API}/v2/infra-envs/${INFRA_ENV_ID}/hosts`)).toBe(503);
    expect(await call('GET', `${API}/v2/clusters/${CLUSTER_ID}`)).toBe(503);
  });

  it('is refused with the token of a removed or of another infra-env', async () => {
    const before = gateway.received.length;
    const own = `${API}/v2/infra-envs/${REMOVED_ID}/hosts/${HOST_ID}/instructions`;
    expect(await call('GET', own, undefined, REMOVED_ID)).toBe(401);
    await gateway.platform.secrets.seal(REMOVED_ID, PULL_SECRET, Buffer.from('{}'));
    expect(await call('GET', `${HOST}/instructions`, undefined, REMOVED_ID)).toBe(404);
    expect(gateway.received).toHaveLength(before);
  });
});

describe('a host while the secrets cannot be read', () => {
  it.each(['local', 'oidc'])('gets a 503 with AUTH_TYPE=%s, because an agent ends after a 401', async (type) => {
    const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const gateway = await startRunningGateway({
      AUTH_TYPE: type,
      EC_PUBLIC_KEY_PEM: keys.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      EC_PRIVATE_KEY_PEM: keys.privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
      OIDC_ISSUER_URL: 'https://issuer.example.com',
    });
    try {
      await gateway.project(1, [infraEnvDocument()]);
      const { SignJWT } = await import('jose');
      const claims = new SignJWT({ infra_env_id: INFRA_ENV_ID, sub: INFRA_ENV_ID }).setProtectedHeader({
        alg: 'ES256',
      });
      const token = await claims.sign(keys.privateKey);
      const away = (): Promise<never> => Promise.reject(new Unavailable('The secrets', 'no answer'));
      Object.assign(gateway.platform.secrets, { open: away });
      const call = async (path: string, headers: Record<string, string>): Promise<number> =>
        (await gateway.call('GET', path, { headers })).status;
      expect(await call(`${HOST}/instructions`, { 'x-secret-key': token })).toBe(503);
      const infraEnv = `${API}/v2/infra-envs/${INFRA_ENV_ID}`;
      if (type === 'oidc') expect(await call(infraEnv, { 'image-token': token })).toBe(503);
    } finally {
      await gateway.close();
    }
  });
});

describe('a host on the bus while the read models are not available', () => {
  it('is refused with the code that its transport retries when its steps need the URLs of an infra-env', async () => {
    const gateway = await startRunningGateway();
    try {
      const away = (): Promise<never> => Promise.reject(new Unavailable('MongoDB at 10.0.0.6:27017', 'no answer'));
      Object.assign(gateway.readModels, { get: away });
      const instructions = [{ stepType: 'download-boot-artifacts', args: ['{}'] }];
      await gateway.answers(RegistrationService.method.nextSteps, () => ({ instructions }));
      const answer = await gateway.bus.request(agentSubject(INFRA_ENV_ID, HOST_ID, 'next_steps'), {}, {}, 5_000);
      expect(answer).toMatchObject({ refusal: { code: 'unavailable' } });
    } finally {
      await gateway.close();
    }
  });
});
