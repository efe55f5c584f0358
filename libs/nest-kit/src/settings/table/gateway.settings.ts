import { wrongHostIn } from '@muster/domain';
import { Type } from '@sinclair/typebox';
import { boolean, bytes, duration, integer, json, lifetime, list, port, text } from '../setting';
import { RELEASE_SOURCES } from './shared.settings';

const GATEWAY = { readBy: ['gateway'] } as const;
const HOUR_MS = 3_600_000;
const RATE_MAX = 1_000_000;

/** Settings of the gateway: REST, authentication, limits, catalogues. */
export const GATEWAY_SETTINGS = {
  REST_HOST: text({ ...GATEWAY, fallback: '0.0.0.0', meaning: 'The address on which the REST API listens.' }),
  REST_PORT: port({
    readBy: ['gateway', 'ignition', 'image'],
    fallback: 8_090,
    aliases: ['PORT'],
    meaning: 'The port on which the REST API listens. 0: any free port.',
  }),
  SERVE_HTTPS: boolean({
    readBy: ['gateway', 'ignition', 'image'],
    fallback: false,
    meaning: 'Whether the REST API uses TLS with `HTTPS_KEY_FILE` and `HTTPS_CERT_FILE`.',
  }),
  OIDC_ISSUER_URL: text({
    ...GATEWAY,
    fallback: '',
    fallbackText: 'none',
    meaning: 'The issuer of the tokens of `AUTH_TYPE=oidc`.',
  }),
  OIDC_AUDIENCE: text({
    ...GATEWAY,
    fallback: '',
    fallbackText: 'none',
    meaning:
      'The required audience of tokens. Without this setting, tokens for other applications of the issuer are accepted.',
  }),
  JWKS_URL: text({
    ...GATEWAY,
    fallback: '',
    fallbackText: 'found through the issuer',
    meaning: 'The URL of the keys of the issuer.',
  }),
  JWKS_CERT: json({
    ...GATEWAY,
    schema: Type.Object({ keys: Type.Array(Type.Object({ kty: Type.String() }), { minItems: 1 }) }),
    expected: 'a JSON Web Key Set',
    fallbackText: 'none',
    meaning: 'The keys of the issuer as a JSON Web Key Set.',
  }),
  ADMIN_USERS: list({ ...GATEWAY, meaning: 'Names of administrators.' }),
  READ_ONLY_ADMIN_USERS: list({
    ...GATEWAY,
    meaning: 'Names of users with read access to everything and write access to nothing.',
  }),
  ENABLE_ORG_TENANCY: boolean({
    ...GATEWAY,
    fallback: false,
    meaning: 'Whether members of an organisation can read the resources of other members.',
  }),
  IMAGE_EXPIRATION_TIME: lifetime({
    ...GATEWAY,
    fallback: 4 * HOUR_MS,
    meaning: 'How long the download URL of an image is valid with `AUTH_TYPE=oidc`.',
  }),
  ALLOWED_HOSTS: list({
    ...GATEWAY,
    meaning:
      'DNS names under which `AUTH_TYPE=none` serves requests, in addition to IP addresses, `localhost`, names without a dot and the host of `SERVICE_BASE_URL`.',
  }),
  CONNECTIONS_PER_ADDRESS_MAX: integer({
    ...GATEWAY,
    fallback: 2_000,
    min: 0,
    max: RATE_MAX,
    meaning: 'Open connections of one address; further ones are closed. 0: no limit.',
  }),
  EVENTS_PER_MINUTE_MAX: integer({
    ...GATEWAY,
    fallback: 1_200,
    min: 0,
    max: RATE_MAX,
    meaning: 'Events that one token may add per minute (`POST /v2/events`) before 429. 0: no limit.',
  }),
  LOGS_BYTES_PER_CLUSTER_MAX: bytes({
    ...GATEWAY,
    fallback: 2 * 1024 ** 3,
    meaning:
      'The size of all uploaded logs of one cluster, in bytes. An upload that would exceed it is refused with 507.',
  }),
  FAILED_PROOFS_PER_MINUTE_MAX: integer({
    ...GATEWAY,
    fallback: 600,
    min: 0,
    max: RATE_MAX,
    meaning: 'Failed authentication attempts per minute and address before 429. 0: no limit.',
  }),
  REQUESTS_PER_SECOND_MAX: integer({
    ...GATEWAY,
    fallback: 0,
    min: 0,
    max: RATE_MAX,
    meaning: 'Requests per second and caller before 429. 0: no limit.',
  }),
  RELEASE_SOURCES: json({
    ...GATEWAY,
    schema: RELEASE_SOURCES,
    expected:
      'a JSON array of objects with openshift_version, multi_cpu_architectures and upgrade_channels of cpu_architecture and channels',
    fallbackText: 'the channels in `libs/assisted-api`',
    meaning: 'The channels that `GET /v2/release-sources` lists.',
  }),
  NTP_DEFAULT_SERVER: {
    ...text({
      ...GATEWAY,
      fallback: '',
      fallbackText: 'none',
      meaning: 'NTP sources that new clusters and infra-envs get when their request names none, comma separated.',
    }),
    expected: 'DNS names or IP addresses, comma separated',
    parse: (value: string) => (wrongHostIn(value) === undefined ? value : undefined),
  },
  DELETED_INACTIVE_AFTER: duration({
    ...GATEWAY,
    fallback: 480 * HOUR_MS,
    meaning: '`inactive_deletion_hours` in `GET /v2/clusters/default-config`. Muster deletes no inactive clusters.',
  }),
  SELF_VERSION: text({
    ...GATEWAY,
    fallback: 'muster',
    meaning: 'The version of the service in `GET /v2/component-versions`.',
  }),
  RELEASE_TAG: text({
    ...GATEWAY,
    fallback: '',
    fallbackText: 'none',
    meaning: 'The release tag in `GET /v2/component-versions`.',
  }),
};
