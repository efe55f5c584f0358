import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { COLLECTIONS } from '@muster/assisted-api';
import { agentTokenGeneration, agentTokenKey, revokeInfraEnvTokens, signImageToken } from '@muster/nest-kit';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import {
  CLUSTER_ID,
  clusterDocument,
  eventDocument,
  HOST_ID,
  hostDocument,
  INFRA_ENV_ID,
  infraEnvDocument,
} from '../sample-documents.fixture.spec';
import { startTestIssuer, type TestIssuer } from './test-issuer.fixture.spec';
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

describe('AUTH_TYPE=oidc, every operation', () => {
  let issuer: TestIssuer;
  let gateway: RunningGateway;
  beforeAll(async () => {
    issuer = await startTestIssuer();
    gateway = await startRunningGateway({
      AUTH_TYPE: 'rhsso',
      FAILED_PROOFS_PER_MINUTE_MAX: '0',
      OIDC_ISSUER_URL: issuer.url,
      ADMIN_USERS: 'root',
      READ_ONLY_ADMIN_USERS: 'auditor',
      IMAGE_SERVICE_BASE_URL: 'http://images.example.com:8888',
    });
    await fill(gateway);
  });
  afterAll(async () => {
    await gateway.close();
    await issuer.close();
  });
  const bearer = async (username: string, options?: Parameters<TestIssuer['token']>[1]): Promise<Headers> => ({
    authorization: `Bearer ${await issuer.token({ username, org_id: username === 'bob' ? 'builders' : 'wonderland' }, options)}`,
  });
  const agentToken = async (infraEnvId: string, expires = '1h'): Promise<string> => {
    const { SignJWT } = await import('jose');
    const key = await agentTokenKey(gateway.platform.secrets);
    const generation = await agentTokenGeneration(gateway.platform.secrets, infraEnvId);
    const claims = new SignJWT({ infra_env_id: infraEnvId, generation }).setProtectedHeader({ alg: 'HS256' });
    return (expires ? claims.setExpirationTime(expires) : claims).sign(key);
  };
  const ask = async (path: string, headers: Headers, method = 'GET'): Promise<number> =>
    (await gateway.call(method, `${API}${path}`, { headers })).status;

  refusesOnEveryRoute(
    () => gateway,
    [
      ['a request without credentials', async () => [{}, ''], 'any route'],
      ['an expired token', async () => [await bearer('alice', { expiresIn: '-1h' }), ''], 'any route'],
      ['a token with a foreign signature', async () => [await bearer('alice', { by: 'a stranger' }), ''], 'any route'],
      [
        'a tampered token in every header and parameter',
        async () => {
          const token = tampered(await issuer.token({ username: 'bob' }));
          return [everyHeader(token), everyParameter(token)];
        },
        'any route',
      ],
      [
        'a token without a user name',
        async () => [{ authorization: `Bearer ${await issuer.token({})}` }, ''],
        'any route',
      ],
      ['the token of another tenant', async () => [await bearer('bob'), ''], 'owned routes'],
      [
        'an agent token of another infra-env',
        async () => {
          const token = await agentToken(FOREIGN_ID);
          return [{ 'x-secret-key': token }, `?api_key=${token}`];
        },
        'owned routes',
      ],
      [
        'an image token of another infra-env',
        async () => {
          const token = await signImageToken(gateway.platform.secrets, FOREIGN_ID, Date.now() + 60_000);
          return [{ 'image-token': token }, `?image_token=${token}`];
        },
        'owned routes',
      ],
    ],
  );

  it('gives users access to their own resources, and lists no others', async () => {
    expect(await ask(`/v2/clusters/${CLUSTER_ID}`, await bearer('alice'))).toBe(200);
    for (const list of ['/v2/clusters', '/v2/infra-envs']) {
      const own = (await gateway.call('GET', API + list, { headers: await bearer('bob') })).body as { id: string }[];
      expect(own.map(({ id }) => id)).toEqual([list === '/v2/clusters' ? FOREIGN_CLUSTER_ID : FOREIGN_ID]);
    }
    const unasked = await gateway.call('GET', `${API}/v2/events`, { headers: await bearer('alice') });
    expect([unasked.status, unasked.body, unasked.headers.get('event-count')]).toEqual([200, [], '0']);
    expect(await ask(`/v2/events?cluster_id=${CLUSTER_ID}`, await bearer('alice'))).toBe(200);
    expect(await ask(`/v2/events?cluster_id=${CLUSTER_ID}`, await bearer('bob'))).toBe(404);
    // The owner of a deleted resource is unknown.
    const gone = 'e1b5a0f4-6f0f-4a4b-9c0a-00000000dead';
    for (const query of [
      `cluster_id=${gone}`,
      `infra_env_id=${gone}`,
      `infra_env_id=${gone}&host_ids=${HOST_ID}`,
      `cluster_id=${CLUSTER_ID}&host_ids=${gone}`,
    ])
      expect(await ask(`/v2/events?${query}`, await bearer('bob'))).toBe(404);
    for (const id of [HOST_ID, gone]) {
      const events = await gateway.call('GET', `${API}/v2/events?host_ids=${id}`, { headers: await bearer('bob') });
      expect([events.status, events.body, events.headers.get('event-count')]).toEqual([200, [], '0']);
    }
    expect(await ask(`/v2/events?cluster_id=${gone}`, await bearer('root'))).toBe(200);
  });

  it('shows the owner of a cluster the events of its removed hosts and infra-envs', async () => {
    const gone = 'e1b5a0f4-6f0f-4a4b-9c0a-00000000dead';
    await gateway.project(900, [eventDocument(900, { host_id: gone, infra_env_id: INFRA_ENV_ID })]);
    const url = `${API}/v2/events?cluster_id=${CLUSTER_ID}&host_ids=${HOST_ID},${gone}`;
    const { status, body } = await gateway.call('GET', url, { headers: await bearer('alice') });
    expect([status, body]).toEqual([200, [expect.objectContaining({ message: 'event 900', host_id: gone })]]);
    expect(await ask(`/v2/events?cluster_id=${CLUSTER_ID}&infra_env_id=${gone}`, await bearer('alice'))).toBe(200);
    expect(await ask(`/v2/events?cluster_id=${CLUSTER_ID}&infra_env_id=${FOREIGN_ID}`, await bearer('alice'))).toBe(
      404,
    );
  });

  it('shows deleted clusters to administrators on request, and the events of deleted clusters to their owners', async () => {
    const id = 'e1b5a0f4-6f0f-4a4b-9c0a-00000000de1e';
    const { document } = clusterDocument({ id, user_name: 'alice', deleted_at: '2026-01-02T03:04:05.000Z' });
    const host = hostDocument({ cluster_id: id, deleted_at: '2026-01-02T03:04:05.000Z' });
    await gateway.project(1_000, [
      { collection: COLLECTIONS.deletedClusters, key: id, document },
      { ...host, collection: COLLECTIONS.deletedHosts },
    ]);
    const asked = async (path: string, name: string, header: string) => {
      const headers = { ...(await bearer(name)), get_unregistered_clusters: header };
      return gateway.call('GET', `${API}/v2/clusters${path}`, { headers });
    };
    for (const path of ['', `/${id}`]) expect((await asked(path, 'alice', 'true')).status).toBe(403);
    expect((await asked(`/${id}`, 'root', 'false')).status).toBe(404);
    const shown = await asked(`/${id}`, 'root', 'true');
    expect(shown).toMatchObject({ status: 200, body: { id, deleted_at: document.deleted_at } });
    expect(shown.body).toMatchObject({ hosts: [{ deleted_at: document.deleted_at }] });
    const listed = async (path: string, header: string): Promise<unknown> =>
      ((await asked(path, 'root', header)).body as { id: string; hosts: unknown[] }[]).find((one) => one.id === id);
    expect(await listed('', 'false')).toBeUndefined();
    expect(await listed('', 'true')).toMatchObject({ hosts: [] });
    expect(await listed('?with_hosts=true', 'true')).toMatchObject({ hosts: [{ deleted_at: document.deleted_at }] });
    expect(await ask(`/v2/events?cluster_id=${id}`, await bearer('alice'))).toBe(200);
    expect(await ask(`/v2/events?cluster_id=${id}`, await bearer('bob'))).toBe(404);
  });

  it('gives administrators full access, and read-only administrators read access', async () => {
    expect(await ask(`/v2/clusters/${CLUSTER_ID}`, await bearer('root'))).toBe(200);
    expect(await ask('/v2/events', await bearer('auditor'))).toBe(200);
    expect(await ask(`/v2/clusters/${CLUSTER_ID}`, await bearer('auditor'))).toBe(200);
    expect(await ask(`/v2/clusters/${CLUSTER_ID}`, await bearer('auditor'), 'DELETE')).toBe(403);
    expect(await ask(`/v2/clusters/${CLUSTER_ID}/credentials`, await bearer('root'))).toBe(403);
  });

  it('gives read-only administrators no token, also for an infra-env that they registered as users', async () => {
    const id = 'e1b5a0f4-6f0f-4a4b-9c0a-0000000a0d17';
    await gateway.project(1_100, [infraEnvDocument({ id, cluster_id: undefined, user_name: 'auditor' })]);
    const urlFor = async (name: string): Promise<string> => {
      const headers = await bearer(name);
      const { body } = await gateway.call('GET', `${API}/v2/infra-envs/${id}`, { headers });
      return (body as { download_url: string }).download_url;
    };
    expect(await urlFor('root')).toContain('/bytoken/');
    expect(await urlFor('auditor')).toContain(`/byid/${id}/`);
  });

  it('accepts agents by the token of their infra-env or by the token of its pull secret', async () => {
    const path = `/v2/infra-envs/${INFRA_ENV_ID}/hosts`;
    expect(await ask(path, { 'x-secret-key': await agentToken(INFRA_ENV_ID) })).toBe(200);
    // Tokens that Muster signs always expire.
    expect(await ask(path, { 'x-secret-key': await agentToken(INFRA_ENV_ID, '') })).toBe(401);
    const pullSecret = { auths: { 'cloud.openshift.com': { auth: 'from-the-pull-secret' } } };
    await gateway.platform.secrets.seal(INFRA_ENV_ID, 'pull-secret', Buffer.from(JSON.stringify(pullSecret)));
    expect(await ask(path, { 'x-secret-key': 'from-the-pull-secret' })).toBe(200);
    expect(await ask(path, { 'x-secret-key': 'from-another-one....' })).toBe(401);
  });

  it('refuses agent tokens that were issued before the signing key was rotated', async () => {
    const path = `/v2/infra-envs/${INFRA_ENV_ID}/hosts`;
    const before = await agentToken(INFRA_ENV_ID);
    expect(await ask(path, { 'x-secret-key': before })).toBe(200);
    await revokeInfraEnvTokens(gateway.platform.secrets, INFRA_ENV_ID);
    expect(await ask(path, { 'x-secret-key': before })).toBe(401);
    expect(await ask(path, { 'x-secret-key': await agentToken(INFRA_ENV_ID) })).toBe(200);
  });

  it('signs image URLs that expire and can be revoked', async () => {
    const shown = await gateway.call('GET', `${API}/v2/infra-envs/${INFRA_ENV_ID}/downloads/image-url`, {
      headers: await bearer('alice'),
    });
    const { url, expires_at: expiresAt } = shown.body as { url: string; expires_at: string };
    const [, token = ''] = /\/bytoken\/([^/]+)\//.exec(url) ?? [];
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(3 * 3_600_000);
    const infraEnv = await gateway.call('GET', `${API}/v2/infra-envs/${INFRA_ENV_ID}`, {
      headers: await bearer('alice'),
    });
    // The infra-env contains a URL of its own, with the same lifetime.
    const { expires_at: shownExpiresAt } = infraEnv.body as { expires_at: string };
    expect(Date.parse(shownExpiresAt)).toBeGreaterThanOrEqual(Date.parse(expiresAt));
    const own = `/v2/infra-envs/${INFRA_ENV_ID}`;
    expect(await ask(`${own}?image_token=${token}`, {})).toBe(200);
    await revokeInfraEnvTokens(gateway.platform.secrets, INFRA_ENV_ID);
    expect(await ask(`${own}?image_token=${token}`, {})).toBe(401);
  });

  it('accepts tokens signed with a rotated key of the issuer', async () => {
    const old = await bearer('alice');
    await issuer.changeKeys();
    const fresh = await startRunningGateway({ AUTH_TYPE: 'oidc', OIDC_ISSUER_URL: issuer.url });
    try {
      await fill(fresh);
      const status = async (headers: Headers): Promise<number> =>
        (await fresh.call('GET', `${API}/v2/clusters/${CLUSTER_ID}`, { headers })).status;
      expect(await status(await bearer('alice'))).toBe(200);
      expect(await status(old)).toBe(401);
    } finally {
      await fresh.close();
    }
  });

  it.each([
    ['an error of a proxy', 502, '<html>Bad Gateway</html>'],
    ['a page instead of JSON', 200, '<html>Maintenance</html>'],
    ['JSON without keys', 200, '{"error": "temporarily_unavailable"}'],
  ])('returns 503 and counts no failed proof when the keys of the issuer are %s', async (_what, code, body) => {
    const proxy = createServer((_request, response) => response.writeHead(code).end(body));
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    const fresh = await startRunningGateway({
      AUTH_TYPE: 'oidc',
      JWKS_URL: `http://127.0.0.1:${port}/keys`,
      FAILED_PROOFS_PER_MINUTE_MAX: '1',
    });
    try {
      const status = async (headers: Headers): Promise<number> =>
        (await fresh.call('GET', `${API}/v2/clusters`, { headers })).status;
      const headers = await bearer('alice');
      expect([await status(headers), await status(headers), await status(headers)]).toEqual([503, 503, 503]);
      expect(await status({})).toBe(401);
    } finally {
      await fresh.close();
      await new Promise((resolve) => proxy.close(resolve));
    }
  });

  it('returns 503 when the keys of the issuer are unavailable', async () => {
    const fresh = await startRunningGateway({ AUTH_TYPE: 'oidc', JWKS_URL: 'http://127.0.0.1:9/keys' });
    try {
      const answer = await fresh.call('GET', `${API}/v2/clusters`, { headers: await bearer('alice') });
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('5');
    } finally {
      await fresh.close();
    }
  });
});
