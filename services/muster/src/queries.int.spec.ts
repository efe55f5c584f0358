import { embeddedSettings, temporaryDirectory } from '@muster/testing';
import { startEmbedded } from './embedded';

const SILENT = { log: () => undefined, error: () => undefined, warn: () => undefined };
const API = '/api/assisted-install/v2';
const OWN_API = '/api/muster/v1';
const PULL_SECRET = '{"auths":{"a":{"auth":"YTpi"}}}';
const HOST = '6b1f2c3d-0000-4000-8000-000000000001';

/** Read models refuse a query by a field without an index, so each kind of query is executed here against the declared tables. */
describe('the queries of the gateway and the events service', () => {
  const directory = temporaryDirectory();
  let muster: Awaited<ReturnType<typeof startEmbedded>>;
  let url: string;
  let clusterId: string;
  let infraEnvId: string;

  const call = (path: string, body?: object): Promise<Response> =>
    fetch(`${url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const idOf = async (path: string, body: object): Promise<string> => {
    const { id } = (await (await call(path, body)).json()) as { id: string };
    return id;
  };

  beforeAll(async () => {
    muster = await startEmbedded(embeddedSettings(directory.path), SILENT);
    url = muster.services.find(({ name }) => name === 'gateway')?.endpoints[0] ?? '';
    const version = { openshift_version: '4.18', pull_secret: PULL_SECRET };
    clusterId = await idOf(`${API}/clusters`, { ...version, name: 'one', base_dns_domain: 'example.com' });
    infraEnvId = await idOf(`${API}/infra-envs`, { ...version, name: 'one', cluster_id: clusterId });
    await call(`${API}/infra-envs/${infraEnvId}/hosts`, { host_id: HOST, discovery_agent_version: '1' });
  });
  afterAll(async () => {
    await muster.close();
    directory.remove();
  });

  it.each([
    '/clusters?with_hosts=true',
    '/clusters?owner=admin',
    '/clusters/CLUSTER',
    '/clusters/CLUSTER/hosts',
    '/infra-envs',
    '/infra-envs?cluster_id=CLUSTER&owner=admin',
    '/infra-envs/INFRA_ENV/hosts',
    '/infra-envs/INFRA_ENV/downloads/files?file_name=ipxe-script',
    '/events',
    '/events?cluster_id=CLUSTER&severities=info&categories=user',
    '/events?cluster_id=CLUSTER&host_ids=HOST&order=descending',
    '/events?cluster_id=CLUSTER&deleted_hosts=true&message=x',
    '/events?host_id=HOST',
    '/events?infra_env_id=INFRA_ENV',
    `${OWN_API}/clusters/CLUSTER?at=2100-01-01T00:00:00Z`,
    `${OWN_API}/clusters/CLUSTER/timeline`,
    `${OWN_API}/events?after=1`,
    `${OWN_API}/events?cluster_id=CLUSTER&after=1`,
    `${OWN_API}/events?infra_env_id=INFRA_ENV`,
    `${OWN_API}/funnel?openshift_version=4.18&platform=baremetal&topology=compact`,
  ])('%s is covered by the indexes', async (path) => {
    const named = path.replace('CLUSTER', clusterId).replace('INFRA_ENV', infraEnvId).replace('HOST', HOST);
    const answer = await call(named.startsWith('/api/') ? named : `${API}${named}`);
    expect({ status: answer.status, text: answer.status === 200 ? '' : await answer.text() }).toEqual({
      status: 200,
      text: '',
    });
  });
});
