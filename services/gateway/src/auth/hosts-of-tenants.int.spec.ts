import { API, type Answer, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { clusterDocument, hostDocument, INFRA_ENV_ID, infraEnvDocument } from '../sample-documents.fixture.spec';
import { startTestIssuer, type TestIssuer } from './test-issuer.fixture.spec';

const BOBS_INFRA_ENV = '2f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f6';
const BOBS_CLUSTER = '3f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f7';
const REMOVED_CLUSTER = '5f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f9';
const HOST = 'e1b5a0f4-6f0f-4a4b-9c0a-00000000aaaa';

const ALICE = { user_name: 'alice', org_id: 'wonderland' };
const BOB = { user_name: 'bob', org_id: 'builders' };

describe('hosts of several tenants', () => {
  let issuer: TestIssuer;
  let gateway: RunningGateway;
  beforeAll(async () => {
    issuer = await startTestIssuer();
    gateway = await startRunningGateway({ AUTH_TYPE: 'oidc', OIDC_ISSUER_URL: issuer.url });
    await gateway.project(1, [
      infraEnvDocument({ cluster_id: undefined, ...ALICE }),
      infraEnvDocument({ id: BOBS_INFRA_ENV, cluster_id: undefined, ...BOB }),
      clusterDocument({ id: BOBS_CLUSTER, ...BOB }),
    ]);
  });
  afterAll(async () => {
    await gateway.close();
    await issuer.close();
  });

  const as = async ({ user_name: username, org_id }: typeof ALICE, path: string): Promise<Answer> => {
    const authorization = `Bearer ${await issuer.token({ username, org_id })}`;
    return gateway.call('GET', `${API}${path}`, { headers: { authorization } });
  };

  it('belong to the owner of their infra-env as soon as their cluster is removed', async () => {
    await gateway.project(2, [hostDocument({ id: HOST, cluster_id: REMOVED_CLUSTER })]);
    const path = `/v2/infra-envs/${INFRA_ENV_ID}/hosts/${HOST}`;
    expect((await as(BOB, path)).status).toBe(404);
    expect((await as(ALICE, path)).status).toBe(200);
  });
});
