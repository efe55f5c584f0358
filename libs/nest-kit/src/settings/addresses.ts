import type { SettingsReader } from './settings-reader';

/** Scheme and port of an HTTP endpoint of this installation. */
export interface EndpointAddress {
  readonly scheme: 'http' | 'https';
  readonly port: number;
}

/** The endpoint of the REST API. */
export const restEndpoint = (settings: SettingsReader): EndpointAddress => ({
  scheme: settings.get('SERVE_HTTPS') ? 'https' : 'http',
  port: settings.get('REST_PORT'),
});

/** The first endpoint of the image service: with certificates IMAGE_PORT, without them HTTP_LISTEN_PORT where it is set. */
export function imageEndpoint(settings: SettingsReader): EndpointAddress {
  const port = settings.get('IMAGE_PORT');
  return settings.isSet('HTTPS_KEY_FILE') && settings.isSet('HTTPS_CERT_FILE')
    ? { scheme: 'https', port }
    : { scheme: 'http', port: settings.get('HTTP_LISTEN_PORT') ?? port };
}

/** The API URL for hosts and services: SERVICE_BASE_URL, otherwise the REST endpoint on the loopback address. */
export const readServiceBaseUrl = (settings: SettingsReader): string =>
  settings.get('SERVICE_BASE_URL') ?? loopbackUrl(restEndpoint(settings));

/** The URL of the image service for hosts: IMAGE_SERVICE_BASE_URL, otherwise its first endpoint on the loopback address. */
export const readImageServiceBaseUrl = (settings: SettingsReader): string =>
  settings.get('IMAGE_SERVICE_BASE_URL') ?? loopbackUrl(imageEndpoint(settings));

const loopbackUrl = ({ scheme, port }: EndpointAddress): string => `${scheme}://127.0.0.1:${port}`;
