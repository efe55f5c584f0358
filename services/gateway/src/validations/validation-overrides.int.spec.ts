import { RegistrationService, streamIdOf } from '@muster/contracts';
import { type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { CLUSTER_ID, clusterDocument } from '../sample-documents.fixture.spec';

const PATH = `/api/muster/v1/clusters/${CLUSTER_ID}/validation-overrides`;
const CONTRACT_PATH = `/api/assisted-install/v2/clusters/${CLUSTER_ID}/ignored-validations`;
const RECORD = {
  at: '2026-01-02T03:04:05.000Z',
  actor: 'alice',
  reason: 'a lab',
  host_validation_ids: ['ntp-synced'],
  cluster_validation_ids: [],
};

describe('validation overrides', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startRunningGateway();
    await gateway.project(1, [clusterDocument()]);
    await gateway.answers(RegistrationService.method.reviseCluster, () => ({
      stored: { streamId: streamIdOf('cluster', CLUSTER_ID), revision: 1, position: 1 },
    }));
  });
  afterAll(() => gateway.close());

  it('are empty at first', async () => {
    expect((await gateway.call('GET', PATH)).body).toEqual({
      host_validation_ids: [],
      cluster_validation_ids: [],
      unsupported_by_override: false,
      history: [],
    });
  });

  it('require a reason and record the caller', async () => {
    const json = { host_validation_ids: ['ntp-synced', 'ntp-synced'], reason: ' a lab ' };
    expect((await gateway.call('PUT', PATH, { json })).status).toBe(200);
    expect(gateway.received.at(-1)?.body).toMatchObject({
      clusterId: CLUSTER_ID,
      changes: {
        ignoredHostValidations: { items: ['ntp-synced'] },
        ignoredClusterValidations: { items: [] },
        ignoredValidationsReason: 'a lab',
      },
    });
    expect(JSON.stringify(gateway.received.at(-1)?.headers)).toContain('admin');
  });

  it.each([[{}], [{ reason: '' }], [{ reason: '  ' }], [{ reason: 'x', host_validation_ids: 'all' }]])(
    'are refused for %j',
    async (json) => {
      const before = gateway.received.length;
      expect((await gateway.call('PUT', PATH, { json })).status).toBe(400);
      expect(gateway.received).toHaveLength(before);
    },
  );

  it('of the v2 API, which has no reason, record the operation as their reason', async () => {
    const json = { 'host-validation-ids': '["ntp-synced"]' };
    expect((await gateway.call('PUT', CONTRACT_PATH, { json })).status).toBe(201);
    expect(gateway.received.at(-1)?.body).toMatchObject({
      changes: { ignoredValidationsReason: expect.stringMatching(/ignored-validations/) as string },
    });
  });

  it('contain user, time and reason, which a repeated request does not change', async () => {
    const ignored = { ignored_host_validations: '["ntp-synced"]', _overrides: [RECORD] };
    await gateway.project(2, [clusterDocument(ignored)]);
    expect((await gateway.call('GET', PATH)).body).toEqual({
      host_validation_ids: ['ntp-synced'],
      cluster_validation_ids: [],
      unsupported_by_override: true,
      history: [RECORD],
    });
    const again = { 'host-validation-ids': '["ntp-synced"]' };
    expect((await gateway.call('PUT', CONTRACT_PATH, { json: again })).status).toBe(201);
    expect(gateway.received.at(-1)?.body['changes']).not.toHaveProperty('ignoredValidationsReason');
    const { text } = await gateway.call('GET', `/api/assisted-install/v2/clusters/${CLUSTER_ID}`);
    expect(text).not.toContain('_overrides');
  });
});
