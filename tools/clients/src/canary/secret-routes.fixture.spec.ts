import type { CanaryWords } from './canary-secrets.fixture.spec';

export interface SecretRoute {
  /** A valid body with a planted value for each secret. */
  readonly body: (words: CanaryWords) => object | string;
  /** Secrets that the response returns to the caller. */
  readonly shows?: readonly string[];
}

const API = '/api/assisted-install/v2';
const CLUSTER = `${API}/clusters/:cluster_id`;
const INFRA_ENV = `${API}/infra-envs/:infra_env_id`;
const HOST = `${INFRA_ENV}/hosts/:host_id`;
export const MANIFEST = { folder: 'manifests', file_name: 'canary.yaml' };

const HOST_IGNITION = 'ignition override of a host';
export const LOG = 'a line of a log';

const pullSecret = ({ plant, base64 }: CanaryWords): string =>
  JSON.stringify({
    auths: { 'cloud.openshift.com': { auth: base64(`user:${plant('pull secret')}`), email: plant('pull secret') } },
  });
const proxies = ({ plant }: CanaryWords): { http_proxy: string; https_proxy: string } => ({
  http_proxy: `http://user:${plant('http_proxy')}@proxy.example.com:3128`,
  https_proxy: `https://${plant('https_proxy')}@proxy.example.com:3128`,
});
const ignition = (word: string): string =>
  JSON.stringify({
    ignition: { version: '3.2.0' },
    storage: { files: [{ path: '/etc/canary', mode: 384, contents: { source: `data:,${word}` } }] },
  });
const networks = (word: string): object[] => [
  {
    network_yaml: `interfaces: [{name: eth0, type: ethernet, state: up, mac-address: "02:00:00:80:12:14", ipv4: {enabled: false}, ipv6: {enabled: false}}] # ${word}`,
    mac_interface_map: [{ mac_address: '02:00:00:80:12:14', logical_nic_name: 'eth0' }],
  },
];
const manifest = ({ plant, base64 }: CanaryWords): string =>
  base64(`apiVersion: v1\nkind: Secret\nmetadata: {name: canary}\nstringData: {value: ${plant('manifest')}}\n`);

/** Every route whose body may contain a secret. */
export const SECRET_ROUTES: ReadonlyMap<string, SecretRoute> = new Map<string, SecretRoute>([
  [
    `POST ${API}/clusters`,
    {
      body: (words) => ({
        name: 'canary',
        base_dns_domain: 'example.com',
        openshift_version: '4.18',
        pull_secret: pullSecret(words),
        ...proxies(words),
      }),
    },
  ],
  [`PATCH ${CLUSTER}`, { body: (words) => ({ tags: 'canary', pull_secret: pullSecret(words), ...proxies(words) }) }],
  [
    `POST ${API}/infra-envs`,
    {
      body: (words) => ({
        name: 'canary',
        openshift_version: '4.18',
        pull_secret: pullSecret(words),
        proxy: proxies(words),
      }),
    },
  ],
  [
    `PATCH ${INFRA_ENV}`,
    {
      body: (words) => ({
        additional_ntp_sources: 'ntp.example.com',
        pull_secret: pullSecret(words),
        proxy: proxies(words),
        ignition_config_override: ignition(words.plant('ignition_config_override')),
        static_network_config: networks(words.plant('static_network_config')),
      }),
      shows: ['ignition_config_override', 'static_network_config'],
    },
  ],
  [
    `PATCH ${CLUSTER}/install-config`,
    { body: ({ plant }) => JSON.stringify({ sshKey: plant('install_config_overrides') }) },
  ],
  [`PATCH ${HOST}/ignition`, { body: ({ plant }) => ({ config: ignition(plant(HOST_IGNITION)) }) }],
  [
    `PATCH ${HOST}`,
    {
      body: ({ plant }) => ({
        machine_config_pool_name: 'infra',
        ignition_endpoint_token: plant('ignition endpoint token'),
        ignition_endpoint_http_headers: [{ key: 'Authorization', value: plant('ignition endpoint header') }],
        fencing_credentials: {
          address: 'redfish+https://192.0.2.7/redfish/v1/Systems/1',
          username: plant('fencing user'),
          password: plant('fencing password'),
        },
      }),
      shows: [HOST_IGNITION],
    },
  ],
  [`POST ${CLUSTER}/manifests`, { body: (words) => ({ ...MANIFEST, content: manifest(words) }) }],
  [`PATCH ${CLUSTER}/manifests`, { body: (words) => ({ ...MANIFEST, updated_content: manifest(words) }) }],
  [
    'POST /api/muster/v1/preflight',
    {
      body: (words) => ({ cluster: { openshift_version: '4.18', pull_secret: pullSecret(words), ...proxies(words) } }),
    },
  ],
  [
    'POST /api/muster/v1/static-network-previews',
    {
      body: ({ plant }) => ({
        openshift_version: '4.18',
        static_network_config: networks(plant('previewed static network')),
      }),
    },
  ],
]);

