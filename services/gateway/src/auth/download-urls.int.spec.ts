import { get as httpGet } from 'node:http';
import { IgnitionService } from '@muster/contracts';
import { agentTokenGeneration, agentTokenKey, downloadTokenKey, signImageToken } from '@muster/nest-kit';
import { type Answer, API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import {
  CLUSTER_ID,
  clusterDocument,
  HOST_ID,
  hostDocument,
  INFRA_ENV_ID,
  infraEnvDocument,
} from '../sample-documents.fixture.spec';
import { FOREIGN_CLUSTER_ID, FOREIGN_ID } from './auth-matrix.fixture.spec';
import { DOWNLOAD_URL_LIFETIME_MS } from './download-urls';
import { startTestIssuer, type TestIssuer } from './test-issuer.fixture.spec';

const OF_ALICE = { user_name: 'alice', org_id: 'wonderland' };
const DOWNLOADS = `${API}/v2/clusters/${CLUSTER_ID}/downloads`;

let issuer: TestIssuer;
let gateway: RunningGateway;
let nowMs: number;
let position = 0;
beforeAll(async () => {
  issuer = await startTestIssuer();
  gateway = await startRunningGateway(
    {
      AUTH_TYPE: 'oidc',
      OIDC_ISSUER_URL: issuer.url,
      ENABLE_ORG_TENANCY: 'true',
      READ_ONLY_ADMIN_USERS: 'auditor',
      FAILED_PROOFS_PER_MINUTE_MAX: '0',
    },
    { clock: { nowMs: () => nowMs } },
  );
  await gateway.answers(IgnitionService.method.readArtifact, ({ name }) => ({
    content: Buffer.from(`content of ${String(name)}`).toString('base64'),
  }));
});
afterAll(async () => {
  await gateway.close();
  await issuer.close();
});
beforeEach(async () => {
  nowMs = Date.now();
  await fill('installed');
});

async function fill(status: string, hosts = [hostDocument({ cluster_id: CLUSTER_ID })]): Promise<void> {
  await gateway.project((position += 1), [
    clusterDocument({ ...OF_ALICE, status }),
    clusterDocument({ id: FOREIGN_CLUSTER_ID, user_name: 'bob', org_id: 'builders', status }),
    infraEnvDocument({ ...OF_ALICE, cluster_id: CLUSTER_ID }),
    ...hosts,
  ]);
}
/** The user hatter is in the organisation of alice, and so may read the resources of alice. */
const ORGANISATIONS = new Map([
  ['alice', 'wonderland'],
  ['hatter', 'wonderland'],
]);
const bearer = async (username: string): Promise<Record<string, string>> => ({
  authorization: `Bearer ${await issuer.token({ username, org_id: ORGANISATIONS.get(username) ?? 'builders' })}`,
});
const get = async (url: string, headers: Record<string, string> = {}): Promise<Answer> =>
  gateway.call('GET', url.replace(/^https?:\/\/[^/]+/, ''), { headers });
const signed = async (path: string, user = 'alice'): Promise<{ url: string; expires_at: string }> => {
  const { status, body } = await get(`${DOWNLOADS}/${path}`, await bearer(user));
  expect(status).toBe(200);
  return body as { url: string; expires_at: string };
};

describe('the signed URL of a download', () => {
  it.each([
    ['credentials-presigned?file_name=kubeconfig', 'content of kubeconfig'],
    ['credentials-presigned?file_name=kubeadmin-password', 'content of kubeadmin-password'],
    ['files-presigned?file_name=metadata.json', 'content of metadata.json'],
  ])('serves %s to a client without credentials', async (path, content) => {
    const { url, expires_at: expiresAt } = await signed(path);
    expect(Date.parse(expiresAt) - nowMs).toBe(DOWNLOAD_URL_LIFETIME_MS);
    const response = await fetch(url);
    expect([response.status, await response.text()]).toEqual([200, content]);
  });

  it('is the URL of the route that serves logs or manifests', async () => {
    const { url: ofLogs } = await signed(`files-presigned?file_name=logs&logs_type=host&host_id=${HOST_ID}`);
    expect(new URL(ofLogs).pathname).toBe(`${API}/v2/clusters/${CLUSTER_ID}/logs`);
    // The refusal shows that the request reached the handler: there are no logs yet.
    expect((await get(ofLogs)).status).toBe(409);
    const { url: ofManifest } = await signed('files-presigned?file_name=manifests&additional_name=openshift/a.yaml');
    expect(ofManifest).toContain('/manifests/files?file_name=a.yaml&folder=openshift&');
    const nameless = await get(`${DOWNLOADS}/files-presigned?file_name=manifests`, await bearer('alice'));
    expect([nameless.status, nameless.text]).toEqual([400, expect.stringContaining('additional_name')]);
  });

  it('expires', async () => {
    const { url } = await signed('credentials-presigned?file_name=kubeconfig');
    nowMs += DOWNLOAD_URL_LIFETIME_MS - 1_000;
    expect((await get(url)).status).toBe(200);
    nowMs += 2_000;
    expect((await get(url)).status).toBe(401);
  });

  it.each([
    ['another cluster', (url: string) => url.replace(CLUSTER_ID, FOREIGN_CLUSTER_ID)],
    ['another file', (url: string) => url.replace('file_name=kubeconfig', 'file_name=kubeadmin-password')],
    ['another route', (url: string) => url.replace('downloads/credentials', 'downloads/files')],
    ['an additional parameter', (url: string) => `${url}&file_name=kubeadmin-password`],
    ['a changed signature', (url: string) => url.replace(/.{6}$/, 'AAAAAA')],
    ['no signature', (url: string) => url.replace(/\.[^.]*$/, '.')],
  ])('is refused with %s', async (_, change) => {
    const { url } = await signed('credentials-presigned?file_name=kubeconfig');
    expect(change(url)).not.toBe(url);
    expect((await get(change(url))).status).toBe(401);
  });

  it('is refused with a parameter after a `#`, which `fetch` does not send', async () => {
    const { url } = await signed('credentials-presigned?file_name=kubeconfig');
    const { hostname, port, pathname, search } = new URL(url);
    const status = await new Promise((resolve, reject) => {
      const path = `${pathname}${search}#&file_name=kubeadmin-password`;
      const request = httpGet({ hostname, port, path }, (answer) => resolve(answer.resume().statusCode));
      request.once('error', reject);
    });
    expect(status).toBe(401);
  });

  it('is not issued for a file that its caller may not download', async () => {
    const path = 'credentials-presigned?file_name=kubeconfig';
    expect((await get(`${DOWNLOADS}/${path}`, await bearer('bob'))).status).toBe(404);
    expect((await get(`${DOWNLOADS}/${path}`, await bearer('auditor'))).status).toBe(403);
    const { url } = await signed(path);
    await gateway.project((position += 1), [
      clusterDocument({ user_name: 'bob', org_id: 'builders', status: 'installed' }),
    ]);
    expect((await get(url)).status).toBe(404);
  });

  it('is refused with a token for another purpose that the same key signed', async () => {
    const { SignJWT } = await import('jose');
    const token = await new SignJWT({ target: `${DOWNLOADS}/credentials?file_name=kubeconfig`, role: 'user' })
      .setSubject('alice')
      .setExpirationTime('5m')
      .setProtectedHeader({ alg: 'HS256' })
      .sign(await downloadTokenKey(gateway.platform.secrets));
    expect((await get(`${DOWNLOADS}/credentials?file_name=kubeconfig&download_token=${token}`)).status).toBe(401);
  });

  it.each([
    ['file_name=logs&logs_type=host', 'host_id'],
    ['file_name=manifests&additional_name=secrets/a.yaml', 'openshift/a.yaml'],
    ['file_name=manifests&additional_name=openshift/b/a.yaml', 'openshift/a.yaml'],
    ['file_name=manifests&additional_name=openshift/', 'openshift/a.yaml'],
  ])('is not issued for a download that is always refused: %s', async (query, named) => {
    const answer = await get(`${DOWNLOADS}/files-presigned?${query}`, await bearer('alice'));
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(named)]);
  });

  it('is not issued before the files exist', async () => {
    await fill('ready');
    const answer = await get(`${DOWNLOADS}/credentials-presigned?file_name=kubeconfig`, await bearer('alice'));
    expect(answer.status).toBe(409);
  });
});

