import {
  areOsImages,
  areReleaseImages,
  areReleaseSources,
  CATALOGUE_SHAPES,
  DEFAULT_OS_IMAGES,
  DEFAULT_RELEASE_IMAGES,
  DEFAULT_RELEASE_SOURCES,
  type OsImage,
  type ReleaseImage,
  type ReleaseSource,
} from '@muster/assisted-api';
import {
  type Environment,
  readHardwareRequirements,
  type AuthType,
  readAuthType,
  readOperatorSettings,
  SettingError,
  SettingsReader,
} from '@muster/nest-kit';
import type { OidcSettings } from './auth/oidc.authenticator';
import type { OperatorSettings } from '@muster/operators';
import type { RequirementsTable } from '@muster/validation-rules';

const MS_PER_HOUR = 3_600_000;
const LOCAL_TOKEN_HOURS = 365 * 24;
const FAILED_PROOFS_PER_MINUTE = 600;
const ANY_RATE = { min: 0, max: 1_000_000 };
const PORT_RANGE = { min: 0, max: 65_535 };

export interface GatewayConfig {
  readonly host: string;
  readonly port: number;
  readonly authType: AuthType;
  readonly oidc: OidcSettings;
  /** Members of an organisation see what others of it made. */
  readonly isOrgTenancy: boolean;
  /** How long the address of an image opens it, in AUTH_TYPE=oidc. */
  readonly imageExpirationMs: number;
  /** How long the addresses that AUTH_TYPE=local signs are good. */
  readonly localTokenLifetimeMs: number;
  /** Of one address, before it is told to slow down; 0: any number. */
  readonly failedProofsPerMinuteMax: number;
  /** Of one caller; 0: as many as can be answered. */
  readonly requestsPerSecondMax: number;
  /** PEM; needed in AUTH_TYPE=local. */
  readonly ecPublicKeyPem: string;
  readonly ecPrivateKeyPem: string;
  /** Where hosts download boot images; undefined: port 8888 of the address that the request came to. */
  readonly imageServiceBaseUrl: string | undefined;
  readonly imageServicePort: number;
  /** Where machines reach this API; undefined: where the request came to. */
  readonly serviceBaseUrl: string | undefined;
  readonly releaseImages: readonly ReleaseImage[];
  readonly osImages: readonly OsImage[];
  readonly releaseSources: readonly ReleaseSource[];
  readonly requirements: RequirementsTable;
  /** What was set for single OLM operators. */
  readonly operatorSettings: OperatorSettings;
  readonly ntpDefaultServer: string;
  readonly inactiveDeletionHours: number;
  /** Component name to image or version, as people are shown it. */
  readonly componentVersions: { readonly [component: string]: string };
  readonly releaseTag: string;
}

/** Injection token of the gateway's configuration. */
export const GATEWAY_CONFIG = Symbol('GatewayConfig');

