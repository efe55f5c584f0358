import { EventEmitter } from 'node:events';
import { Registry } from 'prom-client';
import { createStoredMetric, RequestMetrics } from './metrics';

const linesOf = async (registry: Registry): Promise<readonly string[]> => (await registry.metrics()).split('\n');

describe('HttpMetrics', () => {
  const metrics = new RequestMetrics({
    prefix: 'a_',
    service: 's',
    durationBuckets: [0.1, 1, 50],
    sizeBuckets: [100, 1e6],
    inFlightLabels: ['handler'],
    kindOf: () => undefined,
  });

  it('counts durations and sizes cumulatively, and requests in progress', async () => {
    const kind = { handler: '/byid/:token', method: 'GET' };
    const counts = metrics.countsOf(kind);
    counts.started();
    counts.started();
    counts.ended({ code: 206, seconds: 0.5, bytes: 2e6 });
    counts.started();
    counts.ended({ code: 206, seconds: 20, bytes: 50 });
    const other = metrics.countsOf({ ...kind, method: 'HEAD' });
    other.started();
    other.ended({ code: 200, seconds: 60, bytes: 0 });
    other.started();
    const labels = 'service="s",handler="/byid/:token",method="GET",code="206"';
    const lines = await linesOf(metrics.registry);
    for (const line of [
      `a_http_request_duration_seconds_bucket{${labels},le="0.1"} 0`,
      `a_http_request_duration_seconds_bucket{${labels},le="1"} 1`,
      `a_http_request_duration_seconds_bucket{${labels},le="50"} 2`,
      `a_http_request_duration_seconds_bucket{${labels},le="+Inf"} 2`,
      `a_http_request_duration_seconds_sum{${labels}} 20.5`,
      `a_http_response_size_bytes_bucket{${labels},le="100"} 1`,
      `a_http_response_size_bytes_count{${labels}} 2`,
      'a_http_requests_inflight{service="s",handler="/byid/:token"} 2',
      'a_http_request_duration_seconds_bucket{service="s",handler="/byid/:token",method="HEAD",code="200",le="50"} 0',
      'a_http_request_duration_seconds_bucket{service="s",handler="/byid/:token",method="HEAD",code="200",le="+Inf"} 1',
    ])
      expect(lines).toContain(line);
  });
});

describe('a request', () => {
  const metrics = new RequestMetrics({
    prefix: '',
    service: 's',
    durationBuckets: [1],
    sizeBuckets: [100],
    inFlightLabels: ['handler'],
    kindOf: (handler = '', method) => ({ handler, method }),
  });
  type Hook = (request: object, reply: object, done: () => void) => void;

  const count = (url: string, response: { readonly headersSent: boolean; readonly closed: boolean }): EventEmitter => {
    const hooks: Hook[] = [];
    metrics.countRequests({ addHook: (_: string, hook: Hook) => hooks.push(hook) } as unknown as Parameters<
      typeof metrics.countRequests
    >[0]);
    const raw = Object.assign(new EventEmitter(), { statusCode: 200, ...response });
    const request = { routeOptions: { url }, method: 'GET', raw: { socket: { bytesWritten: 0 } } };
    hooks.forEach((hook) => hook(request, { raw }, () => undefined));
    return raw;
  };
  const linesAbout = async (url: string): Promise<readonly string[]> =>
    (await linesOf(metrics.registry)).filter((line) => /_count\{|_inflight\{/.test(line) && line.includes(`"${url}"`));
  const counted = (url: string, code: number): readonly string[] => [
    `http_request_duration_seconds_count{service="s",handler="${url}",method="GET",code="${code}"} 1`,
    `http_response_size_bytes_count{service="s",handler="${url}",method="GET",code="${code}"} 1`,
    `http_requests_inflight{service="s",handler="${url}"} 0`,
  ];

  it.each([
    ['/answered', true, 200],
    ['/aborted', false, 499],
  ])('to %s is counted with its response begun: %p, as %d', async (url, headersSent, code) => {
    count(url, { headersSent, closed: false }).emit('close');
    expect(await linesAbout(url)).toEqual(counted(url, code));
  });

  it('whose client disconnected before it started is counted, and is not in progress', async () => {
    count('/early', { headersSent: false, closed: true });
    expect(await linesAbout('/early')).toEqual(counted('/early', 499));
  });
});

describe('stored metric', () => {
  it('is rendered with the current values of its series', async () => {
    const registry = new Registry();
    const counts = new Map<string, number>([['role="master",result="a\\"b\\n"', 3]]);
    createStoredMetric(registry, {
      name: 'hosts',
      help: 'Hosts.',
      type: 'counter',
      labelNames: ['role', 'result'],
      series: () => Promise.resolve(counts),
    });
    createStoredMetric(registry, {
      name: 'seconds',
      help: 'Seconds.',
      type: 'histogram',
      labelNames: ['result'],
      buckets: [1, 2],
      series: () => Promise.resolve([['result="ok"', { buckets: [0, 1], sum: 2.5, count: 2 }] as const]),
    });
    expect(await linesOf(registry)).toContain('hosts{role="master",result="a\\"b\\n"} 3');
    counts.set('role="worker",result="c"', 1);
    const lines = await linesOf(registry);
    for (const line of [
      '# TYPE hosts counter',
      'hosts{role="worker",result="c"} 1',
      '# TYPE seconds histogram',
      'seconds_bucket{result="ok",le="1"} 0',
      'seconds_bucket{result="ok",le="2"} 1',
      'seconds_bucket{result="ok",le="+Inf"} 2',
      'seconds_sum{result="ok"} 2.5',
      'seconds_count{result="ok"} 2',
    ])
      expect(lines).toContain(line);
  });

  it('has the values of its series in each of two renderings at one time', async () => {
    const registry = new Registry();
    createStoredMetric(registry, {
      name: 'hosts',
      help: 'Hosts.',
      type: 'counter',
      labelNames: ['role'],
      series: () => Promise.resolve([['role="master"', 3]]),
    });
    const renderings = await Promise.all([linesOf(registry), linesOf(registry)]);
    for (const lines of renderings) expect(lines).toContain('hosts{role="master"} 3');
  });

  it('without labels has no value while there are no series', async () => {
    const registry = new Registry();
    const series: (readonly [string, number])[] = [['', 7]];
    createStoredMetric(registry, {
      name: 'clusters',
      help: 'Clusters.',
      type: 'counter',
      labelNames: [],
      series: () => Promise.resolve(series),
    });
    expect(await linesOf(registry)).toContain('clusters 7');
    series.length = 0;
    expect((await linesOf(registry)).filter((line) => line.startsWith('clusters'))).toEqual([]);
  });
});
