import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { EventsService, IgnitionService, RegistrationService } from '@muster/contracts';
import { agentTokenGeneration, revokeInfraEnvTokens } from '@muster/nest-kit';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import {
  CLUSTER_ID,
  clusterDocument,
  HOST_ID,
  hostDocument,
  INFRA_ENV_ID,
  infraEnvDocument,
} from '../sample-documents.fixture.spec';

const FOREIGN_ID = '2f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f6';
const ROTATED_ID = '6f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f0';
const INSTRUCTIONS = `${API}/v2/infra-envs/${INFRA_ENV_ID}/hosts/${HOST_ID}/instructions`;

const tokenOf = async (claims: Record<string, string>, key: KeyObject): Promise<string> => {
  const { SignJWT } = await import('jose');
  return new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(key);
};

describe('AUTH_TYPE=local', () => {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const foreignKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startRunningGateway({
      AUTH_TYPE: 'local',
      EC_PUBLIC_KEY_PEM: keys.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      EC_PRIVATE_KEY_PEM: keys.privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
      IMAGE_SERVICE_BASE_URL: 'http://images.example.com:8888/',
    });
    const steps = { instructions: [], nextInstructionSeconds: 60, postStepAction: 'continue' };
    await gateway.answers(RegistrationService.method.nextSteps, () => steps);
    const ignition = Buffer.from('{}').toString('base64');
    const generatedAt = '2026-01-02T03:04:05.000Z';
    await gateway.answers(IgnitionService.method.renderDiscoveryIgnition, () => ({ ignition, generatedAt }));
    await gateway.project(1, [
      clusterDocument(),
      infraEnvDocument(),
      infraEnvDocument({ id: FOREIGN_ID, cluster_id: undefined }),
      infraEnvDocument({ id: ROTATED_ID, cluster_id: undefined }),
      hostDocument(),
    ]);
  });
  afterAll(() => gateway.close());

  const ask = async (path: string, claims: Record<string, string>, key = keys.privateKey): Promise<number> =>
    (await gateway.call('GET', path, { headers: { 'x-secret-key': await tokenOf(claims, key) } })).status;

  it('accepts an agent with the token of its infra-env', async () => {
    expect(await ask(INSTRUCTIONS, { infra_env_id: INFRA_ENV_ID })).toBe(200);
    expect(await ask(`${API}/v2/clusters/${CLUSTER_ID}`, { infra_env_id: INFRA_ENV_ID })).toBe(200);
    expect(await ask(`${API}/v2/clusters/${CLUSTER_ID}`, { cluster_id: CLUSTER_ID })).toBe(200);
  });

  it('refuses all other callers', async () => {
    const without = await gateway.call('GET', INSTRUCTIONS);
    expect(without.status).toBe(401);
    expect(without.body).toEqual({ code: 401, message: expect.any(String) });
    expect(await ask(INSTRUCTIONS, { infra_env_id: INFRA_ENV_ID }, foreignKeys.privateKey)).toBe(401);
    expect(await ask(INSTRUCTIONS, { sub: INFRA_ENV_ID })).toBe(401);
    expect(await ask(INSTRUCTIONS, { infra_env_id: HOST_ID })).toBe(401);
    expect(await ask(INSTRUCTIONS, { infra_env_id: FOREIGN_ID })).toBe(404);
    expect(await ask(`${API}/v2/clusters/${CLUSTER_ID}`, { infra_env_id: FOREIGN_ID })).toBe(404);
    expect(await ask(`${API}/v2/clusters`, { infra_env_id: INFRA_ENV_ID })).toBe(401);
  });

  it('accepts the token in the URL where the v2 API allows it', async () => {
    const token = await tokenOf({ infra_env_id: INFRA_ENV_ID }, keys.privateKey);
    const download = `${API}/v2/infra-envs/${INFRA_ENV_ID}/downloads/files?file_name=discovery.ign`;
    const answer = await gateway.call('GET', `${download}&api_key=${token}`);
    expect([answer.status, answer.text]).toEqual([200, '{}']);
    expect(answer.headers.get('last-modified')).toBe('Fri, 02 Jan 2026 03:04:05 GMT');
    expect((await gateway.call('GET', `${INSTRUCTIONS}?api_key=${token}`)).status).toBe(401);
  });

  it('accepts a token neither as that of a user or a monitoring system nor as that of an image', async () => {
    const token = await tokenOf({ infra_env_id: INFRA_ENV_ID }, keys.privateKey);
    const infraEnv = `${API}/v2/infra-envs/${INFRA_ENV_ID}`;
    for (const [path, headers] of [
      [`${API}/v2/clusters/${CLUSTER_ID}`, { authorization: token }],
      [`${API}/v2/clusters/${CLUSTER_ID}`, { authorization: `Bearer ${token}` }],
      [`${API}/v2/clusters/${CLUSTER_ID}`, { 'watcher-authorization': token }],
      [`${infraEnv}/downloads/minimal-initrd`, { 'image-token': token }],
      [`${infraEnv}?image_token=${token}`, {}],
    ] as const)
      expect([path, (await gateway.call('GET', path, { headers })).status]).toEqual([path, 401]);
  });

  it('refuses tokens that were issued before the signing key was rotated', async () => {
    const path = INSTRUCTIONS.replace(INFRA_ENV_ID, ROTATED_ID);
    expect(await ask(path, { infra_env_id: ROTATED_ID })).toBe(200);
    await revokeInfraEnvTokens(gateway.platform.secrets, ROTATED_ID);
    expect(await ask(path, { infra_env_id: ROTATED_ID })).toBe(401);
    const generation = await agentTokenGeneration(gateway.platform.secrets, ROTATED_ID);
    expect(await ask(path, { infra_env_id: ROTATED_ID, generation })).toBe(200);
  });

  it('shows the events of a cluster or infra-env to the bearer of its token when the query names it', async () => {
    const token = await tokenOf({ infra_env_id: INFRA_ENV_ID }, keys.privateKey);
    const status = async (query: string): Promise<number> =>
      (await gateway.call('GET', `${API}/v2/events?${query}api_key=${token}`)).status;
    expect(await status(`infra_env_id=${INFRA_ENV_ID}&`)).toBe(200);
    expect(await status(`host_ids=${HOST_ID}&`)).toBe(200);
    expect(await status('')).toBe(404);
    expect(await status(`infra_env_id=${INFRA_ENV_ID}&host_ids=${FOREIGN_ID}&`)).toBe(404);
    expect(await status(`cluster_id=${CLUSTER_ID}&infra_env_id=${INFRA_ENV_ID}&`)).toBe(404);
  });

  describe('for hosts of another infra-env', () => {
    const NEIGHBOUR_ID = '4f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f8';
    const STRANGER_ID = '5f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f9';
    const put = async (hostId: string, what: string, body: object, infraEnvId = INFRA_ENV_ID): Promise<number> => {
      const headers = { 'x-secret-key': await tokenOf({ infra_env_id: infraEnvId }, keys.privateKey) };
      const path = `${API}/v2/infra-envs/${FOREIGN_ID}/hosts/${hostId}/${what}`;
      return (await gateway.call('PUT', path, { json: body, headers })).status;
    };
    const post = async (body: object): Promise<number> => {
      const headers = { 'x-secret-key': await tokenOf({ infra_env_id: INFRA_ENV_ID }, keys.privateKey) };
      return (await gateway.call('POST', `${API}/v2/events`, { json: body, headers })).status;
    };
    const progress = { current_stage: 'Configuring' };
    const note = {
      name: 'reboots_for_node',
      category: 'user',
      severity: 'info',
      message: 'Rebooted once',
      event_time: '2026-01-02T03:04:05.000Z',
    };
    beforeAll(async () => {
      await gateway.answers(RegistrationService.method.reportHostProgress, () => ({}));
      await gateway.answers(EventsService.method.recordNote, () => ({}));
      await gateway.project(2, [
        hostDocument(),
        hostDocument({ id: NEIGHBOUR_ID, infra_env_id: FOREIGN_ID }),
        hostDocument({ id: STRANGER_ID, infra_env_id: FOREIGN_ID, cluster_id: undefined }),
      ]);
    });

    it('accepts what the bootstrap host and the controller report about the hosts of their cluster', async () => {
      expect(await put(NEIGHBOUR_ID, 'progress', progress)).toBe(200);
      expect(await post({ ...note, cluster_id: CLUSTER_ID, infra_env_id: FOREIGN_ID, host_id: NEIGHBOUR_ID })).toBe(
        201,
      );
    });

    it('refuses hosts that are not in a cluster with its hosts, and every other request', async () => {
      expect(await put(STRANGER_ID, 'progress', progress)).toBe(404);
      expect(await put(HOST_ID, 'progress', progress)).toBe(404);
      expect(await post({ ...note, infra_env_id: FOREIGN_ID, host_id: STRANGER_ID })).toBe(404);
      expect(await post({ ...note, infra_env_id: FOREIGN_ID })).toBe(404);
      expect(await put(NEIGHBOUR_ID, 'logs-progress', { logs_state: 'requested' })).toBe(404);
      const foreign = `${API}/v2/infra-envs/${FOREIGN_ID}/hosts/${NEIGHBOUR_ID}/instructions`;
      expect(await ask(foreign, { infra_env_id: INFRA_ENV_ID })).toBe(404);
    });
  });

  it('signs the image URL for the infra-env', async () => {
    const shown = await gateway.call('GET', `${API}/v2/infra-envs/${INFRA_ENV_ID}`, {
      headers: { 'x-secret-key': await tokenOf({ infra_env_id: INFRA_ENV_ID }, keys.privateKey) },
    });
    const url = String((shown.body as { download_url: string }).download_url);
    const [, token = ''] =
      /^http:\/\/images\.example\.com:8888\/byapikey\/([^/]+)\/4\.18\/x86_64\/full\.iso$/.exec(url) ?? [];
    expect((await gateway.call('GET', INSTRUCTIONS, { headers: { 'x-secret-key': token } })).status).toBe(200);
  });

  it('refuses to start with a key that is not valid, and does not show the key', async () => {
    const start = startRunningGateway({ AUTH_TYPE: 'local', EC_PUBLIC_KEY_PEM: 'canary-4711', EC_PRIVATE_KEY_PEM: '' });
    await expect(start).rejects.toThrow(/EC_PUBLIC_KEY_PEM/);
    await expect(start).rejects.not.toThrow(/canary-4711/);
  });
});

