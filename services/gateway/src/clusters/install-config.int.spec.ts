import { IgnitionService } from '@muster/contracts';
import { sealDocument } from '@muster/nest-kit';
import { startTestIssuer } from '../auth/test-issuer.fixture.spec';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { CLUSTER_ID, clusterDocument } from '../sample-documents.fixture.spec';

const { renderInstallConfig } = IgnitionService.method;
const INSTALL_CONFIG = `${API}/v2/clusters/${CLUSTER_ID}/install-config`;

describe('the install-config over REST', () => {
  let gateway: RunningGateway;
  beforeEach(async () => {
    gateway = await startRunningGateway();
    await gateway.project(2, [clusterDocument()]);
  });
  afterEach(() => gateway.close());

  it('is returned as a JSON string that contains the document', async () => {
    const text = '{"apiVersion":"v1","pullSecret":"{\\"auths\\":{}}"}';
    await gateway.answers(renderInstallConfig, () => ({ content: Buffer.from(text).toString('base64') }));
    const answer = await gateway.call('GET', INSTALL_CONFIG);
    expect(answer).toMatchObject({ status: 200, body: text });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });

  it('is refused with 400 for a day-2 cluster', async () => {
    await gateway.refuses(renderInstallConfig, { code: 'invalid-input', reason: 'Has none.', subject: 'cluster_id' });
    expect(await gateway.call('GET', INSTALL_CONFIG)).toMatchObject({ status: 400, body: { code: '400' } });
  });
});

it('shows overrides without their credentials to callers that may only read the cluster', async () => {
  const issuer = await startTestIssuer();
  const settings = { AUTH_TYPE: 'oidc', OIDC_ISSUER_URL: issuer.url, READ_ONLY_ADMIN_USERS: 'auditor' };
  const gateway = await startRunningGateway({ ...settings, ENABLE_ORG_TENANCY: 'true' });
  try {
    const overrides = {
      pullSecret: 'canary',
      platform: { vsphere: { vcenters: [{ user: 'me', password: 'canary' }] } },
    };
    const sealed = await sealDocument(gateway.platform.secrets, CLUSTER_ID, JSON.stringify(overrides));
    const owner = { user_name: 'alice', org_id: 'wonderland' };
    await gateway.project(1, [clusterDocument({ _install_config_overrides: sealed, ...owner })]);
    const shownTo = async (username: string, path: string): Promise<string> => {
      const authorization = `Bearer ${await issuer.token({ username, org_id: 'wonderland' })}`;
      return (await gateway.call('GET', path, { headers: { authorization } })).text;
    };
    const paths = ['', '?with_hosts=true', `/${CLUSTER_ID}`, `/${CLUSTER_ID}?exclude-hosts=true`];
    for (const path of [...paths.map((path) => `${API}/v2/clusters${path}`), `/api/muster/v1/clusters/${CLUSTER_ID}`]) {
      for (const _again of [1, 2, 3])
        for (const user of ['alice', 'auditor', 'hatter']) {
          const text = await shownTo(user, path);
          expect([user, path, text.split('canary').length - 1]).toEqual([user, path, user === 'alice' ? 2 : 0]);
          expect([user, path, text.includes('vcenters')]).toEqual([user, path, true]);
        }
    }
  } finally {
    await gateway.close();
    await issuer.close();
  }
});
