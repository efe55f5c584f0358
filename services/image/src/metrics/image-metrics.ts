import { RequestMetrics } from '@muster/nest-kit';
import { handlerLabel } from './handler-label';

const METHODS: readonly string[] = ['GET', 'HEAD'];

/** Metrics of downloads under the names and with the buckets of assisted-image-service. Other requests are not counted. */
export const createImageMetrics = (): RequestMetrics =>
  new RequestMetrics({
    prefix: 'assisted_image_service_',
    service: '',
    durationBuckets: [0.1, 1, 10, 50, 100, 300, 600],
    sizeBuckets: [100, 1e6, 5e8, 1e9, 1e10],
    inFlightLabels: ['handler'],
    kindOf: (route, method) => {
      const handler = handlerLabel(route);
      return handler === undefined ? undefined : { handler, method: METHODS.includes(method) ? method : 'other' };
    },
  });
