import {
  DEFAULT_OS_IMAGES,
  DEFAULT_RELEASE_IMAGES,
  DEFAULT_RELEASE_SOURCES,
  type OsImage,
  type ReleaseImage,
  type ReleaseSource,
} from '@muster/assisted-api';
import {
  type EndpointAddress,
  type Environment,
  imageEndpoint,
  readHardwareRequirements,
  type AuthType,
  readAuthType,
  readOperatorSettings,
  readComponentImages,
  readSettings,
  readTlsFiles,
  SettingError,
  type SettingValue,
  type SettingsReader,
  type TlsFiles,
} from '@muster/nest-kit';
import type { OperatorSettings } from '@muster/operators';
import type { RequirementsTable } from '@muster/validation-rules';

const MS_PER_HOUR = 3_600_000;

/** Settings of AUTH_TYPE=oidc. */
export interface OidcSettings {
  /** Accepted issuer of tokens; empty: any issuer that has one of the keys. */
  readonly issuer: string;
  /** Audience that tokens must name; empty: any. */
  readonly audience: string;
  /** Keys of the issuer: their URL, or the keys themselves as JSON. One of the two. */
  readonly jwksUrl: string;
  readonly jwks: SettingValue<'JWKS_CERT'>;
  readonly adminUsers: readonly string[];
  readonly readOnlyAdminUsers: readonly string[];
}

export interface GatewayConfig {
  readonly host: string;
  readonly port: number;
  /** Undefined: the REST API uses HTTP. */
  readonly tls: TlsFiles | undefined;
  readonly authType: AuthType;
  readonly oidc: OidcSettings;
  /** Members of an organisation see what others of it made. */
  readonly isOrgTenancy: boolean;
  /** How long the address of an image opens it, in AUTH_TYPE=oidc. */
  readonly imageExpirationMs: number;
  /** How long the addresses that AUTH_TYPE=local signs are good. */
  readonly localTokenLifetimeMs: number;
  /** Origins from which browsers may send requests; `*` matches any part. */
  readonly allowedDomains: readonly string[];
  /** DNS names that AUTH_TYPE=none serves beside the usual ones. */
  readonly allowedHosts: readonly string[];
  /** Open connections of one address; 0: no limit. */
  readonly connectionsPerAddressMax: number;
  /** Bytes of all uploaded logs of one cluster. */
  readonly logsBytesPerClusterMax: number;
  /** Failed attempts per address before 429; 0: no limit. */
  readonly failedProofsPerMinuteMax: number;
  /** Events that one token may add per minute; 0: no limit. */
  readonly eventsPerMinuteMax: number;
  /** Of one caller; 0: as many as can be answered. */
  readonly requestsPerSecondMax: number;
  /** PEM; needed in AUTH_TYPE=local. */
  readonly ecPublicKeyPem: string;
  readonly ecPrivateKeyPem: string;
  /** Where hosts download boot images; undefined: the endpoint below at the host name that the request came to. */
  readonly imageServiceBaseUrl: string | undefined;
  readonly imageEndpoint: EndpointAddress;
  /** Where machines reach this API; undefined: where the request came to. */
  readonly serviceBaseUrl: string | undefined;
  /** Registries, with an optional path, whose release images every user may name. */
  readonly allowedReleaseRegistries: readonly string[];
  readonly releaseImages: readonly ReleaseImage[];
  readonly osImages: readonly OsImage[];
  readonly releaseSources: readonly ReleaseSource[];
  readonly requirements: RequirementsTable;
  /** What was set for single OLM operators. */
  readonly operatorSettings: OperatorSettings;
  readonly ntpDefaultServer: string;
  readonly inactiveDeletionHours: number;
  /** Component name to image or version, as the API shows it. */
  readonly componentVersions: { readonly [component: string]: string };
  readonly releaseTag: string;
}

/** Injection token of the gateway's configuration. */
export const GATEWAY_CONFIG = Symbol('GatewayConfig');

/** @throws SettingsError with every setting that cannot be used */
export const readGatewayConfig = (environment: Environment): GatewayConfig => readSettings(environment, readConfig);