/** Accepts a file instead of JSON. The content of a log bundle is for its downloader. */
export const UPLOADS: ReadonlyMap<string, string> = new Map([[`POST ${CLUSTER}/logs`, LOG]]);

/** Routes that change something and have no secret in their body, or no body. */
export const PLAIN_ROUTES: ReadonlySet<string> = new Set([
  ...['import', 'disconnected'].map((name) => `POST ${API}/clusters/${name}`),
  ...['allow-add-hosts', 'allow-add-workers', 'cancel', 'complete-installation', 'install', 'reset'].map(
    (name) => `POST ${CLUSTER}/actions/${name}`,
  ),
  `POST ${CLUSTER}/uploads/ingress-cert`,
  ...['progress', 'ui-settings', 'logs-progress', 'monitored-operators', 'ignored-validations'].map(
    (name) => `PUT ${CLUSTER}/${name}`,
  ),
  `POST ${API}/events`,
  `POST ${INFRA_ENV}/regenerate-signing-key`,
  // The body contains a public key. The returned credentials cannot be used without the private key, which stays on the
  // host.
  'POST /api/muster/v1/infra-envs/:infra_env_id/hosts/:host_id/bus-credentials',
  `POST ${INFRA_ENV}/hosts`,
  `PUT /api/muster/v1/clusters/:cluster_id/validation-overrides`,
  `POST ${HOST}/instructions`,
  `PUT ${HOST}/progress`,
  `PUT ${HOST}/logs-progress`,
  `PATCH ${HOST}/installer-args`,
  `PATCH ${HOST}/actions/reset-validation/:validation_id`,
  ...['bind', 'install', 'reset', 'unbind'].map((name) => `POST ${HOST}/actions/${name}`),
]);

/** Values that these responses show on purpose. No other response contains a secret. */
export const SHOWN_TO_THE_OWNER: ReadonlyMap<string, readonly string[]> = new Map([
  [`GET ${CLUSTER}`, ['install_config_overrides']],
  [`GET ${API}/clusters`, ['install_config_overrides']],
  ['GET /api/muster/v1/clusters/:cluster_id', ['install_config_overrides']],
  [`GET ${CLUSTER}/install-config`, ['http_proxy', 'https_proxy', 'install_config_overrides', 'pull secret']],
  [`GET ${CLUSTER}/manifests/files`, ['manifest']],
  [`GET ${INFRA_ENV}`, ['ignition_config_override', 'static_network_config']],
  [`GET ${API}/infra-envs`, ['ignition_config_override', 'static_network_config']],
  // The discovery Ignition config. It also contains the pull secret, encoded twice.
  [`GET ${INFRA_ENV}/downloads/files`, ['http_proxy', 'https_proxy', 'ignition_config_override']],
  [`GET ${CLUSTER}/logs`, [LOG]],
  [`GET ${HOST}`, [HOST_IGNITION]],
  [`GET ${INFRA_ENV}/hosts`, [HOST_IGNITION]],
]);