describe('without authentication', () => {
  it('the URL of a download has no token', async () => {
    const open = await startRunningGateway();
    try {
      await open.answers(IgnitionService.method.readArtifact, () => ({ content: Buffer.from('k').toString('base64') }));
      await open.project(1, [clusterDocument({ status: 'installed' })]);
      const { body } = await open.call('GET', `${DOWNLOADS}/credentials-presigned?file_name=kubeconfig`);
      const { url } = body as { url: string };
      expect(url).toBe(`${open.url}${DOWNLOADS}/credentials?file_name=kubeconfig`);
      expect(await (await fetch(url)).text()).toBe('k');
    } finally {
      await open.close();
    }
  });
});

describe('the token of an agent', () => {
  const ask = async (path: string, infraEnvId = INFRA_ENV_ID): Promise<number> => {
    const { SignJWT } = await import('jose');
    const { secrets } = gateway.platform;
    const token = await new SignJWT({
      infra_env_id: infraEnvId,
      generation: await agentTokenGeneration(secrets, infraEnvId),
    })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('1h')
      .sign(await agentTokenKey(secrets));
    return (await get(`${DOWNLOADS}/${path}`, { 'x-secret-key': token })).status;
  };

  it.each(['credentials?file_name=kubeconfig-noingress', 'files?file_name=bootstrap.ign'])(
    'gives access to %s only while a host of the infra-env is installed with the cluster',
    async (path) => {
      await fill('installing');
      expect(await ask(path)).toBe(200);
      await fill('finalizing');
      expect(await ask(path)).toBe(200);
      await fill('installed');
      expect(await ask(path)).toBe(403);
      await fill('adding-hosts');
      expect(await ask(path)).toBe(403);
      await fill('installing', [hostDocument({ cluster_id: undefined })]);
      expect(await ask(path)).toBe(403);
      expect(await ask(path, FOREIGN_ID)).toBe(401);
    },
  );
});