function readConfig(read: SettingsReader): GatewayConfig {
  const authType = readAuthType(read);
  const images = readComponentImages(read);
  return {
    host: read.get('REST_HOST'),
    port: read.get('REST_PORT'),
    tls: readTls(read),
    authType,
    oidc: readOidc(read, authType),
    isOrgTenancy: read.get('ENABLE_ORG_TENANCY'),
    imageExpirationMs: read.get('IMAGE_EXPIRATION_TIME'),
    localTokenLifetimeMs: read.get('LOCAL_TOKEN_LIFETIME'),
    allowedDomains: read.get('ALLOWED_DOMAINS'),
    allowedHosts: read.get('ALLOWED_HOSTS'),
    connectionsPerAddressMax: read.get('CONNECTIONS_PER_ADDRESS_MAX'),
    logsBytesPerClusterMax: read.get('LOGS_BYTES_PER_CLUSTER_MAX'),
    failedProofsPerMinuteMax: read.get('FAILED_PROOFS_PER_MINUTE_MAX'),
    eventsPerMinuteMax: read.get('EVENTS_PER_MINUTE_MAX'),
    requestsPerSecondMax: read.get('REQUESTS_PER_SECOND_MAX'),
    ecPublicKeyPem: read.get('EC_PUBLIC_KEY_PEM'),
    ecPrivateKeyPem: read.get('EC_PRIVATE_KEY_PEM'),
    imageServiceBaseUrl: read.get('IMAGE_SERVICE_BASE_URL'),
    imageEndpoint: imageEndpoint(read),
    serviceBaseUrl: read.get('SERVICE_BASE_URL'),
    allowedReleaseRegistries: read.get('ALLOWED_RELEASE_REGISTRIES'),
    releaseImages: read.get('RELEASE_IMAGES') ?? DEFAULT_RELEASE_IMAGES,
    osImages: read.get('OS_IMAGES') ?? DEFAULT_OS_IMAGES,
    releaseSources: read.get('RELEASE_SOURCES') ?? DEFAULT_RELEASE_SOURCES,
    requirements: readHardwareRequirements(read),
    operatorSettings: readOperatorSettings(read),
    ntpDefaultServer: read.get('NTP_DEFAULT_SERVER'),
    inactiveDeletionHours: read.get('DELETED_INACTIVE_AFTER') / MS_PER_HOUR,
    componentVersions: {
      'assisted-installer': images.installer,
      'assisted-installer-controller': images.controller,
      'assisted-installer-service': read.get('SELF_VERSION'),
      'discovery-agent': images.agent,
    },
    releaseTag: read.get('RELEASE_TAG'),
  };
}

function readTls(read: SettingsReader): TlsFiles | undefined {
  if (!read.get('SERVE_HTTPS')) return undefined;
  const tls = readTlsFiles(read);
  if (!tls && !read.isSet('HTTPS_KEY_FILE'))
    read.reject('HTTPS_KEY_FILE', '', 'a PEM file, which SERVE_HTTPS=true needs');
  return tls;
}

/** Settings that weaken the check of tokens; the gateway logs them at start. */
export function weakSettings({ authType, oidc }: Pick<GatewayConfig, 'authType' | 'oidc'>): readonly string[] {
  if (authType !== 'oidc') return [];
  const keys = oidc.jwksUrl ? 'JWKS_URL' : 'OIDC_ISSUER_URL';
  const isPlain = !oidc.jwks && (oidc.jwksUrl || oidc.issuer).startsWith('http:');
  return [
    ...(isPlain
      ? [
          `${keys} uses http: an attacker on the network can replace the keys that check tokens. Use https, or set JWKS_CERT.`,
        ]
      : []),
    ...(oidc.audience === ''
      ? ['OIDC_AUDIENCE is not set: tokens that the issuer made for other applications are accepted. Set it.']
      : []),
  ];
}

/** @throws SettingError when AUTH_TYPE=oidc and no setting names the keys of the issuer */
function readOidc(read: SettingsReader, authType: AuthType): OidcSettings {
  const oidc = {
    issuer: read.get('OIDC_ISSUER_URL'),
    audience: read.get('OIDC_AUDIENCE'),
    jwksUrl: read.get('JWKS_URL'),
    jwks: read.get('JWKS_CERT'),
    adminUsers: read.get('ADMIN_USERS'),
    readOnlyAdminUsers: read.get('READ_ONLY_ADMIN_USERS'),
  };
  if (authType !== 'oidc') return oidc;
  if (!oidc.jwks && !oidc.jwksUrl && !oidc.issuer)
    throw new SettingError('JWKS_URL', '', 'where the keys of the issuer are: JWKS_URL, JWKS_CERT or OIDC_ISSUER_URL');
  for (const [name, url] of [
    ['JWKS_URL', oidc.jwksUrl],
    ['OIDC_ISSUER_URL', oidc.issuer],
  ] as const)
    if (url && !URL.canParse(url)) throw new SettingError(name, url, 'a URL');
  return oidc;
}
