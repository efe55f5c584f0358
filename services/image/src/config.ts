import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_OS_IMAGES } from '@muster/assisted-api';
import { type AuthType, type Environment, readAuthType, SettingError, SettingsReader } from '@muster/nest-kit';
import type { OsImageEntry } from './base-images/os-image-catalogue';
import type { BaseImageMinimums } from './base-images/verify-base-image';
import type { RemoteClientOptions } from './remote/remote-client';

/** What an operator may set for this service; names as the field uses them. */
export interface ImageConfig {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** A second, plain listener; undefined: none. 0: any free port. */
  readonly plainPort: number | undefined;
  /** PEM; undefined: the first listener speaks HTTP. */
  readonly tls: { readonly key: string; readonly cert: string } | undefined;
  /** Where machines reach this service; undefined: where the request came to. */
  readonly baseUrl: string | undefined;
  /** Origins that browsers may ask from; `*` stands for any part of one. */
  readonly allowedDomains: readonly string[];
  readonly osImages: readonly OsImageEntry[];
  /** Where images live whose URL is a path. */
  readonly imageDirectory: string;
  /** What happens to images whose URL is of a server: fetched at the first use, at the start, or read in place. */
  readonly fetch: (typeof FETCHES)[number];
  readonly store: { readonly directory: string; readonly bytesMax: number };
  readonly remote: RemoteClientOptions;
  readonly minimums: BaseImageMinimums;
  readonly authType: AuthType;
  /** Checks the tokens of image URLs in AUTH_TYPE=local. */
  readonly tokenKey: KeyObject | undefined;
  /** Downloads and other image requests at one time; one more is told to come back later. */
  readonly concurrentRequestsMax: number;
}

export const CONFIG = Symbol('ImageConfig');

const FETCHES = ['lazy', 'eager', 'stream'] as const;
const DEFAULT_PORT = 8888;
const PORTS = { min: 0, max: 65_535 };
const GIBIBYTE = 1024 ** 3;
const MEBIBYTE = 1024 ** 2;
const STORE_BYTES_DEFAULT = 100 * GIBIBYTE;
const ROOTFS_BYTES_MIN = 100 * MEBIBYTE;
const KERNEL_BYTES_MIN = 5 * MEBIBYTE;
const ANY_BYTES = { min: 0, max: Number.MAX_SAFE_INTEGER };

/** Throws SettingError on the first setting that cannot be used. */
export function readConfig(environment: Environment): ImageConfig {
  const settings = new SettingsReader(environment);
  const authType = readAuthType(settings);
  const fallbackPort = settings.integer(
    'IMAGE_SERVICE_PORT',
    settings.integer('LISTEN_PORT', DEFAULT_PORT, PORTS),
    PORTS,
  );
  const storeDirectory = join(settings.text('MUSTER_DATA_DIRECTORY', '.muster'), 'base-images');
  return {
    host: settings.text('IMAGE_HOST', '0.0.0.0'),
    port: settings.integer('IMAGE_PORT', fallbackPort, PORTS),
    plainPort: settings.optionalText('HTTP_LISTEN_PORT') ? settings.integer('HTTP_LISTEN_PORT', 0, PORTS) : undefined,
    tls: readTls(settings),
    baseUrl: settings.optionalText('IMAGE_SERVICE_BASE_URL')?.replace(/\/+$/, ''),
    allowedDomains: listOf(settings.text('ALLOWED_DOMAINS', '')),
    osImages: readOsImages(settings),
    imageDirectory: settings.text('IMAGE_DIRECTORY', '.'),
    fetch: settings.choice('OS_IMAGES_FETCH', FETCHES, 'lazy'),
    store: {
      directory: settings.text('DATA_DIR', storeDirectory),
      bytesMax: settings.integer('OS_IMAGES_STORE_BYTES_MAX', STORE_BYTES_DEFAULT, { ...ANY_BYTES, min: 1 }),
    },
    remote: {
      trustedCa: readFileOf(settings, 'OS_IMAGE_DOWNLOAD_TRUSTED_CA_FILE'),
      headers: readTexts(settings, 'OS_IMAGES_REQUEST_HEADERS'),
      queryParameters: readTexts(settings, 'OS_IMAGES_REQUEST_QUERY_PARAMS'),
    },
    minimums: {
      rootfsBytesMin: settings.integer('OS_IMAGES_ROOTFS_BYTES_MIN', ROOTFS_BYTES_MIN, ANY_BYTES),
      kernelBytesMin: settings.integer('OS_IMAGES_KERNEL_BYTES_MIN', KERNEL_BYTES_MIN, ANY_BYTES),
    },
    authType,
    tokenKey: authType === 'local' ? readTokenKey(settings) : undefined,
    concurrentRequestsMax: settings.integer('MAX_CONCURRENT_REQUESTS', 400, { min: 1, max: 100_000 }),
  };
}

