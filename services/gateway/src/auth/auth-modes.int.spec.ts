import { generateKeyPairSync } from 'node:crypto';
import { IgnitionService } from '@muster/contracts';
import { manualClock } from '@muster/testing';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { CLUSTER_ID, clusterDocument, HOST_ID, INFRA_ENV_ID } from '../sample-documents.fixture.spec';
import { startTestIssuer } from './test-issuer.fixture.spec';
import {
  FOREIGN_ID,
  FOREIGN_CLUSTER_ID,
  type Headers,
  everyHeader,
  everyParameter,
  tampered,
  fill,
  refusesOnEveryRoute,
} from './auth-matrix.fixture.spec';

describe('AUTH_TYPE=oidc with organisations', () => {
  it('lets members read the resources of other members of their organisation, but not change them', async () => {
    const issuer = await startTestIssuer();
    const gateway = await startRunningGateway({
      AUTH_TYPE: 'oidc',
      OIDC_ISSUER_URL: issuer.url,
      ENABLE_ORG_TENANCY: 'true',
    });
    try {
      await fill(gateway);
      const headers = { authorization: `Bearer ${await issuer.token({ username: 'hatter', org_id: 'wonderland' })}` };
      const status = async (method: string, path: string): Promise<number> =>
        (await gateway.call(method, API + path, { headers })).status;
      expect(await status('GET', `/v2/clusters/${CLUSTER_ID}`)).toBe(200);
      expect(await status('DELETE', `/v2/clusters/${CLUSTER_ID}`)).toBe(403);
      expect(await status('DELETE', `/v2/infra-envs/${INFRA_ENV_ID}/hosts/${HOST_ID}`)).toBe(403);
      expect(await status('GET', `/v2/clusters/${FOREIGN_CLUSTER_ID}`)).toBe(404);
      expect(gateway.received).toEqual([]);
    } finally {
      await gateway.close();
      await issuer.close();
    }
  });
});

describe('AUTH_TYPE=oidc, a user with the name of a service or a host', () => {
  it.each(['service:registration', 'agent:2f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f6', 'Agent:x'])(
    'is refused, because the history would name the service or the host: %s',
    async (username) => {
      const issuer = await startTestIssuer();
      const gateway = await startRunningGateway({ AUTH_TYPE: 'oidc', OIDC_ISSUER_URL: issuer.url });
      const headers = { authorization: `Bearer ${await issuer.token({ username, org_id: 'wonderland' })}` };
      const { status, text } = await gateway.call('GET', `${API}/v2/clusters`, { headers });
      await gateway.close();
      await issuer.close();
      expect([status, text]).toEqual([401, expect.stringContaining('begins with agent: or service:')]);
    },
  );
});

describe('AUTH_TYPE=oidc, a token with a control character', () => {
  it.each([
    { username: 'hatter\r\nx-user: queen' },
    { username: 'hatter\0' },
    { username: 'hatter', org_id: 'wonder\nland' },
  ])('is refused with the reason: %j', async (claims) => {
    const issuer = await startTestIssuer();
    const gateway = await startRunningGateway({ AUTH_TYPE: 'oidc', OIDC_ISSUER_URL: issuer.url });
    try {
      const headers = { authorization: `Bearer ${await issuer.token(claims)}` };
      const json = { name: 'one', openshift_version: '4.18', pull_secret: '{"auths":{}}' };
      const { status, text } = await gateway.call('POST', `${API}/v2/clusters`, { headers, json });
      expect([status, text]).toEqual([401, expect.stringContaining('contains a control character')]);
    } finally {
      await gateway.close();
      await issuer.close();
    }
  });
});

