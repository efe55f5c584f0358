import { gzipSync } from 'node:zlib';
import { JOURNEYS_PROJECTION, VIEWS_PROJECTION } from '@muster/assisted-api';
import { EventsService } from '@muster/contracts';
import { eventually } from '@muster/testing';
import { startTestIssuer } from '../auth/test-issuer.fixture.spec';
import { type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { CLUSTER_ID, clusterDocument, HOST_ID, hostDocument } from '../sample-documents.fixture.spec';
import { after, clusterJourney, MADE_AT, storedCluster, storedHost } from './journey.fixture.spec';

const FUNNEL = '/api/muster/v1/funnel';
const JANUARY = '?from=2026-01-01&to=2026-02-01';
const timelineOf = (id: string): string => `/api/muster/v1/clusters/${id}/timeline`;

describe('the funnel and the timeline', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startRunningGateway();
    const steps = { 'cluster-created': MADE_AT, 'infra-env-created': after(4) };
    const failure = { at: after(90), kind: 'failed', step: 'infra-env-created', stage: 'x', reason: 'y' } as const;
    await gateway.project(1, [
      clusterDocument(),
      hostDocument({ requested_hostname: 'node-1' }),
      storedCluster(clusterJourney({ steps, failures: [failure] })),
      storedCluster(clusterJourney({ id: 'sno', topology: 'single-node', outcome: 'installed' })),
      storedCluster(
        clusterJourney({ id: 'late', day: '2026-02-01', steps: { 'cluster-created': '2026-02-01T00:00:00.000Z' } }),
      ),
      storedHost({ stages: [{ name: 'Installing', at: after(10) }], statuses: [{ name: 'error', at: after(90) }] }),
    ]);
  });
  afterAll(() => gateway.close());

  it('count the clusters that were created in the window', async () => {
    const { status, body } = await gateway.call('GET', FUNNEL + JANUARY);
    expect(status).toBe(200);
    expect(body).toMatchObject({ clusters: 2, open: 1, installed: 1 });
    expect(body).toHaveProperty(['steps', 1], {
      step: 'infra-env-created',
      reached: 1,
      conversion: 0.5,
      median_seconds: 4,
      p90_seconds: 4,
    });
    expect(body).toHaveProperty(['failures', 0, 'count'], 1);
  });

  it.each([
    ['&topology=single-node', 1],
    ['&openshift_version=4.18.52', 2],
    ['&platform=vsphere', 0],
  ])('count only the clusters that match the query: %s', async (filter, clusters) => {
    expect((await gateway.call('GET', FUNNEL + JANUARY + filter)).body).toMatchObject({ clusters });
  });

  it.each([
    '?from=yesterday',
    '?from=2026-13-01',
    '?from=2026-02-30',
    '?to=2026-06-31T12:00:00Z',
    '?from=2026-02-01&to=2026-01-01',
    '?from=2020-01-01',
  ])('refuse a window such as %s', async (query) => {
    expect((await gateway.call('GET', FUNNEL + query)).status).toBe(400);
  });

  it('show the durations of the phases of a cluster and of the stages of its hosts', async () => {
    const { status, body } = await gateway.call('GET', timelineOf(CLUSTER_ID));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      steps: [
        { step: 'cluster-created', at: MADE_AT },
        { step: 'infra-env-created', at: after(4) },
      ],
      statuses: [{ name: 'insufficient', from: MADE_AT, to: null }],
      hosts: [{ id: HOST_ID, name: 'node-1', stages: [{ name: 'Installing', to: after(90), seconds: 80 }] }],
    });
  });

  it('answer 404 for a cluster that does not exist', async () => {
    expect((await gateway.call('GET', timelineOf('5b0f2c5e-8d6d-4b7a-9a52-0f6f3a1c9d99'))).status).toBe(404);
  });

  it('show a cluster at an earlier point in time, and write its hosts one by one to share the main thread', async () => {
    const otherId = 'e1b5a0f4-6f0f-4a4b-9c0a-00000000aaaa';
    const past = {
      cluster: clusterDocument({ status: 'installing' }).document,
      hosts: [hostDocument().document, hostDocument({ id: otherId }).document],
      compacted_until: MADE_AT,
    };
    const documents = gzipSync(JSON.stringify(past)).toString('base64');
    await gateway.answers(EventsService.method.readPast, () => ({ documents }));
    const at = '2026-01-02T04:00:00Z';
    const stringify = jest.spyOn(JSON, 'stringify');
    const { status, body } = await gateway.call('GET', `/api/muster/v1/clusters/${CLUSTER_ID}?at=${at}`);
    const written = stringify.mock.results.map(({ value }) => String(value).split('"kind":"Host"').length - 1);
    stringify.mockRestore();
    expect(status).toBe(200);
    const hosts = [{ id: HOST_ID }, { id: otherId }];
    expect(body).toMatchObject({ id: CLUSTER_ID, status: 'installing', hosts, compacted_until: MADE_AT });
    expect(written.filter((count) => count > 0)).toEqual([1, 1]);
    expect(gateway.received.at(-1)?.body).toEqual({ clusterId: CLUSTER_ID, at });
    expect(JSON.stringify(body)).not.toContain('_position');
  });

  it('show the present state of a cluster without a point in time', async () => {
    const { body } = await gateway.call('GET', `/api/muster/v1/clusters/${CLUSTER_ID}`);
    expect(body).toMatchObject({ id: CLUSTER_ID, status: 'insufficient' });
  });

  it('refuse a point in time that is not valid', async () => {
    expect((await gateway.call('GET', `/api/muster/v1/clusters/${CLUSTER_ID}?at=then`)).status).toBe(400);
  });
});