describe.each(['auditor', 'hatter'])('%s, a user with read access to the cluster', (user) => {
  it.each([
    ['downloads/files?file_name=bootstrap.ign', 403],
    ['downloads/files-presigned?file_name=bootstrap.ign', 403],
    ['downloads/files?file_name=install-config.yaml', 403],
    ['downloads/files-presigned?file_name=install-config.yaml', 403],
    ['downloads/credentials?file_name=kubeconfig', 403],
    ['downloads/credentials?file_name=kubeconfig-noingress', 403],
    ['downloads/credentials?file_name=kubeadmin-password', 403],
    ['downloads/credentials-presigned?file_name=kubeconfig', 403],
    ['credentials', 403],
    ['downloads/files?file_name=metadata.json', 200],
    ['downloads/files-presigned?file_name=metadata.json', 200],
  ])('asks for %s: %i, because files with the keys of a cluster permit writing to it', async (path, status) => {
    const sent = gateway.received.length;
    expect((await get(`${API}/v2/clusters/${CLUSTER_ID}/${path}`, await bearer(user))).status).toBe(status);
    if (status === 403) expect(gateway.received.slice(sent)).toEqual([]);
  });
});

describe('credentials that permit writing', () => {
  const infraEnv = `${API}/v2/infra-envs/${INFRA_ENV_ID}`;
  const asked = (): unknown[] =>
    gateway.received
      .filter(({ subject }) => subject.endsWith('render_discovery_ignition'))
      .map(({ body }) => body['withoutSecrets']);

  it('are omitted from the install-config for callers with read access', async () => {
    await gateway.answers(IgnitionService.method.renderInstallConfig, () => ({ content: '' }));
    for (const user of ['auditor', 'hatter', 'alice'])
      expect((await get(`${API}/v2/clusters/${CLUSTER_ID}/install-config`, await bearer(user))).status).toBe(200);
    const sent = gateway.received.filter(({ subject }) => subject.endsWith('render_install_config'));
    expect(sent.map(({ body }) => body['withoutSecrets'])).toEqual([true, true, false]);
  });

  it('are omitted from the config of a host that joins a cluster for callers with read access', async () => {
    const host = `hosts/${HOST_ID}`;
    const sent = gateway.received.length;
    for (const user of ['auditor', 'hatter', 'alice']) {
      const path = `${API}/v2/infra-env/${INFRA_ENV_ID}/${host}/downloads/ignition`;
      expect((await get(path, await bearer(user))).status).toBe(200);
    }
    for (const user of ['hatter', 'alice'])
      expect((await get(`${infraEnv}/${host}/ignition`, await bearer(user))).status).toBe(200);
    const omitted = gateway.received.slice(sent).map(({ body }) => body['withoutSecrets'] ?? false);
    expect(omitted).toEqual([true, true, false, true, false]);
  });

  it('are omitted from discovery.ign and image URLs for callers with read access', async () => {
    await gateway.answers(IgnitionService.method.renderDiscoveryIgnition, () => ({ ignition: '', generatedAt: '' }));
    const imageToken = await signImageToken(gateway.platform.secrets, INFRA_ENV_ID, nowMs + 60_000);
    const file = `${infraEnv}/downloads/files?file_name=discovery.ign`;
    for (const headers of [await bearer('auditor'), await bearer('alice'), { 'image-token': imageToken }])
      expect((await get(file, headers)).status).toBe(200);
    expect(asked()).toEqual([true, false, false]);
    const urlFor = async (user: string): Promise<string> =>
      String(((await get(infraEnv, await bearer(user))).body as { download_url: string }).download_url);
    expect(await urlFor('alice')).toContain('/bytoken/');
    expect(await urlFor('auditor')).not.toContain('/bytoken/');
    const script = `${infraEnv}/downloads/files?file_name=ipxe-script`;
    expect((await get(script, await bearer('alice'))).text).toContain('image_token=');
    expect((await get(script, await bearer('auditor'))).text).not.toContain('image_token=');
  });

  it('are in the RAM disk of the minimal image, so callers with read access cannot download it', async () => {
    await gateway.answers(IgnitionService.method.renderNetworkRamdisk, () => ({ archive: '' }));
    const imageToken = await signImageToken(gateway.platform.secrets, INFRA_ENV_ID, nowMs + 60_000);
    const status = async (headers: Record<string, string>): Promise<number> =>
      (await get(`${infraEnv}/downloads/minimal-initrd`, headers)).status;
    expect(await status(await bearer('auditor'))).toBe(403);
    expect(await status(await bearer('hatter'))).toBe(403);
    expect(await status(await bearer('alice'))).toBe(204);
    expect(await status({ 'image-token': imageToken })).toBe(204);
  });
});