describe('request rates of hosts', () => {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const OTHER_HOST_ID = '7c1e0d3c-4b5a-4978-8695-a4b3c2d1e0f7';
  const PER_SECOND = 3;
  /** Twice the limit of two seconds, because the requests may fall into two windows. */
  const BURST = 4 * PER_SECOND;

  it('are counted per host, although the hosts share an address and a token', async () => {
    const gateway = await startRunningGateway({
      AUTH_TYPE: 'local',
      EC_PUBLIC_KEY_PEM: keys.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      EC_PRIVATE_KEY_PEM: keys.privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
      REQUESTS_PER_SECOND_MAX: String(PER_SECOND),
    });
    try {
      const steps = { instructions: [], nextInstructionSeconds: 60, postStepAction: 'continue' };
      await gateway.answers(RegistrationService.method.nextSteps, () => steps);
      await gateway.project(1, [infraEnvDocument(), hostDocument(), hostDocument({ id: OTHER_HOST_ID })]);
      const headers = { 'x-secret-key': await tokenOf({ infra_env_id: INFRA_ENV_ID }, keys.privateKey) };
      const poll = async (hostId: string): Promise<number> =>
        (await gateway.call('GET', INSTRUCTIONS.replace(HOST_ID, hostId), { headers })).status;
      for (const hostId of [HOST_ID, OTHER_HOST_ID]) expect(await poll(hostId)).toBe(200);
      const flood = await Promise.all(Array.from({ length: BURST }, () => poll(HOST_ID)));
      expect(flood).toContain(429);
      expect(await poll(OTHER_HOST_ID)).toBe(200);
    } finally {
      await gateway.close();
    }
  });

  it('are counted for the token when the host has never polled', async () => {
    const gateway = await startRunningGateway({
      AUTH_TYPE: 'local',
      EC_PUBLIC_KEY_PEM: keys.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      EC_PRIVATE_KEY_PEM: keys.privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
      REQUESTS_PER_SECOND_MAX: String(PER_SECOND),
    });
    try {
      await gateway.refuses(RegistrationService.method.nextSteps, { code: 'not-found', reason: 'There is no host.' });
      await gateway.project(1, [infraEnvDocument()]);
      const headers = { 'x-secret-key': await tokenOf({ infra_env_id: INFRA_ENV_ID }, keys.privateKey) };
      const madeUp = Array.from({ length: BURST }, () => INSTRUCTIONS.replace(HOST_ID, randomUUID()));
      const answers = await Promise.all(madeUp.map((path) => gateway.call('GET', path, { headers })));
      expect(answers.map(({ status }) => status)).toContain(429);
    } finally {
      await gateway.close();
    }
  });
});