/** Throws SettingError on the first setting that cannot be used. */
export function readGatewayConfig(environment: Environment): GatewayConfig {
  const read = new SettingsReader(environment);
  const authType = readAuthType(read);
  return {
    host: read.text('REST_HOST', '0.0.0.0'),
    port: read.integer('REST_PORT', read.integer('PORT', 8090, PORT_RANGE), PORT_RANGE),
    authType,
    oidc: readOidc(read, authType),
    isOrgTenancy: read.flag('ENABLE_ORG_TENANCY', false),
    imageExpirationMs: read.durationMs('IMAGE_EXPIRATION_TIME', 4 * MS_PER_HOUR),
    localTokenLifetimeMs: read.durationMs('LOCAL_TOKEN_LIFETIME', LOCAL_TOKEN_HOURS * MS_PER_HOUR),
    failedProofsPerMinuteMax: read.integer('FAILED_PROOFS_PER_MINUTE_MAX', FAILED_PROOFS_PER_MINUTE, ANY_RATE),
    requestsPerSecondMax: read.integer('REQUESTS_PER_SECOND_MAX', 0, ANY_RATE),
    ecPublicKeyPem: read.text('EC_PUBLIC_KEY_PEM', ''),
    ecPrivateKeyPem: read.text('EC_PRIVATE_KEY_PEM', ''),
    imageServiceBaseUrl: read.optionalText('IMAGE_SERVICE_BASE_URL')?.replace(/\/+$/, ''),
    // Named as the image service names its own port, so that one setting moves both.
    imageServicePort: read.integer('IMAGE_PORT', read.integer('IMAGE_SERVICE_PORT', 8888, PORT_RANGE), PORT_RANGE),
    serviceBaseUrl: read.optionalText('SERVICE_BASE_URL')?.replace(/\/+$/, ''),
    releaseImages: catalogue(read, 'RELEASE_IMAGES', DEFAULT_RELEASE_IMAGES, areReleaseImages),
    // The older name is that of image services of today; both have to mean the same here and there.
    osImages: catalogue(
      read,
      read.optionalText('OS_IMAGES') ? 'OS_IMAGES' : 'RHCOS_VERSIONS',
      DEFAULT_OS_IMAGES,
      areOsImages,
    ),
    releaseSources: catalogue(read, 'RELEASE_SOURCES', DEFAULT_RELEASE_SOURCES, areReleaseSources),
    requirements: readHardwareRequirements(read),
    operatorSettings: readOperatorSettings(read),
    ntpDefaultServer: read.text('NTP_DEFAULT_SERVER', ''),
    inactiveDeletionHours: read.durationMs('DELETED_INACTIVE_AFTER', 480 * MS_PER_HOUR) / MS_PER_HOUR,
    componentVersions: {
      'assisted-installer': read.text('INSTALLER_IMAGE', 'quay.io/muster/installer:latest'),
      'assisted-installer-controller': read.text('CONTROLLER_IMAGE', 'quay.io/muster/controller:latest'),
      'assisted-installer-service': read.text('SELF_VERSION', 'muster'),
      'discovery-agent': read.text('AGENT_DOCKER_IMAGE', 'quay.io/muster/agent:latest'),
    },
    releaseTag: read.text('RELEASE_TAG', ''),
  };
}

/** Throws SettingError when tokens of an issuer are to be trusted and nothing says where its keys are. */
function readOidc(read: SettingsReader, authType: AuthType): OidcSettings {
  const users = (name: string): readonly string[] =>
    read
      .text(name, '')
      .split(',')
      .map((user) => user.trim())
      .filter((user) => user !== '');
  const oidc = {
    issuer: read.text('OIDC_ISSUER_URL', ''),
    audience: read.text('OIDC_AUDIENCE', ''),
    jwksUrl: read.text('JWKS_URL', ''),
    jwks: read.text('JWKS_CERT', ''),
    adminUsers: users('ADMIN_USERS'),
    readOnlyAdminUsers: users('READ_ONLY_ADMIN_USERS'),
  };
  if (authType !== 'oidc') return oidc;
  if (!oidc.jwks && !oidc.jwksUrl && !oidc.issuer)
    throw new SettingError('JWKS_URL', '', 'where the keys of the issuer are: JWKS_URL, JWKS_CERT or OIDC_ISSUER_URL');
  for (const [name, url] of [
    ['JWKS_URL', oidc.jwksUrl],
    ['OIDC_ISSUER_URL', oidc.issuer],
  ] as const)
    if (url && !URL.canParse(url)) throw new SettingError(name, url, 'a URL');
  if (oidc.jwks) read.json<unknown>('JWKS_CERT', {});
  return oidc;
}

function catalogue<Items>(
  read: SettingsReader,
  name: keyof typeof CATALOGUE_SHAPES,
  fallback: Items,
  are: (value: unknown) => value is Items,
): Items {
  const given = read.json<unknown>(name, fallback);
  if (are(given)) return given;
  throw new SettingError(name, JSON.stringify(given).slice(0, 80), CATALOGUE_SHAPES[name]);
}