describe('the funnel and the timeline, while they are rebuilt', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startRunningGateway({}, { storedEvents: 3 });
    await gateway.readModels.commit(JOURNEYS_PROJECTION, 1, []);
    await gateway.readModels.commit(VIEWS_PROJECTION, 2, [put(clusterDocument())]);
    await eventually('the documents are shown', async () => (await gateway.call('GET', CLUSTER)).status === 200);
  });
  afterAll(() => gateway.close());

  const put = <Stored extends object>(stored: Stored) => ({ kind: 'put', ...stored }) as const;
  const CLUSTER = `/api/assisted-install/v2/clusters/${CLUSTER_ID}`;

  it('answer 503 until they are complete, as the readiness report shows', async () => {
    for (const path of [timelineOf(CLUSTER_ID), FUNNEL + JANUARY]) {
      const { status, headers, body } = await gateway.call('GET', path);
      expect([path, status, headers.has('retry-after')]).toEqual([path, 503, true]);
      expect(body).toMatchObject({ detail: expect.stringMatching(/timelines .* rebuilt .* \(at position 1 of 2\)/) });
    }
    const notReady = await gateway.call('GET', '/ready');
    expect(notReady.body).toMatchObject({ not_ready: [{ part: 'timelines', reason: 'at position 1 of 2' }] });
    await gateway.readModels.commit(JOURNEYS_PROJECTION, 2, [put(storedCluster(clusterJourney({})))]);
    expect((await gateway.call('GET', timelineOf(CLUSTER_ID))).status).toBe(200);
    expect((await gateway.call('GET', FUNNEL + JANUARY)).status).toBe(200);
    await eventually('it is ready', async () => (await gateway.call('GET', '/ready')).status === 200);
  });
});

describe('the funnel of all owners', () => {
  it('is available to administrators and read-only administrators only', async () => {
    const issuer = await startTestIssuer();
    const gateway = await startRunningGateway({
      AUTH_TYPE: 'rhsso',
      OIDC_ISSUER_URL: issuer.url,
      ADMIN_USERS: 'root',
      READ_ONLY_ADMIN_USERS: 'auditor',
      IMAGE_SERVICE_BASE_URL: 'http://images.example.com:8888',
    });
    const statusFor = async (username: string): Promise<number> => {
      const headers = { authorization: `Bearer ${await issuer.token({ username, org_id: 'wonderland' })}` };
      return (await gateway.call('GET', FUNNEL, { headers })).status;
    };
    const statuses = [await statusFor('root'), await statusFor('auditor'), await statusFor('alice')];
    await gateway.close();
    await issuer.close();
    expect(statuses).toEqual([200, 200, 403]);
  });
});