describe('AUTH_TYPE=local, every operation', () => {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  let gateway: RunningGateway;
  // Higher than the number of requests that the routes and credentials below produce.
  const FAILURES_MAX = 1_000;
  beforeAll(async () => {
    const settings = {
      FAILED_PROOFS_PER_MINUTE_MAX: String(FAILURES_MAX),
      AUTH_TYPE: 'local',
      EC_PUBLIC_KEY_PEM: keys.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      EC_PRIVATE_KEY_PEM: keys.privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
    };
    // The time stands still, so that all failures are those of one minute.
    gateway = await startRunningGateway(settings, { clock: manualClock(Date.now()) });
    await fill(gateway);
  });
  afterAll(() => gateway.close());
  const token = async (infraEnvId: string, expires: string): Promise<string> => {
    const { SignJWT } = await import('jose');
    const claims = new SignJWT({ infra_env_id: infraEnvId }).setProtectedHeader({ alg: 'ES256' });
    return claims.setExpirationTime(expires).sign(keys.privateKey);
  };
  const everywhere = (text: string): readonly [Headers, string] => [everyHeader(text), everyParameter(text)];

  refusesOnEveryRoute(
    () => gateway,
    [
      ['a request without credentials', async () => [{}, ''], 'any route'],
      ['an expired token', async () => everywhere(await token(INFRA_ENV_ID, '-1h')), 'any route'],
      ['a tampered token', async () => everywhere(tampered(await token(FOREIGN_ID, '1h'))), 'any route'],
      ['the token of another infra-env', async () => everywhere(await token(FOREIGN_ID, '1h')), 'owned routes'],
    ],
  );

  it('answers 429 to failed authentications of an address, and still serves valid callers of that address', async () => {
    const path = `${API}/v2/infra-envs/${INFRA_ENV_ID}/hosts`;
    const guess = () => gateway.call('GET', path, { headers: { 'x-secret-key': 'guess' } });
    let answer = await guess();
    for (let tries = 0; tries < FAILURES_MAX && answer.status === 401; tries += 1) answer = await guess();
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    const good = await token(INFRA_ENV_ID, '1h');
    expect((await gateway.call('GET', path, { headers: { 'x-secret-key': good } })).status).toBe(200);
  });
});

describe('AUTH_TYPE=agent-installer-local', () => {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  let gateway: RunningGateway;
  beforeAll(async () => {
    const pem = keys.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    gateway = await startRunningGateway({
      AUTH_TYPE: 'agent-installer-local',
      EC_PUBLIC_KEY_PEM: Buffer.from(pem).toString('base64'),
    });
    await gateway.project(1, [clusterDocument({ status: 'installing' })]);
    await gateway.answers(IgnitionService.method.readArtifact, () => ({ content: '' }));
  });
  afterAll(() => gateway.close());
  const token = async (scheme: string): Promise<string> => {
    const { SignJWT } = await import('jose');
    return new SignJWT({ auth_scheme: scheme }).setProtectedHeader({ alg: 'ES256' }).sign(keys.privateKey);
  };
  const status = async (headers: Headers, file = ''): Promise<number> =>
    (await gateway.call('GET', `${API}/v2/clusters/${CLUSTER_ID}${file}`, { headers })).status;

  it('accepts tokens only for the scheme that they name', async () => {
    expect(await status({ authorization: await token('userAuth') })).toBe(200);
    expect(await status({ 'x-secret-key': await token('agentAuth') })).toBe(200);
    expect(await status({ 'watcher-authorization': await token('watcherAuth') })).toBe(200);
    expect(await status({ 'x-secret-key': await token('userAuth') })).toBe(403);
    expect(await status({ authorization: await token('') })).toBe(400);
    expect(await status({})).toBe(401);
    expect(await status({ authorization: 'nonsense' })).toBe(401);
    expect(await status({}, `/logs?api_key=${await token('urlAuth')}`)).toBe(401);
  });

  it('gives the kubeconfig to the bootstrap host and to users, because callers have no roles', async () => {
    const file = '/downloads/credentials?file_name=kubeconfig-noingress';
    expect(await status({ 'x-secret-key': await token('agentAuth') }, file)).toBe(200);
    expect(await status({ authorization: await token('userAuth') }, file)).toBe(200);
    expect(await status({ authorization: await token('agentAuth') }, file)).toBe(403);
  });
});
