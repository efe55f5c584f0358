import { IgnitionService, RegistrationService } from '@muster/contracts';
import { sealDocument } from '@muster/nest-kit';
import type { JsonObject } from '@muster/ports';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { CLUSTER_ID, clusterDocument, hostDocument } from '../sample-documents.fixture.spec';

const CLUSTERS = `${API}/v2/clusters`;
const CANARY = Buffer.from('user:canary-4711').toString('base64');
const PULL_SECRET = JSON.stringify({ auths: { 'registry.example.com': { auth: CANARY } } });
const NEW_CLUSTER = {
  name: 'one',
  openshift_version: '4.18',
  pull_secret: PULL_SECRET,
  base_dns_domain: 'example.com',
};
const { registerCluster, installCluster, deregisterCluster, reviseCluster } = RegistrationService.method;

describe('clusters over REST', () => {
  let gateway: RunningGateway;
  beforeEach(async () => {
    gateway = await startRunningGateway();
  });
  afterEach(() => gateway.close());

  it('creates a cluster and returns it once the read models contain it', async () => {
    await gateway.answers(registerCluster, ({ clusterId }) => {
      // The projection is behind the reply, so the response has to wait for it.
      setTimeout(() => void gateway.project(7, [clusterDocument({ id: String(clusterId) })]), 60);
      return { stored: { position: 7, revision: 0 } };
    });
    const answer = await gateway.call('POST', `${CLUSTERS}/`, {
      json: NEW_CLUSTER,
      headers: { 'x-request-id': 'from-a-test' },
    });

    expect(answer.status).toBe(201);
    const [asked] = gateway.received;
    expect(answer.body).toMatchObject({
      id: asked?.body['clusterId'],
      kind: 'Cluster',
      hosts: [],
      status: 'insufficient',
    });
    expect(asked?.body).toMatchObject({
      kind: 'Cluster',
      imported: false,
      owner: { userName: 'admin', orgId: '' },
      settings: { name: 'one', openshiftVersion: '4.18.52', cpuArchitecture: 'x86_64', baseDnsDomain: 'example.com' },
    });
    expect(asked?.headers).toMatchObject({ 'muster-actor': 'admin', 'muster-request-id': 'from-a-test' });
    expect(answer.headers.get('x-request-id')).toBe('from-a-test');
    expect(gateway.log.join('\n')).not.toContain(CANARY);
    expect(answer.text).not.toContain(CANARY);
  });

  it('answers 503 with Retry-After when the event store is unavailable', async () => {
    const reason = 'EventStoreDB at a:1 is not available: reset. The outcome of the command is unknown.';
    await gateway.refuses(registerCluster, { code: 'unavailable', reason });
    const answer = await gateway.call('POST', CLUSTERS, { json: NEW_CLUSTER });
    expect(answer).toMatchObject({ status: 503, body: { reason } });
    expect(answer.headers.get('retry-after')).toBe('5');
  });

  it.each([
    ['without a name', { ...NEW_CLUSTER, name: undefined }, 'name in body is required'],
    [
      'with a name of 55 characters',
      { ...NEW_CLUSTER, name: 'a'.repeat(55) },
      'name in body must be shorter than or equal to 54 characters',
    ],
    ['with an unknown field', { ...NEW_CLUSTER, base_dns_doman: 'x' }, 'base_dns_doman in body is not a field'],
    [
      'with a value outside of an enum',
      { ...NEW_CLUSTER, network_type: 'Flannel' },
      'network_type in body must be one of the following values: OpenShiftSDN',
    ],
    [
      'with a CIDR that is not valid',
      { ...NEW_CLUSTER, service_networks: [{ cidr: '10.0.0.0' }] },
      'service_networks[0].cidr in body must be a network such as',
    ],
    [
      'with a string instead of a number',
      { ...NEW_CLUSTER, control_plane_count: '3' },
      'control_plane_count in body must be an integer number',
    ],
    ['as a list', [NEW_CLUSTER], 'body must be a JSON object'],
  ])('refuses a cluster %s with the name of the field and sends no command', async (_, json, message) => {
    const answer = await gateway.call('POST', CLUSTERS, { json });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ code: 400, message: expect.stringContaining(message) });
    expect(gateway.received).toEqual([]);
  });

  it.each([
    ['no JSON', 'canary-4711', 'pull_secret must be a JSON document'],
    ['no registries', '{"canary-4711": 1}', 'pull_secret.auths is required'],
    [
      'a registry without credentials',
      '{"auths":{"r.example.com":{}}}',
      'pull_secret.auths.r.example.com.auth is required',
    ],
    [
      'an auth value that is not user:password',
      '{"auths":{"r.example.com":{"auth":"canary-4711"}}}',
      'must be base64 of user:password',
    ],
  ])('refuses a pull secret that is %s without repeating its value', async (_, pull_secret, reason) => {
    const answer = await gateway.call('POST', CLUSTERS, { json: { ...NEW_CLUSTER, pull_secret } });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      kind: 'Error',
      id: 400,
      href: '',
      code: '400',
      reason: expect.stringContaining(reason),
    });
    expect(answer.text).not.toContain('canary-4711');
  });

  it('refuses a version that is not in the catalogue and lists the supported versions', async () => {
    const answer = await gateway.call('POST', CLUSTERS, { json: { ...NEW_CLUSTER, openshift_version: '4.99' } });
    expect(answer.status).toBe(400);
    expect((answer.body as JsonObject)['reason']).toMatch(/"4\.99" is not in the catalogue.*Allowed: .*4\.18/);
  });

  it('answers a refusal with the status of its code and the five members of the v2 error', async () => {
    await gateway.refuses(installCluster, {
      code: 'not-allowed-in-state',
      reason: 'The cluster is insufficient.',
      allowed: ['ready'],
    });
    const answer = await gateway.call('POST', `${CLUSTERS}/${CLUSTER_ID}/actions/install`);
    expect(answer.status).toBe(409);
    expect(answer.body).toEqual({
      kind: 'Error',
      id: 409,
      href: '',
      code: '409',
      reason: 'The cluster is insufficient. Allowed: ready.',
    });
  });

  it.each(['install', 'cancel', 'reset', 'allow-add-hosts', 'allow-add-workers'])(
    'answers action %s with 202 and the cluster',
    async (action) => {
      const { cancelInstallation, resetCluster, allowAddHosts } = RegistrationService.method;
      for (const method of [installCluster, cancelInstallation, resetCluster, allowAddHosts]) {
        await gateway.answers(method, () => ({ stored: { position: 3, revision: 1 } }));
      }
      await gateway.project(3, [clusterDocument()]);
      const answer = await gateway.call('POST', `${CLUSTERS}/${CLUSTER_ID}/actions/${action}`);
      expect(answer.status).toBe(202);
      expect(answer.body).toMatchObject({ id: CLUSTER_ID });
      expect(gateway.received).toHaveLength(1);
    },
  );

  it('shows a reported finalizing stage to the request that follows the report', async () => {
    const { reachFinalizingStage } = RegistrationService.method;
    const stage = 'Waiting for cluster operators';
    await gateway.project(3, [clusterDocument()]);
    await gateway.answers(reachFinalizingStage, () => {
      const { progress } = clusterDocument().document;
      const later = clusterDocument({ progress: { ...progress, finalizing_stage: stage } });
      setTimeout(() => void gateway.project(5, [later]), 1_000);
      return { stored: { position: 5, revision: 2 } };
    });
    const path = `${CLUSTERS}/${CLUSTER_ID}`;
    expect((await gateway.call('GET', path)).body).not.toMatchObject({ progress: { finalizing_stage: stage } });
    expect((await gateway.call('PUT', `${path}/progress`, { json: { finalizing_stage: stage } })).status).toBe(200);
    expect((await gateway.call('GET', path)).body).toMatchObject({ progress: { finalizing_stage: stage } });
  });

  it('sends only the fields of an update request', async () => {
    await gateway.answers(reviseCluster, () => ({ stored: { position: 3, revision: 1 } }));
    await gateway.project(3, [clusterDocument()]);
    const answer = await gateway.call('PATCH', `${CLUSTERS}/${CLUSTER_ID}`, {
      json: {
        api_vips: [{ ip: '192.0.2.1' }],
        machine_networks: [],
        tags: null,
        cluster_network_host_prefix: 24,
        service_network_cidr: null,
      },
    });
    expect(answer.status).toBe(201);
    expect(gateway.received[0]?.body).toEqual({
      clusterId: CLUSTER_ID,
      changes: { apiVips: { items: ['192.0.2.1'] }, machineNetworks: { items: [] } },
      firstNetworks: { clusterNetworkHostPrefix: 24 },
    });
  });

  it('does not change the pull secret when the given one is empty', async () => {
    await gateway.answers(reviseCluster, () => ({ stored: { position: 3, revision: 1 } }));
    await gateway.project(3, [clusterDocument()]);
    const revise = (pull_secret: string) =>
      gateway.call('PATCH', `${CLUSTERS}/${CLUSTER_ID}`, { json: { name: 'two', pull_secret } });
    expect((await revise('')).status).toBe(201);
    expect(gateway.received[0]?.body).toEqual({ clusterId: CLUSTER_ID, changes: { name: 'two' } });
    expect((await revise(' ')).status).toBe(400);
  });

  it('deletes with 204 and answers 404 afterwards', async () => {
    await gateway.answers(deregisterCluster, () => ({ stored: { position: 2, revision: 1 } }));
    await gateway.project(2, []);
    expect((await gateway.call('DELETE', `${CLUSTERS}/${CLUSTER_ID}`)).status).toBe(204);
    const gone = await gateway.call('GET', `${CLUSTERS}/${CLUSTER_ID}`);
    expect(gone.status).toBe(404);
    expect(gone.body).toMatchObject({ kind: 'Error', code: '404' });
  });

  it('shows hosts with their inventory in a cluster, and omits hosts when the query excludes them', async () => {
    const inventory = JSON.stringify({ hostname: 'a' });
    const connectivity = JSON.stringify({ remote_hosts: [] });
    const freeAddresses = JSON.stringify([{ network: '192.0.2.0/24', free_addresses: [] }]);
    const [digest, connectivityDigest, freeAddressesDigest] = await Promise.all(
      [inventory, connectivity, freeAddresses].map(async (text) => {
        return (await gateway.platform.objectStore.put(Buffer.from(text), 1_000)).digest;
      }),
    );
    await gateway.project(2, [
      clusterDocument(),
      hostDocument({
        _inventory_digest: digest,
        _connectivity_digest: connectivityDigest,
        _free_addresses_digest: freeAddressesDigest,
      }),
    ]);

    const shown = (await gateway.call('GET', `${CLUSTERS}/${CLUSTER_ID}`)).body as { hosts: JsonObject[] };
    expect(shown.hosts).toEqual([
      expect.objectContaining({ inventory, connectivity, free_addresses: freeAddresses, cluster_id: CLUSTER_ID }),
    ]);
    const without = await gateway.call('GET', `${CLUSTERS}/${CLUSTER_ID}?exclude-hosts=true`);
    expect(without.body).toMatchObject({ hosts: [] });
    const listed = await gateway.call('GET', `${CLUSTERS}?with_hosts=false`);
    expect(listed.body).toEqual([expect.objectContaining({ id: CLUSTER_ID, hosts: [] })]);
    const byRole = await gateway.call('GET', `${CLUSTERS}/${CLUSTER_ID}/hosts?role=worker`);
    expect(byRole.body).toEqual([]);
    const [host] = (await gateway.call('GET', `${CLUSTERS}/${CLUSTER_ID}/hosts?status=discovering`))
      .body as JsonObject[];
    expect(host).toBeDefined();
    expect(host).not.toHaveProperty('inventory');
  });

  it('accepts a certificate and console settings as one JSON string', async () => {
    await gateway.answers(IgnitionService.method.acceptIngressCa, () => ({ stored: { position: 2, revision: 1 } }));
    await gateway.answers(reviseCluster, () => ({ stored: { position: 2, revision: 1 } }));
    const { digest } = await sealDocument(gateway.platform.secrets, CLUSTER_ID, 'AI_UI:{}');
    await gateway.project(2, [clusterDocument({ _ui_settings_digest: digest })]);

    const certificate = await gateway.call('POST', `${CLUSTERS}/${CLUSTER_ID}/uploads/ingress-cert`, { json: 'PEM' });
    expect(certificate.status).toBe(201);
    expect(gateway.received[0]?.body).toEqual({
      clusterId: CLUSTER_ID,
      caBundlePem: Buffer.from('PEM').toString('base64'),
    });
    const kept = await gateway.call('PUT', `${CLUSTERS}/${CLUSTER_ID}/ui-settings`, { json: 'AI_UI:{"a":1}' });
    expect([kept.status, kept.body]).toEqual([200, 'AI_UI:{"a":1}']);
    expect(gateway.received[1]?.body).toEqual({ clusterId: CLUSTER_ID, changes: {}, uiSettings: 'AI_UI:{"a":1}' });
    expect((await gateway.call('GET', `${CLUSTERS}/${CLUSTER_ID}/ui-settings`)).body).toBe('AI_UI:{}');
    const object = await gateway.call('PUT', `${CLUSTERS}/${CLUSTER_ID}/ui-settings`, { json: {} });
    expect(object.body).toEqual({ code: 400, message: 'body must be a JSON string' });
  });

  it.each(['insufficient', 'ready', 'preparing-for-installation'])(
    'refuses to download installation files while the cluster is %s',
    async (status) => {
      await gateway.project(2, [clusterDocument({ status })]);
      for (const file of ['downloads/files?file_name=master.ign', 'downloads/credentials?file_name=kubeadmin-password'])
        expect(await gateway.call('GET', `${CLUSTERS}/${CLUSTER_ID}/${file}`)).toMatchObject({
          status: 409,
          body: { code: '409', reason: expect.stringContaining(status) },
        });
      expect(gateway.received).toEqual([]);
    },
  );

  it('imports a cluster that was installed without this service', async () => {
    await gateway.answers(registerCluster, async ({ clusterId }) => {
      await gateway.project(7, [clusterDocument({ id: String(clusterId), kind: 'DisconnectedCluster' })]);
      return { stored: { position: 7, revision: 0 } };
    });
    const json = { name: 'far', openshift_version: '4.18' };
    const answer = await gateway.call('POST', `${CLUSTERS}/disconnected`, { json });
    expect(answer).toMatchObject({ status: 201, body: { kind: 'DisconnectedCluster' } });
    expect(gateway.received[0]?.body).toMatchObject({
      kind: 'DisconnectedCluster',
      settings: { name: 'far', openshiftVersion: '4.18.52' },
    });
    const nameless = await gateway.call('POST', `${CLUSTERS}/disconnected`, { json: { openshift_version: '4.18' } });
    expect(nameless.body).toEqual({ code: 400, message: 'name in body is required' });
  });
});
