import { COLLECTIONS, type MetricDocument } from '@muster/assisted-api';
import { parkedStreamsOf } from '@muster/event-sourcing';
import { Unavailable } from '@muster/ports';
import { eventually } from '@muster/testing';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { CLUSTER_ID } from '../sample-documents.fixture.spec';

const SAMPLE = /^([a-z_]+)(\{(?:[a-zA-Z]+="(?:[^"\\\n]|\\["\\n])*",?)*\})? (?:[-+.e\d]+)$/;

describe('metrics over REST', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startRunningGateway({ AUTH_TYPE: 'none' });
  });
  afterAll(() => gateway.close());

  const lines = async (): Promise<readonly string[]> => {
    const answer = await gateway.call('GET', '/metrics');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    return answer.text.split('\n');
  };

  it('are those of the projection, and include counters that are 0', async () => {
    expect(await lines()).toContain('service_assisted_installer_cluster_creations 0');
    const buckets = [0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2];
    const document = (key: string, series: MetricDocument['series']) => ({
      collection: COLLECTIONS.metrics,
      key,
      document: { _position: 3, series } satisfies MetricDocument,
    });
    await gateway.project(3, [
      document('cluster_creations', { '': 7 }),
      document('cluster_hosts', { 'role="master",result="Done"': 3 }),
      document('cluster_installation_seconds', { 'result="installed"': { buckets, sum: 2_300.5, count: 2 } }),
    ]);
    const text = await lines();
    const name = 'service_assisted_installer_cluster_installation_seconds';
    for (const line of [
      '# TYPE service_assisted_installer_cluster_creations counter',
      'service_assisted_installer_cluster_creations 7',
      'service_assisted_installer_cluster_hosts{role="master",result="Done"} 3',
      `# TYPE ${name} histogram`,
      `${name}_bucket{result="installed",le="300"} 0`,
      `${name}_bucket{result="installed",le="600"} 1`,
      `${name}_bucket{result="installed",le="+Inf"} 2`,
      `${name}_sum{result="installed"} 2300.5`,
      `${name}_count{result="installed"} 2`,
    ])
      expect(text).toContain(line);
  });

  it('count the streams whose documents are not updated, by projection', async () => {
    expect(await lines()).toContain('muster_parked_streams{projection="views"} 0');
    const parked = { streamId: 'host-1', revision: 4, reason: 'HostBound host-1@4: no row for it' };
    await gateway.project(4, [{ collection: parkedStreamsOf('views'), key: parked.streamId, document: parked }]);
    expect(await lines()).toEqual(
      expect.arrayContaining([
        '# TYPE muster_parked_streams gauge',
        'muster_parked_streams{projection="views"} 1',
        'muster_parked_streams{projection="journeys"} 0',
      ]),
    );
  });

  it('count requests by route, never by URL', async () => {
    await gateway.call('GET', `${API}/v2/clusters/${CLUSTER_ID}?api_key=canary`);
    await gateway.call('GET', '/nowhere/canary');
    const handler = 'handler="/api/assisted-install/v2/clusters/{cluster_id}",method="GET"';
    const count = `http_request_duration_seconds_count{service="assisted-installer",${handler},code="404"} 1`;
    await eventually('both requests are counted', async () => {
      const text = await lines();
      return text.includes(count) && text.some((line) => line.includes('handler="",method="",code="404"'));
    });
    const text = await lines();
    expect(text).toContain(`http_requests_inflight{service="assisted-installer",${handler}} 0`);
    expect(text.join('\n')).not.toMatch(/canary|nowhere/);
  });

  it('are those of requests alone while the read models cannot be read', async () => {
    await gateway.call('GET', '/nowhere');
    const away = (): Promise<never> => Promise.reject(new Unavailable('MongoDB at 10.0.0.6:27017', 'no answer'));
    const { get, count } = gateway.readModels;
    Object.assign(gateway.readModels, { get: away, count: away });
    const text = (await lines()).join('\n');
    Object.assign(gateway.readModels, { get, count });
    expect(text).toMatch(/^http_request_duration_seconds_count\{.*code="404"\} \d+$/m);
    expect(text).not.toMatch(/^(service_assisted_installer|muster_parked_streams)/m);
    expect((await lines()).join('\n')).toMatch(/^muster_parked_streams\{projection="views"\} 1$/m);
  });

  it('conform to the Prometheus text format', async () => {
    const wrong = (await lines()).filter(
      (line) =>
        line !== '' &&
        !/^# (?:HELP [a-z_]+ .+|TYPE [a-z_]+ (?:counter|gauge|histogram))$/.test(line) &&
        !SAMPLE.test(line),
    );
    expect(wrong).toEqual([]);
  });
});
