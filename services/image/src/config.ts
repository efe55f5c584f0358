import { createPublicKey, type KeyObject } from 'node:crypto';
import { DEFAULT_OS_IMAGES, type OsImage } from '@muster/assisted-api';
import { type Environment, SettingError, SettingsReader } from '@muster/nest-kit';

/** What an operator may set for this service; names as the field uses them. */
export interface ImageConfig {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly osImages: readonly OsImage[];
  /** Where images live whose URL is a path. */
  readonly imageDirectory: string;
  /** Checks the tokens of image URLs; undefined in AUTH_TYPE=none, where none is asked for. */
  readonly tokenKey: KeyObject | undefined;
  /** Downloads and other image requests at one time; one more is told to come back later. */
  readonly concurrentRequestsMax: number;
}

export const CONFIG = Symbol('ImageConfig');

const AUTH_TYPES = ['none', 'local'] as const;
const DEFAULT_PORT = 8888;
const PORTS = { min: 0, max: 65_535 };

/** Throws SettingError on the first setting that cannot be used. */
export function readConfig(environment: Environment): ImageConfig {
  const settings = new SettingsReader(environment);
  const authType = settings.choice('AUTH_TYPE', AUTH_TYPES, 'none');
  const fallbackPort = settings.integer(
    'IMAGE_SERVICE_PORT',
    settings.integer('LISTEN_PORT', DEFAULT_PORT, PORTS),
    PORTS,
  );
  return {
    host: settings.text('IMAGE_HOST', '0.0.0.0'),
    port: settings.integer('IMAGE_PORT', fallbackPort, PORTS),
    osImages: readOsImages(settings),
    imageDirectory: settings.text('IMAGE_DIRECTORY', '.'),
    tokenKey: authType === 'local' ? readTokenKey(settings) : undefined,
    concurrentRequestsMax: settings.integer('MAX_CONCURRENT_REQUESTS', 400, { min: 1, max: 100_000 }),
  };
}

function readOsImages(settings: SettingsReader): readonly OsImage[] {
  const images = settings.json<unknown>('OS_IMAGES', DEFAULT_OS_IMAGES);
  if (Array.isArray(images) && images.every(isOsImage)) return images;
  throw new SettingError(
    'OS_IMAGES',
    JSON.stringify(images).slice(0, 80),
    'a JSON array of objects with openshift_version, cpu_architecture, url and version, each a text',
  );
}

function isOsImage(entry: unknown): entry is OsImage {
  if (typeof entry !== 'object' || entry === null) return false;
  const image = entry as { readonly [name: string]: unknown };
  return ['openshift_version', 'cpu_architecture', 'url', 'version'].every((name) => typeof image[name] === 'string');
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
