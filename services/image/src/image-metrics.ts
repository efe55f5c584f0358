import { RequestMetrics } from '@muster/nest-kit';

/** Metric labels of the route patterns, as in assisted-image-service. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['/images/:infraEnvId', '/images/:imageID'],
  ['/byid/:infraEnvId/:version/:arch/:file', '/byid/:token'],
  ['/byapikey/:token/:version/:arch/:file', '/byapikey/:token'],
  ['/bytoken/:token/:version/:arch/:file', '/bytoken/:token'],
  ['/images/:infraEnvId/pxe-initrd', '/images/:imageID/pxe-initrd'],
  ['/images/:infraEnvId/s390x-initrd-addrsize', '/images/:imageID/s390x-initrd-addrsize'],
]);
const BOOT_ARTIFACTS = '/boot-artifacts/:artifact';

/** Returns undefined for routes without metrics. Boot artifacts have an empty name, as in assisted-image-service. */
export function handlerLabel(route: string | undefined): string | undefined {
  return route === BOOT_ARTIFACTS ? '' : LABELS.get(route ?? '');
}

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
