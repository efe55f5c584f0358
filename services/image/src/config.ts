import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { DEFAULT_OS_IMAGES } from '@muster/assisted-api';
import { readProxySettings } from '@muster/host-api';
import {
  type AuthType,
  type Environment,
  type HostBinary,
  readAuthType,
  readCertificates,
  readEcKey,
  readHostBinaries,
  readServiceBaseUrl,
  readSettings,
  readTlsFiles,
  type SettingsReader,
} from '@muster/nest-kit';
import type { BaseImageMinimums } from './base-images/base-image';
import type { OsImageEntry } from './base-images/os-image-catalogue';
import type { RemoteClientOptions } from './remote/remote-client';

/** The settings of this service. */
export interface ImageConfig {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Port of a second endpoint without TLS. Undefined: none. 0: any free port. */
  readonly plainPort: number | undefined;
  /** PEM. Undefined: the first endpoint uses HTTP. */
  readonly tls: { readonly key: string; readonly cert: string } | undefined;
  /** URL at which hosts reach this service. Undefined: the address in the request. */
  readonly baseUrl: string | undefined;
  /** The executables for hosts; empty when none were built. */
  readonly hostBinaries: readonly HostBinary[];
  readonly earlierHostBinaries: readonly HostBinary[];
  /** Whether images contain the executable, so that hosts do not download it. */
  readonly hasExecutableInImage: boolean;
  /** Origins from which browsers may send requests; `*` matches any part. */
  readonly allowedDomains: readonly string[];
  readonly osImages: readonly OsImageEntry[];
  /** Directory of images whose URL is a path. */
  readonly imageDirectory: string;
  /** Handling of images on a server: downloaded at the first use, downloaded at the start, or read in place. */
  readonly fetch: 'lazy' | 'eager' | 'stream';
  readonly store: { readonly directory: string; readonly bytesMax: number; readonly reserveBytes: number };
  readonly remote: RemoteClientOptions;
  readonly minimums: BaseImageMinimums;
  readonly authType: AuthType;
  /** URL of the API that checks whether a caller may read an infra-env. */
  readonly apiBaseUrl: string;
  /** PEM. Certificate authorities of the API in addition to those of Node and of the system. */
  readonly apiCa: string | undefined;
  /** Checks the tokens of image URLs with AUTH_TYPE=local. */
  readonly tokenKey: KeyObject | undefined;
  /** Maximum number of concurrent requests. Additional ones for boot files and ranges wait, others are answered with 503 and Retry-After. */
  readonly concurrentRequestsMax: number;
}

export const CONFIG = Symbol('ImageConfig');

/** @throws SettingsError with every setting that is not valid */
export const readConfig = (environment: Environment): ImageConfig => readSettings(environment, readImageConfig);

function readImageConfig(settings: SettingsReader): ImageConfig {
  const authType = readAuthType(settings);
  const executables = readHostBinaries(settings);
  return {
    host: settings.get('IMAGE_HOST'),
    port: settings.get('IMAGE_PORT'),
    plainPort: settings.get('HTTP_LISTEN_PORT'),
    tls: readTlsFiles(settings),
    baseUrl: settings.get('IMAGE_SERVICE_BASE_URL'),
    hostBinaries: executables?.binaries ?? [],
    earlierHostBinaries: executables?.earlier ?? [],
    hasExecutableInImage: readIsInImage(settings),
    allowedDomains: settings.get('ALLOWED_DOMAINS'),
    osImages: settings.get('OS_IMAGES') ?? DEFAULT_OS_IMAGES,
    imageDirectory: settings.get('IMAGE_DIRECTORY'),
    fetch: settings.get('OS_IMAGES_FETCH'),
    store: {
      directory: settings.get('DATA_DIR') ?? join(settings.get('MUSTER_DATA_DIRECTORY'), 'base-images'),
      bytesMax: settings.get('OS_IMAGES_STORE_BYTES_MAX'),
      reserveBytes: settings.get('MUSTER_DISK_RESERVE'),
    },
    remote: {
      trustedCa: readCertificates(settings, 'OS_IMAGE_DOWNLOAD_TRUSTED_CA_FILE'),
      proxy: readProxySettings({
        HTTP_PROXY: settings.get('HTTP_PROXY'),
        HTTPS_PROXY: settings.get('HTTPS_PROXY'),
        NO_PROXY: settings.get('NO_PROXY'),
      }),
      headers: settings.get('OS_IMAGES_REQUEST_HEADERS') ?? {},
      queryParameters: settings.get('OS_IMAGES_REQUEST_QUERY_PARAMS') ?? {},
    },
    minimums: {
      rootfsBytesMin: settings.get('OS_IMAGES_ROOTFS_BYTES_MIN'),
      kernelBytesMin: settings.get('OS_IMAGES_KERNEL_BYTES_MIN'),
    },
    authType,
    apiBaseUrl: readServiceBaseUrl(settings),
    apiCa: readCertificates(settings, 'SERVICE_CA_CERT_PATH'),
    tokenKey: authType === 'local' ? readEcKey(settings, 'EC_PUBLIC_KEY_PEM', ['local']) : undefined,
    concurrentRequestsMax: settings.get('MAX_CONCURRENT_REQUESTS'),
  };
}

function readIsInImage(settings: SettingsReader): boolean {
  const isInImage = settings.get('MUSTER_HOST_BINARY') === 'in-image';
  if (isInImage && !settings.isSet('MUSTER_HOST_BINARIES'))
    settings.reject(
      'MUSTER_HOST_BINARIES',
      '',
      'a directory that npm run build:host made; MUSTER_HOST_BINARY=in-image needs it',
    );
  return isInImage;
}
