import { RegistrationService } from '@muster/contracts';
import { startTestIssuer } from '../auth/test-issuer.fixture.spec';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { clusterDocument, hostDocument } from '../sample-documents.fixture.spec';

const CLUSTERS = `${API}/v2/clusters`;
const NEW_CLUSTER = { name: 'one', openshift_version: '4.18', pull_secret: '{"auths":{"a":{"auth":"YTpi"}}}' };
const { registerCluster } = RegistrationService.method;

describe('a request with an Idempotency-Key', () => {
  let gateway: RunningGateway;
  beforeEach(async () => {
    gateway = await startRunningGateway();
  });
  afterEach(() => gateway.close());

  it('sends the same command id for a request that is repeated with the same Idempotency-Key', async () => {
    let position = 0;
    await gateway.answers(registerCluster, async ({ clusterId }) => {
      position += 1;
      await gateway.project(position, [clusterDocument({ id: String(clusterId) })]);
      return { stored: { position, revision: 0 } };
    });
    const create = (key?: string) =>
      gateway.call('POST', CLUSTERS, { json: NEW_CLUSTER, headers: key ? { 'idempotency-key': key } : {} });
    const answers = [];
    for (const key of ['first', 'first', 'second', undefined, undefined]) answers.push(await create(key));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    const commands = gateway.received.map(({ headers }) => headers['muster-command-id']);
    const clusters = gateway.received.map(({ body }) => body['clusterId']);
    expect(commands[1]).toBe(commands[0]);
    expect(clusters[1]).toBe(clusters[0]);
    expect(new Set(commands).size).toBe(4);
    expect(new Set(clusters).size).toBe(4);
  });

  it('is sent without the position that only a new command id has', async () => {
    let position = 5;
    await gateway.project(position, []);
    await gateway.answers(registerCluster, async ({ clusterId }) => {
      position += 1;
      await gateway.project(position, [clusterDocument({ id: String(clusterId) })]);
      return { stored: { position, revision: 0 } };
    });
    const json = NEW_CLUSTER;
    for (const _ of [1, 2]) await gateway.call('POST', CLUSTERS, { json });
    await gateway.call('POST', CLUSTERS, { json, headers: { 'idempotency-key': 'a' } });
    const positions = gateway.received.map(({ headers }) => headers['muster-command-id-unused-up-to']);
    expect(positions).toEqual(['5', '6', undefined]);
  });

  it('searches hosts for the response only when the cluster may have existed before', async () => {
    const find = jest.spyOn(gateway.readModels, 'find');
    let position = 0;
    await gateway.answers(registerCluster, async ({ clusterId }) => {
      const id = String(clusterId);
      const hosts = position === 0 ? [] : [hostDocument({ cluster_id: id })];
      position += 1;
      await gateway.project(position, [clusterDocument({ id }), ...hosts]);
      return { stored: { position, revision: 0 } };
    });
    await gateway.call('POST', CLUSTERS, { json: NEW_CLUSTER });
    expect(find).not.toHaveBeenCalled();
    const repeated = await gateway.call('POST', CLUSTERS, { json: NEW_CLUSTER, headers: { 'idempotency-key': 'a' } });
    expect(repeated.body).toMatchObject({ hosts: [{ kind: 'Host' }] });
  });

  it('refuses an Idempotency-Key that is too long with the allowed length', async () => {
    const headers = { 'idempotency-key': 'k'.repeat(256) };
    const answer = await gateway.call('POST', CLUSTERS, { json: NEW_CLUSTER, headers });
    expect(answer).toMatchObject({ status: 400, body: { reason: expect.stringMatching(/1 to 255/) as string } });
    expect(gateway.received).toEqual([]);
  });
});

it('does not return what another user created with the same Idempotency-Key', async () => {
  const issuer = await startTestIssuer();
  const gateway = await startRunningGateway({ AUTH_TYPE: 'oidc', OIDC_ISSUER_URL: issuer.url });
  try {
    let position = 0;
    await gateway.answers(registerCluster, async ({ clusterId }) => {
      position += 1;
      await gateway.project(position, [clusterDocument({ id: String(clusterId) })]);
      return { stored: { position, revision: 0 } };
    });
    const users = [
      { username: 'alice', org_id: 'wonder land' },
      { username: 'land alice', org_id: 'wonder' },
      { username: 'alice', org_id: 'wonder%20land' },
    ];
    for (const user of users) {
      const headers = { authorization: `Bearer ${await issuer.token(user)}`, 'idempotency-key': 'a' };
      expect((await gateway.call('POST', CLUSTERS, { json: NEW_CLUSTER, headers })).status).toBe(201);
    }
    expect(new Set(gateway.received.map(({ body }) => body['clusterId'])).size).toBe(users.length);
  } finally {
    await gateway.close();
    await issuer.close();
  }
});