function readTls(settings: SettingsReader): ImageConfig['tls'] {
  const [key, cert] = [readFileOf(settings, 'HTTPS_KEY_FILE'), readFileOf(settings, 'HTTPS_CERT_FILE')];
  if (key !== undefined && cert !== undefined) return { key, cert };
  if (key === undefined && cert === undefined) return undefined;
  const missing = key === undefined ? 'HTTPS_KEY_FILE' : 'HTTPS_CERT_FILE';
  throw new SettingError(missing, '', 'a PEM file too, or neither HTTPS_KEY_FILE nor HTTPS_CERT_FILE');
}

function readFileOf(settings: SettingsReader, name: string): string | undefined {
  const path = settings.optionalText(name);
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new SettingError(name, path, 'the path of a file that can be read');
  }
}

/** A JSON object of texts. Its values may be secret and are not repeated. */
function readTexts(settings: SettingsReader, name: string): { readonly [key: string]: string } {
  const expected = 'a JSON object whose values are texts';
  const value = readSecretJson(settings, name, expected);
  if (value === undefined) return {};
  const isFit = typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = isFit ? Object.entries(value) : [];
  if (!isFit || !entries.every((entry): entry is [string, string] => typeof entry[1] === 'string'))
    throw new SettingError(name, '(not shown)', expected);
  return Object.fromEntries(entries);
}

function readSecretJson(settings: SettingsReader, name: string, expected: string): unknown {
  try {
    return settings.json<unknown>(name, undefined);
  } catch {
    throw new SettingError(name, '(not shown)', expected);
  }
}

const listOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** RHCOS_VERSIONS is the older name of OS_IMAGES. */
function readOsImages(settings: SettingsReader): readonly OsImageEntry[] {
  const images = settings.json<unknown>('OS_IMAGES', settings.json<unknown>('RHCOS_VERSIONS', DEFAULT_OS_IMAGES));
  if (Array.isArray(images) && images.every(isOsImage)) return images;
  throw new SettingError(
    'OS_IMAGES',
    JSON.stringify(images).slice(0, 80),
    'a JSON array of objects with openshift_version, cpu_architecture, url and version, each a text; type may be full-iso or disconnected-iso, sha256 64 hexadecimal digits',
  );
}

function isOsImage(entry: unknown): entry is OsImageEntry {
  if (typeof entry !== 'object' || entry === null) return false;
  const image = entry as { readonly [name: string]: unknown };
  const { type, sha256 } = image;
  return (
    ['openshift_version', 'cpu_architecture', 'url', 'version'].every((name) => typeof image[name] === 'string') &&
    (type === undefined || type === 'full-iso' || type === 'disconnected-iso') &&
    (sha256 === undefined || (typeof sha256 === 'string' && /^[0-9a-f]{64}$/i.test(sha256)))
  );
}

function readTokenKey(settings: SettingsReader): KeyObject {
  const pem = settings.text('EC_PUBLIC_KEY_PEM', '');
  try {
    const key = createPublicKey(pem);
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  } catch {
    // Said below.
  }
  throw new SettingError(
    'EC_PUBLIC_KEY_PEM',
    pem.slice(0, 80),
    'the PEM text of a P-256 public key, which AUTH_TYPE=local needs',
  );
}
