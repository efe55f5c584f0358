/** Route patterns and what dashboards call them. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['/images/:infraEnvId', '/images/:imageID'],
  ['/byid/:infraEnvId/:version/:arch/:file', '/byid/:token'],
  ['/byapikey/:token/:version/:arch/:file', '/byapikey/:token'],
  ['/bytoken/:token/:version/:arch/:file', '/bytoken/:token'],
  ['/images/:infraEnvId/pxe-initrd', '/images/:imageID/pxe-initrd'],
  ['/images/:infraEnvId/s390x-initrd-addrsize', '/images/:imageID/s390x-initrd-addrsize'],
]);
const BOOT_ARTIFACTS = '/boot-artifacts/:artifact';

/** Undefined for addresses without metrics. Boot artifacts have an empty name, as in assisted-image-service. */
export function handlerLabel(route: string | undefined): string | undefined {
  return route === BOOT_ARTIFACTS ? '' : LABELS.get(route ?? '');
}
