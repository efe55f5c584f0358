import { EventsService } from '@muster/contracts';
import type { JsonObject } from '@muster/ports';
import { API, type Answer, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { CLUSTER_ID, eventDocument, HOST_ID, hostDocument, INFRA_ENV_ID } from '../sample-documents.fixture.spec';

const EVENTS = `${API}/v2/events`;
const GONE_HOST_ID = '9f6b2c44-0d1e-4c55-8b5a-3a4f7c2d1e05';

describe('events', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startRunningGateway();
    await gateway.project(1, [
      hostDocument(),
      eventDocument(1, { message: 'Cluster one is 100% ready' }),
      eventDocument(2, { severity: 'warning', host_id: HOST_ID, infra_env_id: INFRA_ENV_ID }),
      eventDocument(3, { severity: 'error', host_id: GONE_HOST_ID, infra_env_id: INFRA_ENV_ID }),
      eventDocument(4, { category: 'metrics' }),
      eventDocument(5, { cluster_id: undefined, infra_env_id: INFRA_ENV_ID, message: 'of the pool' }),
    ]);
  });
  afterAll(() => gateway.close());

  const list = (query: string): Promise<Answer> => gateway.call('GET', `${EVENTS}?${query}`);
  const messages = async (query: string): Promise<unknown[]> =>
    ((await list(query)).body as JsonObject[]).map(({ message }) => message);

  it('lists events of category user, oldest first, with the counts in headers', async () => {
    const answer = await list(`cluster_id=${CLUSTER_ID}&limit=2`);
    expect((answer.body as JsonObject[]).map(({ message }) => message)).toEqual([
      'Cluster one is 100% ready',
      'event 2',
    ]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'event-count': '3',
      'severity-count-info': '1',
      'severity-count-warning': '1',
      'severity-count-error': '1',
      'severity-count-critical': '0',
    });
    expect((answer.body as JsonObject[])[0]).not.toHaveProperty('category');
  });

  it('counts all severities, independently of the severity filter', async () => {
    const answer = await list(`cluster_id=${CLUSTER_ID}&severities=error,critical&order=descending`);
    expect((answer.body as JsonObject[]).map(({ message }) => message)).toEqual(['event 3']);
    expect(answer.headers.get('event-count')).toBe('1');
    expect(answer.headers.get('severity-count-info')).toBe('1');
  });

  it.each([
    ['order=descending&limit=1&offset=1', ['event 2']],
    ['limit=0', []],
    ['limit=-5&offset=-1', ['Cluster one is 100% ready', 'event 2', 'event 3']],
    ['message=100%25 READY', ['Cluster one is 100% ready']],
    [`host_ids=${HOST_ID}`, ['event 2']],
    [`host_id=${HOST_ID}&cluster_level=true`, ['Cluster one is 100% ready', 'event 2']],
    ['deleted_hosts=true', ['event 3']],
    ['categories=metrics', ['event 4']],
  ])('answers %s within a cluster', async (query, expected) => {
    expect(await messages(`cluster_id=${CLUSTER_ID}&${query}`)).toEqual(expected);
  });

  it('filters by hosts before the infra-env, and returns all events without either', async () => {
    expect(await messages(`host_ids=${HOST_ID}&infra_env_id=${CLUSTER_ID}`)).toEqual(['event 2']);
    expect(await messages(`infra_env_id=${INFRA_ENV_ID}&message=nothing`)).toEqual([
      'event 2',
      'event 3',
      'of the pool',
    ]);
    expect(await messages('')).toHaveLength(4);
    expect((await list(`infra_env_id=${INFRA_ENV_ID}`)).headers.get('severity-count-error')).toBe('0');
  });

  it('refuses values that are not valid', async () => {
    for (const query of ['order=up', 'severities=info,bad', 'limit=many', 'host_ids=one']) {
      expect(await list(query)).toMatchObject({ status: 400, body: { code: 400 } });
    }
  });

  it('adds an event with 201', async () => {
    await gateway.answers(EventsService.method.recordNote, () => ({ position: 9 }));
    const json = {
      severity: 'info',
      message: 'hello',
      event_time: '2026-01-02T03:04:05Z',
      cluster_id: CLUSTER_ID,
      props: '["a",1]',
    };
    expect((await gateway.call('POST', EVENTS, { json })).status).toBe(201);
    expect(gateway.received[0]?.body).toEqual({
      note: expect.objectContaining({ message: 'hello', category: 'user', clusterId: CLUSTER_ID, props: { a: 1 } }),
    });
    const props = `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
    expect((await gateway.call('POST', EVENTS, { json: { ...json, props } })).status).toBe(201);
    const odd = await gateway.call('POST', EVENTS, { json: { ...json, category: 'secret' } });
    expect(odd).toMatchObject({ status: 400, body: { code: 400 } });
  });

  it('does not count a host as deleted that was unbound, or that belongs to another cluster', async () => {
    const cluster = '3f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f7';
    const unbound = '4f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f8';
    const ofHost = (ordinal: number, host_id: string, infra_env_id = INFRA_ENV_ID) =>
      eventDocument(ordinal, { cluster_id: cluster, host_id, infra_env_id });
    await gateway.project(2, [
      hostDocument({ id: unbound, cluster_id: undefined }),
      ofHost(11, HOST_ID),
      ofHost(12, unbound),
      ofHost(13, GONE_HOST_ID),
      // Another machine with the same id.
      ofHost(14, unbound, CLUSTER_ID),
    ]);
    expect(await messages(`cluster_id=${cluster}&deleted_hosts=true`)).toEqual(['event 13', 'event 14']);
  });

  it('adds the infra-env to an event that names only a host, when no other infra-env has a host with that id', async () => {
    const twice = '6f1e0d3c-4b5a-4978-8695-a4b3c2d1e0fa';
    await gateway.project(3, [hostDocument({ id: twice }), hostDocument({ id: twice, infra_env_id: CLUSTER_ID })]);
    const recorded = async (ids: object): Promise<unknown> => {
      const json = { severity: 'info', message: 'hello', event_time: '2026-01-02T03:04:05Z', ...ids };
      expect((await gateway.call('POST', EVENTS, { json })).status).toBe(201);
      return gateway.received.at(-1)?.body['note'];
    };
    const id = HOST_ID.toUpperCase();
    expect(await recorded({ host_id: id })).toMatchObject({ hostId: HOST_ID, infraEnvId: INFRA_ENV_ID });
    expect(await recorded({ host_id: id, cluster_id: CLUSTER_ID })).toMatchObject({ infraEnvId: INFRA_ENV_ID });
    expect(await recorded({ host_id: twice })).toMatchObject({ infraEnvId: '' });
    expect(await recorded({ host_id: GONE_HOST_ID })).toMatchObject({ infraEnvId: '' });
  });
});
