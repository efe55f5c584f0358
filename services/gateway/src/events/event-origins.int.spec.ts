import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { IgnitionService } from '@muster/contracts';
import { startTestIssuer, type TestIssuer } from '../auth/test-issuer.fixture.spec';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import {
  CLUSTER_ID,
  clusterDocument,
  eventDocument,
  HOST_ID,
  INFRA_ENV_ID,
  infraEnvDocument,
} from '../sample-documents.fixture.spec';

const ORIGIN = { actor: 'bob', source_address: '192.0.2.7', correlation_id: 'request-1' };
const ALICES_INFRA_ENV = '2f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f6';

/** Alice owns the cluster. Bob and Carol are members of the same organization. Bob owns a bound infra-env. */
describe('the origin of an event', () => {
  let issuer: TestIssuer;
  let gateway: RunningGateway;
  beforeAll(async () => {
    issuer = await startTestIssuer();
    gateway = await startRunningGateway({
      AUTH_TYPE: 'oidc',
      OIDC_ISSUER_URL: issuer.url,
      ENABLE_ORG_TENANCY: 'true',
      ADMIN_USERS: 'root',
      READ_ONLY_ADMIN_USERS: 'auditor',
    });
    const ofAlice = { user_name: 'alice', org_id: 'wonderland' };
    const ofBob = { user_name: 'bob', org_id: 'wonderland' };
    const origin = { _actor: 'bob', _source_address: '192.0.2.7', _correlation_id: 'request-1' };
    const ofInfraEnv = { infra_env_id: ALICES_INFRA_ENV, ...ofBob, ...origin };
    await gateway.project(1, [
      clusterDocument(ofAlice),
      infraEnvDocument({ id: ALICES_INFRA_ENV, ...ofBob }),
      eventDocument(1, { ...ofAlice, ...origin, _props: { actor: 'forged' } }),
      eventDocument(2, ofInfraEnv),
    ]);
    await gateway.answers(IgnitionService.method.listManifests, () => ({ manifests: [] }));
  });
  afterAll(async () => {
    await gateway.close();
    await issuer.close();
  });

  const headersOf = async (username: string): Promise<Record<string, string>> => ({
    authorization: `Bearer ${await issuer.token({ username, org_id: 'wonderland' })}`,
  });
  /** The properties of the events by the position of the event. */
  const propsFor = async (username: string): Promise<readonly object[]> => {
    const headers = await headersOf(username);
    const answer = await gateway.call('GET', `${API}/v2/events?cluster_id=${CLUSTER_ID}`, { headers });
    return (answer.body as { props: string }[]).map(({ props }) => JSON.parse(props) as object);
  };

  it.each(['alice', 'root', 'auditor'])('is shown to %s', async (user) => {
    expect(await propsFor(user)).toEqual([expect.objectContaining(ORIGIN), expect.objectContaining(ORIGIN)]);
  });

  it('is shown to members of the organization only for events of their own resources', async () => {
    const [ofCluster, ofInfraEnv] = await propsFor('bob');
    expect(ofInfraEnv).toMatchObject(ORIGIN);
    expect(ofCluster).toEqual({ cluster_id: CLUSTER_ID, actor: 'forged' });
    expect(await propsFor('carol')).toEqual([
      { cluster_id: CLUSTER_ID, actor: 'forged' },
      { cluster_id: CLUSTER_ID, infra_env_id: ALICES_INFRA_ENV },
    ]);
  });

  it('is shown to the owner of the cluster of a host, not to the owner of its infra-env', async () => {
    const ofHost = { infra_env_id: ALICES_INFRA_ENV, host_id: HOST_ID, user_name: 'bob', org_id: 'wonderland' };
    await gateway.project(2, [eventDocument(3, { ...ofHost, _actor: 'alice', _source_address: '192.0.2.8' })]);
    expect((await propsFor('alice'))[2]).toMatchObject({ actor: 'alice', source_address: '192.0.2.8' });
    expect((await propsFor('bob'))[2]).not.toHaveProperty('actor');
  });

  it('is part of a log bundle by the same rule', async () => {
    const propsInBundle = async (username: string): Promise<readonly object[]> => {
      const url = `${gateway.url}${API}/v2/clusters/${CLUSTER_ID}/logs`;
      const archive = await fetch(url, { headers: await headersOf(username) });
      const input = Buffer.from(await archive.arrayBuffer());
      const text = execFileSync('tar', ['xO', 'cluster_events.json'], { input, encoding: 'utf8' });
      return (JSON.parse(text) as { props: string }[]).map(({ props }) => JSON.parse(props) as object);
    };
    expect(await propsInBundle('alice')).toEqual(await propsFor('alice'));
    expect(await propsInBundle('carol')).toEqual(await propsFor('carol'));
  });
});

describe('the origin of an event, with the token of an infra-env', () => {
  it('is not shown', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const gateway = await startRunningGateway({
      AUTH_TYPE: 'local',
      EC_PUBLIC_KEY_PEM: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      EC_PRIVATE_KEY_PEM: privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
    });
    try {
      const event = { cluster_id: undefined, infra_env_id: INFRA_ENV_ID, _actor: 'bob' };
      await gateway.project(1, [infraEnvDocument(), eventDocument(1, event)]);
      const { SignJWT } = await import('jose');
      const claims = new SignJWT({ infra_env_id: INFRA_ENV_ID }).setProtectedHeader({ alg: 'ES256' });
      const token = await claims.setExpirationTime('1h').sign(privateKey);
      const query = `infra_env_id=${INFRA_ENV_ID}&api_key=${token}`;
      const answer = await gateway.call('GET', `${API}/v2/events?${query}`);
      expect(answer.body).toEqual([expect.objectContaining({ props: JSON.stringify({ infra_env_id: INFRA_ENV_ID }) })]);
    } finally {
      await gateway.close();
    }
  });
});
