import { createPublicKey, type KeyObject } from 'node:crypto';
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
  readReleaseToolchains,
  readComponentImages,
  readEcKey,
  readSettings,
  readTlsFiles,
  type SettingValue,
  type ReleaseToolchains,
  type SettingsReader,
  type TlsFiles,
} from '@muster/nest-kit';
import type { OperatorSettings } from '@muster/operators';
import type { RequirementsTable } from '@muster/validation-rules';

const MS_PER_HOUR = 3_600_000;

/** Settings of AUTH_TYPE=oidc. */
export interface OidcSettings {
  /** Issuer that tokens must name. Empty: any issuer that has one of the keys. */
  readonly issuer: string;
  /** Audience that tokens must name. Empty: any audience. */
  readonly audience: string;
  /** Keys of the issuer: their URL, or a JSON key set. One of the two is set. */
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
  /** Members of an organisation may read the resources of its other members. */
  readonly isOrgTenancy: boolean;
  /** Lifetime of an image URL with AUTH_TYPE=oidc. */
  readonly imageExpirationMs: number;
  /** Lifetime of the tokens that are signed with AUTH_TYPE=local. */
  readonly localTokenLifetimeMs: number;
  /** Origins from which browsers may send requests; `*` matches any part. */
  readonly allowedDomains: readonly string[];
  /** Additional DNS names that are served with AUTH_TYPE=none. */
  readonly allowedHosts: readonly string[];
  /** Maximum number of open connections per address. 0: no limit. */
  readonly connectionsPerAddressMax: number;
  /** Maximum size of all uploaded logs of one cluster. */
  readonly logsBytesPerClusterMax: number;
  /** Failed authentications per address before 429. 0: no limit. */
  readonly failedProofsPerMinuteMax: number;
  /** Events that one token may add per minute. 0: no limit. */
  readonly eventsPerMinuteMax: number;
  /** Requests per caller. 0: no limit. */
  readonly requestsPerSecondMax: number;
  /** The P-256 key that checks tokens. Present with AUTH_TYPE=local and agent-installer-local. */
  readonly publicKey: KeyObject | undefined;
  /** The P-256 key that signs tokens. Present with AUTH_TYPE=local. */
  readonly privateKey: KeyObject | undefined;
  /** URL from which hosts download boot images. Undefined: the endpoint below at the host name of the request. */
  readonly imageServiceBaseUrl: string | undefined;
  readonly imageEndpoint: EndpointAddress;
  /** Port of the image service without TLS. Undefined: none beside the endpoint above. */
  readonly plainImagePort: number | undefined;
  /** URL at which hosts reach this API. Undefined: the address in the request. */
  readonly serviceBaseUrl: string | undefined;
  /** Registries, with an optional path, whose release images every user may name. */
  readonly allowedReleaseRegistries: readonly string[];
  readonly releaseImages: readonly ReleaseImage[];
  /** Which releases can be installed, and by what. */
  readonly toolchains: ReleaseToolchains;
  readonly osImages: readonly OsImage[];
  readonly releaseSources: readonly ReleaseSource[];
  readonly requirements: RequirementsTable;
  /** Settings of OLM operators, by variable. */
  readonly operatorSettings: OperatorSettings;
  readonly ntpDefaultServer: string;
  /** Whole hours, as in assisted-service v2. */
  readonly inactiveDeletionHours: number;
  /** Image or version by component, as the API shows them. */
  readonly componentVersions: { readonly [component: string]: string };
  readonly releaseTag: string;
}

/** Injection token of the gateway's configuration. */
export const GATEWAY_CONFIG = Symbol('GatewayConfig');

/** @throws SettingsError with every setting that is not valid */
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
    ...readTokenKeys(read, authType),
    imageServiceBaseUrl: read.get('IMAGE_SERVICE_BASE_URL'),
    imageEndpoint: imageEndpoint(read),
    plainImagePort: read.get('HTTP_LISTEN_PORT'),
    serviceBaseUrl: read.get('SERVICE_BASE_URL'),
    allowedReleaseRegistries: read.get('ALLOWED_RELEASE_REGISTRIES'),
    releaseImages: read.get('RELEASE_IMAGES') ?? DEFAULT_RELEASE_IMAGES,
    toolchains: readReleaseToolchains(read),
    osImages: read.get('OS_IMAGES') ?? DEFAULT_OS_IMAGES,
    releaseSources: read.get('RELEASE_SOURCES') ?? DEFAULT_RELEASE_SOURCES,
    requirements: readHardwareRequirements(read),
    operatorSettings: readOperatorSettings(read),
    ntpDefaultServer: read.get('NTP_DEFAULT_SERVER'),
    inactiveDeletionHours: Math.floor(read.get('DELETED_INACTIVE_AFTER') / MS_PER_HOUR),
    componentVersions: {
      'assisted-installer': images.installer,
      'assisted-installer-controller': images.controller,
      'assisted-installer-service': read.get('SELF_VERSION'),
      'discovery-agent': images.agent,
    },
    releaseTag: read.get('RELEASE_TAG'),
  };
}

/** Rejects two keys that are not a pair when one signs the tokens that the other checks. */
function readTokenKeys(read: SettingsReader, authType: AuthType): Pick<GatewayConfig, 'publicKey' | 'privateKey'> {
  const publicKey = readEcKey(read, 'EC_PUBLIC_KEY_PEM', ['local', 'agent-installer-local']);
  const privateKey = readEcKey(read, 'EC_PRIVATE_KEY_PEM', ['local']);
  if (authType === 'local' && publicKey && privateKey && !createPublicKey(privateKey).equals(publicKey))
    read.reject('EC_PUBLIC_KEY_PEM', '(not shown)', 'the public key of EC_PRIVATE_KEY_PEM');
  return { publicKey, privateKey };
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

const HTTP_URL_EXPECTED = 'an http or https URL';
const isHttpUrl = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);

/** Rejects AUTH_TYPE=oidc when no setting names the keys of the issuer. */
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
    read.reject('JWKS_URL', '', 'the URL or the keys of the token issuer: JWKS_URL, JWKS_CERT or OIDC_ISSUER_URL');
  // Without keys and their URL, the keys are found at the issuer.
  const isIssuerAsked = !oidc.jwks && !oidc.jwksUrl;
  if (oidc.jwksUrl && !isHttpUrl(oidc.jwksUrl)) read.reject('JWKS_URL', oidc.jwksUrl, HTTP_URL_EXPECTED);
  if (oidc.issuer && !(isIssuerAsked ? isHttpUrl(oidc.issuer) : URL.canParse(oidc.issuer)))
    read.reject('OIDC_ISSUER_URL', oidc.issuer, isIssuerAsked ? HTTP_URL_EXPECTED : 'a URL');
  return oidc;
}
