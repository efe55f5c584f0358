import { handlerLabel } from './handler-label';
import { HttpMetrics } from './http-metrics';

describe('Metrics of requests', () => {
  it('count durations and sizes cumulatively, and what is running', () => {
    const metrics = new HttpMetrics();
    for (const handler of ['/byid/:token', '']) metrics.running(handler, 1);
    metrics.running('', -1);
    const request = { handler: '/byid/:token', method: 'GET', code: 206 };
    metrics.answered({ ...request, seconds: 0.5, bytes: 2e6 });
    metrics.answered({ ...request, seconds: 20, bytes: 50 });
    const text = metrics.render();
    const labels = 'code="206",handler="/byid/:token",method="GET",service=""';
    const name = 'assisted_image_service_http';
    for (const line of [
      `${name}_request_duration_seconds_bucket{${labels},le="0.1"} 0`,
      `${name}_request_duration_seconds_bucket{${labels},le="1"} 1`,
      `${name}_request_duration_seconds_bucket{${labels},le="50"} 2`,
      `${name}_request_duration_seconds_bucket{${labels},le="+Inf"} 2`,
      `${name}_request_duration_seconds_sum{${labels}} 20.5`,
      `${name}_response_size_bytes_bucket{${labels},le="100"} 1`,
      `${name}_response_size_bytes_count{${labels}} 2`,
      `${name}_requests_inflight{handler="/byid/:token",service=""} 1`,
      `${name}_requests_inflight{handler="",service=""} 0`,
    ])
      expect(text.split('\n')).toContain(line);
  });

  it('never name an address, only its kind', () => {
    expect(handlerLabel('/byapikey/:token/:version/:arch/:file')).toBe('/byapikey/:token');
    expect(handlerLabel('/boot-artifacts/:artifact')).toBe('');
    for (const route of ['/health', '/byid/secret', 'toString', undefined]) expect(handlerLabel(route)).toBeUndefined();
  });
});
