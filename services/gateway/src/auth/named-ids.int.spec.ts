import { connect } from 'node:net';
import { EventsService, InventoryService, ValidationService } from '@muster/contracts';
import { agentTokenKey } from '@muster/nest-kit';
import { eventually } from '@muster/testing';
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

const BOBS_INFRA_ENV = '2f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f6';
const BOBS_CLUSTER = '3f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f7';
const BOBS_HOST = '4f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f8';
describe('ids in a query or a body', () => {
  let issuer: TestIssuer;
  let gateway: RunningGateway;
  beforeAll(async () => {
    issuer = await startTestIssuer();
    gateway = await startRunningGateway({
      AUTH_TYPE: 'oidc',
      OIDC_ISSUER_URL: issuer.url,
      EVENTS_PER_MINUTE_MAX: '2',
    });
    const bob = { user_name: 'bob', org_id: 'builders' };
    await gateway.project(1, [
      clusterDocument({ user_name: 'alice', org_id: 'wonderland' }),
      infraEnvDocument({ user_name: 'alice', org_id: 'wonderland' }),
      hostDocument(),
      clusterDocument({ id: BOBS_CLUSTER, ...bob }),
      infraEnvDocument({ id: BOBS_INFRA_ENV, cluster_id: BOBS_CLUSTER, ...bob }),
      hostDocument({ id: BOBS_HOST, infra_env_id: BOBS_INFRA_ENV, cluster_id: BOBS_CLUSTER }),
    ]);
  });
  afterAll(async () => {
    await gateway.close();
    await issuer.close();
  });

  const agentHeaders = async (scope: object = { infra_env_id: BOBS_INFRA_ENV }): Promise<Record<string, string>> => {
    const { SignJWT } = await import('jose');
    const claims = new SignJWT({ ...scope }).setProtectedHeader({ alg: 'HS256' });
    const token = await claims.setExpirationTime('1h').sign(await agentTokenKey(gateway.platform.secrets));
    return { 'x-secret-key': token };
  };
  const userHeaders = async (): Promise<Record<string, string>> => ({
    authorization: `Bearer ${await issuer.token({ username: 'bob', org_id: 'builders' })}`,
  });

  it("are refused beside an id of the token's own infra-env", async () => {
    const event = { severity: 'info', message: 'text', event_time: '2026-01-02T03:04:05Z' };
    const headers = await agentHeaders();
    for (const foreign of [{ cluster_id: CLUSTER_ID }, { host_id: HOST_ID, infra_env_id: INFRA_ENV_ID }]) {
      const json = { ...event, infra_env_id: BOBS_INFRA_ENV, ...foreign };
      expect(await gateway.call('POST', `${API}/v2/events`, { json, headers })).toMatchObject({ status: 404 });
    }
    expect(gateway.received).toEqual([]);
  });

  it('return the events of a machine that moved between tenants to each tenant for its own infra-env only', async () => {
    const moved = 'e1b5a0f4-6f0f-4a4b-9c0a-00000000aaaa';
    const ofHost = (ordinal: number, infra_env_id: string) =>
      eventDocument(ordinal, { cluster_id: undefined, host_id: moved, infra_env_id });
    await gateway.project(2, [
      hostDocument({ id: moved }),
      hostDocument({ id: moved, infra_env_id: BOBS_INFRA_ENV, cluster_id: BOBS_CLUSTER }),
      ofHost(1, INFRA_ENV_ID),
      ofHost(2, BOBS_INFRA_ENV),
    ]);
    const messages = async (headers: Record<string, string>): Promise<unknown> => {
      const answer = await gateway.call('GET', `${API}/v2/events?host_ids=${moved}`, { headers });
      return (answer.body as { message: string }[]).map(({ message }) => message);
    };
    const alice = await issuer.token({ username: 'alice', org_id: 'wonderland' });
    expect(await messages({ authorization: `Bearer ${alice}` })).toEqual(['event 1']);
    expect(await messages(await userHeaders())).toEqual(['event 2']);
  });

  it('of hosts that were removed or belong to another tenant match no event in the list of a user', async () => {
    const removed = 'e1b5a0f4-6f0f-4a4b-9c0a-00000000bbbb';
    const ofHost = (ordinal: number, host_id: string, infra_env_id: string) =>
      eventDocument(ordinal, { cluster_id: undefined, host_id, infra_env_id });
    await gateway.project(3, [
      ofHost(11, removed, BOBS_INFRA_ENV),
      ofHost(12, HOST_ID, INFRA_ENV_ID),
      ofHost(13, BOBS_HOST, BOBS_INFRA_ENV),
    ]);
    const list = async (query: string): Promise<unknown> => {
      const answer = await gateway.call('GET', `${API}/v2/events?${query}`, { headers: await userHeaders() });
      const messages = (answer.body as { message: string }[]).map(({ message }) => message);
      return [answer.status, answer.headers.get('event-count'), messages];
    };
    for (const query of [`host_id=${removed}`, `host_ids=${HOST_ID}`, `host_ids=${removed},${HOST_ID}`])
      expect([query, await list(query)]).toEqual([query, [200, '0', []]]);
    expect(await list(`host_ids=${removed},${BOBS_HOST},${HOST_ID}`)).toEqual([200, '1', ['event 13']]);
  });

  it('are looked up once, however often the query names them', async () => {
    const find = jest.spyOn(gateway.platform.readModels, 'find');
    const get = jest.spyOn(gateway.platform.readModels, 'get');
    const lookups = async (ids: readonly string[]): Promise<number> => {
      find.mockClear();
      get.mockClear();
      const url = `${API}/v2/events?host_ids=${ids.join(',')}&host_id=${BOBS_HOST}`;
      expect((await gateway.call('GET', url, { headers: await userHeaders() })).status).toBe(200);
      return find.mock.calls.length + get.mock.calls.length;
    };
    const ofOne = await lookups([BOBS_HOST]);
    expect(await lookups(Array<string>(50).fill(BOBS_HOST.toUpperCase()))).toBe(ofOne);
    find.mockRestore();
    get.mockRestore();
  });

  it.each([
    ['POST', '/v2/events'],
    ['POST', `/v2/clusters/${BOBS_CLUSTER}/logs?logs_type=host&host_id=`],
  ])(
    'of hosts are answered to a token alike when they do not exist and when another tenant has them: %s %s',
    async (method, path) => {
      const answerTo = async (id: string): Promise<string> => {
        const event = { severity: 'info', message: 'text', event_time: '2026-01-02T03:04:05Z', host_id: id };
        const isEvent = path === '/v2/events';
        const { status, text } = await gateway.call(method, `${API}${path}${isEvent ? '' : id}`, {
          json: isEvent ? event : undefined,
          headers: await agentHeaders(),
        });
        return `${status} ${text}`;
      };
      const foreign = await answerTo(HOST_ID);
      expect(foreign).toContain('404');
      expect(await answerTo('e1b5a0f4-6f0f-4a4b-9c0a-00000000cccc')).toBe(foreign);
      expect(gateway.received).toEqual([]);
    },
  );

  it("of hosts that are not bound are refused to a cluster's token, unless their infra-env is one of the cluster", async () => {
    const [alices, bobs] = ['e1b5a0f4-6f0f-4a4b-9c0a-00000000e001', 'e1b5a0f4-6f0f-4a4b-9c0a-00000000e002'];
    await gateway.project(4, [
      hostDocument({ id: alices, cluster_id: undefined }),
      hostDocument({ id: bobs, cluster_id: undefined, infra_env_id: BOBS_INFRA_ENV }),
    ]);
    const reached: unknown[] = [];
    await gateway.answers(EventsService.method.recordNote, () => ({}));
    for (const host_id of [alices, bobs]) {
      const json = { severity: 'info', message: 'text', event_time: '2026-01-02T03:04:05Z', host_id };
      const headers = await agentHeaders({ cluster_id: BOBS_CLUSTER });
      reached.push((await gateway.call('POST', `${API}/v2/events`, { json, headers })).status);
    }
    expect(reached).toEqual([404, 201]);
    gateway.received.length = 0;
  });

  it('of hosts in a dry run name no registered host, also not those in their reports', async () => {
    await gateway.answers(InventoryService.method.readReport, () => ({}));
    await gateway.answers(ValidationService.method.dryRun, () => ({}));
    const [first, second] = ['e1b5a0f4-6f0f-4a4b-9c0a-00000000d001', 'e1b5a0f4-6f0f-4a4b-9c0a-00000000d002'];
    const reports = [{ step_type: 'connectivity-check', output: { remote_hosts: [{ host_id: second }] } }];
    const json = { cluster: { openshift_version: '4.18' }, hosts: [{ host_id: first, reports }, { host_id: HOST_ID }] };
    const answer = await gateway.call('POST', '/api/muster/v1/preflight', { json, headers: await userHeaders() });
    expect(answer.status).toBe(200);
    const { hosts } = gateway.received.at(-1)?.body as { hosts: { hostId: string }[] };
    expect(hosts.map(({ hostId }) => hostId)).toEqual([first, HOST_ID]);
    const foreign = { ...json, cluster: { ...json.cluster, api_vips: [{ cluster_id: CLUSTER_ID }] } };
    const refused = await gateway.call('POST', '/api/muster/v1/preflight', {
      json: foreign,
      headers: await userHeaders(),
    });
    expect(refused.status).toBe(404);
    gateway.received.length = 0;
  });

  it('are refused with 429 when one token adds more events than the limit', async () => {
    await gateway.answers(EventsService.method.recordNote, () => ({}));
    const json = {
      severity: 'info',
      message: 'text',
      event_time: '2026-01-02T03:04:05Z',
      infra_env_id: BOBS_INFRA_ENV,
    };
    const headers = await agentHeaders();
    const add = async (): Promise<number> => (await gateway.call('POST', `${API}/v2/events`, { json, headers })).status;
    expect([await add(), await add(), await add()]).toEqual([201, 201, 429]);
    gateway.received.length = 0;
  });

  it('are checked after authentication: the gateway does not read a body without credentials', async () => {
    const { hostname, port } = new URL(gateway.url);
    let answer = '';
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `POST ${API}/v2/clusters HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 4000000\r\n\r\n{"name":`,
      ),
    );
    socket.on('data', (chunk) => (answer += chunk.toString()));
    // The rest of the body is never sent. A response shows that the gateway does not wait for it.
    await eventually('an answer', () => answer !== '');
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });
});
