import { IgnitionService, RegistrationService } from '@muster/contracts';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { CLUSTER_ID, HOST_ID, INFRA_ENV_ID } from '../sample-documents.fixture.spec';
import { fill, FOREIGN_CLUSTER_ID, FOREIGN_ID, type Headers, type Route, routesOf } from './auth-matrix.fixture.spec';
import { startTestIssuer, type TestIssuer } from './test-issuer.fixture.spec';

const UNKNOWN_ID = '7f1e0d3c-4b5a-4978-8695-a4b3c2d1e0fb';
const { deregisterCluster, deregisterHost, deregisterInfraEnv } = RegistrationService.method;

describe('ids in the path of a user', () => {
  let issuer: TestIssuer;
  let gateway: RunningGateway;
  let headers: Headers;
  beforeAll(async () => {
    issuer = await startTestIssuer();
    gateway = await startRunningGateway({ AUTH_TYPE: 'oidc', OIDC_ISSUER_URL: issuer.url });
    await fill(gateway);
    for (const method of [deregisterCluster, deregisterHost, deregisterInfraEnv, IgnitionService.method.removeManifest])
      await gateway.refuses(method, { code: 'not-found', reason: 'It does not exist.' });
    headers = { authorization: `Bearer ${await issuer.token({ username: 'alice', org_id: 'wonderland' })}` };
  });
  afterAll(async () => {
    await gateway.close();
    await issuer.close();
  });

  const answerTo = async ({ method, path }: Route, more: Headers = {}): Promise<string> => {
    const json = method === 'GET' || method === 'DELETE' ? undefined : {};
    const { status, text } = await gateway.call(method, path, { json, headers: { ...headers, ...more } });
    return `${method} ${path}: ${status} ${text}`
      .replaceAll(FOREIGN_CLUSTER_ID, UNKNOWN_ID)
      .replaceAll(FOREIGN_ID, UNKNOWN_ID);
  };
  const withIds = (route: Route, clusterId: string, infraEnvId: string): Route => ({
    ...route,
    path: route.path.replace(CLUSTER_ID, clusterId).replace(INFRA_ENV_ID, infraEnvId),
  });

  it.each<Headers>([{}, { 'idempotency-key': 'again' }])(
    'that do not exist are answered as those of another tenant, on every route with %j',
    async (more) => {
      const owned = routesOf(gateway).filter(
        ({ isOwned, method }) => isOwned && (method === 'DELETE' || !more['idempotency-key']),
      );
      expect(owned.length).toBeGreaterThan(2);
      for (const route of owned)
        expect(await answerTo(withIds(route, UNKNOWN_ID, UNKNOWN_ID), more)).toBe(
          await answerTo(withIds(route, FOREIGN_CLUSTER_ID, FOREIGN_ID), more),
        );
    },
  );

  it('are refused by their form first', async () => {
    expect(await gateway.call('GET', `${API}/v2/clusters/1`, { headers })).toMatchObject({ status: 400 });
  });

  it('of a host in an infra-env of the user are answered with the id', async () => {
    const answer = await gateway.call('GET', `${API}/v2/infra-envs/${INFRA_ENV_ID}/hosts/${UNKNOWN_ID}`, { headers });
    expect(answer).toMatchObject({ status: 404, body: { reason: expect.stringContaining(UNKNOWN_ID) as string } });
    const known = await gateway.call('GET', `${API}/v2/infra-envs/${INFRA_ENV_ID}/hosts/${HOST_ID}`, { headers });
    expect(known.status).toBe(200);
  });
});
