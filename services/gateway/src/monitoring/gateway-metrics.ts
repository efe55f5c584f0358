import { RequestMetrics } from '@muster/nest-kit';

/** Request metrics under the names and with the buckets of assisted-service v2. Requests without a route share one series. */
export const createGatewayMetrics = (): RequestMetrics =>
  new RequestMetrics({
    prefix: '',
    service: 'assisted-installer',
    durationBuckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    sizeBuckets: [1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9],
    inFlightLabels: ['handler', 'method'],
    kindOf: (route, method) =>
      route ? { handler: route.replace(/:(\w+)/g, '{$1}'), method } : { handler: '', method: '' },
  });
