import { FINALIZING_STAGES } from '@muster/domain';
import { cluster, clusterTable, permitted, pick, PULL_SECRET, type WalkCall } from './walk-call.fixture.spec';

/** Legal and illegal input for PATCH of a cluster. */
const CLUSTER_CHANGES = [
  { name: 'walk-renamed' },
  { base_dns_domain: 'walk.example.com' },
  { api_vips: [{ ip: '192.168.140.100' }], ingress_vips: [{ ip: '192.168.140.101' }] },
  { machine_networks: [{ cidr: '192.168.140.0/24' }] },
  { cluster_networks: [{ cidr: '10.0.0.0/8', host_prefix: 64 }] },
  { service_networks: [] },
  { vip_dhcp_allocation: true },
  { user_managed_networking: true },
  { control_plane_count: 2 },
  { olm_operators: [{ name: 'lvm' }] },
  { olm_operators: [{ name: 'toString' }] },
  { platform: { type: 'none' } },
  { platform: { type: 'vsphere' }, user_managed_networking: true },
  { network_type: 'OpenShiftSDN' },
  { ssh_public_key: 'not a key' },
  { pull_secret: '{}' },
  { no_such_field: 1 },
  { http_proxy: 'ftp://nowhere' },
  { disk_encryption: { enable_on: 'all', mode: 'tang', tang_servers: 'x' } },
  { additional_ntp_source: 'ntp.example.com' },
  {},
];
const NAMES = ['kubeconfig', 'kubeconfig-noingress', 'kubeadmin-password', 'bootstrap.ign', '../../secret', 'logs'];
const INSTALL_CONFIGS = [
  '{"fips":true}',
  '{',
  '[]',
  '{"networking":{"networkType":"OVNKubernetes"}}',
  '',
  '{"pullSecret":"x"}',
];

const MANIFEST = Buffer.from('kind: ConfigMap\napiVersion: v1\nmetadata: {name: walk, namespace: default}\n').toString(
  'base64',
);
const MANIFESTS = [
  { folder: 'manifests', file_name: 'walk.yaml', content: MANIFEST },
  { folder: 'openshift', file_name: 'walk.yml', content: MANIFEST },
  { file_name: 'walk.json', content: Buffer.from('{}').toString('base64') },
  { folder: 'manifests', file_name: 'walk.txt', content: MANIFEST },
  { folder: 'elsewhere', file_name: 'walk.yaml', content: MANIFEST },
  { folder: 'manifests', file_name: '../walk.yaml', content: MANIFEST },
  { folder: 'manifests', file_name: 'walk.yaml', content: 'not base64!' },
  { folder: 'manifests', file_name: 'walk.yaml', content: Buffer.from('a: [').toString('base64') },
  { folder: 'manifests', file_name: 'walk.yaml' },
];
const MANIFEST_NAMES = ['walk.yaml', 'walked.yaml', 'nothing.yaml', '..%2Fwalk.yaml', ''];
/** The calls on clusters, besides the composite steps that start hosts and installations. */
export const CLUSTER_CALLS: readonly WalkCall[] = [
  { name: 'show cluster', method: 'GET', path: cluster },
  { name: 'show no cluster', method: 'GET', path: ({ host: id }) => `/clusters/${id}` },
  { name: 'list clusters', method: 'GET', path: () => '/clusters?with_hosts=true' },
  { name: 'preflight requirements', method: 'GET', path: (ids) => `${cluster(ids)}/preflight-requirements` },
  { name: 'show credentials', method: 'GET', path: (ids) => `${cluster(ids)}/credentials` },
  { name: 'show install-config', method: 'GET', path: (ids) => `${cluster(ids)}/install-config` },
  {
    name: 'list hosts of cluster',
    method: 'GET',
    path: (ids, v) => `${cluster(ids)}/hosts?with-inventory=${v % 2 === 0}`,
  },
  { name: 'supported platforms', method: 'GET', path: (ids) => `${cluster(ids)}/supported-platforms` },
  { name: 'monitored operators', method: 'GET', path: (ids) => `${cluster(ids)}/monitored-operators` },
  {
    name: 'revise cluster',
    method: 'PATCH',
    path: cluster,
    body: (_, v) => pick(CLUSTER_CHANGES, v),
    gate: permitted('edit'),
  },
  {
    name: 'override install-config',
    method: 'PATCH',
    path: (ids) => `${cluster(ids)}/install-config`,
    body: (_, v) => pick(INSTALL_CONFIGS, v),
  },
  {
    name: 'ignore validations',
    method: 'PUT',
    path: (ids) => `${cluster(ids)}/ignored-validations`,
    body: (_, v) =>
      pick(
        [
          { host_validation_ids: '["ntp-synced"]', cluster_validation_ids: '[]' },
          { cluster_validation_ids: '["all"]' },
          { host_validation_ids: '["toString"]' },
          { host_validation_ids: 'x' },
        ],
        v,
      ),
    gate: permitted('edit'),
  },
  {
    name: 'install',
    method: 'POST',
    path: (ids) => `${cluster(ids)}/actions/install`,
    gate: clusterTable('Install'),
  },
  {
    name: 'cancel',
    method: 'POST',
    path: (ids) => `${cluster(ids)}/actions/cancel`,
    gate: clusterTable('CancelInstallation'),
  },
  { name: 'reset', method: 'POST', path: (ids) => `${cluster(ids)}/actions/reset`, gate: clusterTable('Reset') },
  {
    name: 'allow hosts',
    method: 'POST',
    path: (ids) => `${cluster(ids)}/actions/allow-add-hosts`,
    gate: clusterTable('AllowAddHosts'),
  },
  {
    name: 'complete',
    method: 'POST',
    path: (ids) => `${cluster(ids)}/actions/complete-installation`,
    body: (_, v) => ({ is_success: v % 2 === 0, error_info: 'walk' }),
  },
  {
    name: 'finalizing stage',
    method: 'PUT',
    path: (ids) => `${cluster(ids)}/progress`,
    body: (_, v) => ({ finalizing_stage: pick([...FINALIZING_STAGES, 'No such stage'], v) }),
    gate: clusterTable('ReachFinalizingStage'),
  },
  {
    name: 'operator status',
    method: 'PUT',
    path: (ids) => `${cluster(ids)}/monitored-operators`,
    body: (_, v) => ({
      name: pick(['console', 'lvm', 'nothing'], v),
      status: pick(['available', 'failed', 'progressing', 'x'], v),
    }),
  },
  {
    name: 'ingress certificate',
    method: 'POST',
    path: (ids) => `${cluster(ids)}/uploads/ingress-cert`,
    body: () => 'no certificate',
  },
  {
    name: 'cluster logs progress',
    method: 'PUT',
    path: (ids) => `${cluster(ids)}/logs-progress`,
    body: (_, v) => ({ logs_state: pick(['requested', 'collecting', 'completed', 'x'], v) }),
  },
  {
    name: 'download logs',
    method: 'GET',
    path: (ids, v) => `${cluster(ids)}/logs?logs_type=${pick(['all', 'host', 'controller', 'x'], v)}`,
  },
  {
    name: 'download credentials',
    method: 'GET',
    path: (ids, v) => `${cluster(ids)}/downloads/credentials?file_name=${pick(NAMES, v)}`,
  },
  {
    name: 'download file',
    method: 'GET',
    path: (ids, v) => `${cluster(ids)}/downloads/files?file_name=${pick(NAMES, v)}`,
  },
  {
    name: 'upload logs',
    method: 'POST',
    path: (ids, v) =>
      `${cluster(ids)}/logs?${pick(
        [
          `logs_type=host&host_id=${ids.host}&infra_env_id=${ids.infraEnv}`,
          'logs_type=controller',
          'logs_type=host',
          'logs_type=all',
          `logs_type=host&host_id=x`,
        ],
        v,
      )}`,
    upload: (_, v) => ({ field: v % 7 === 6 ? 'file' : 'upfile', text: `logs ${v}` }),
  },
  {
    name: 'download logs of a host',
    method: 'GET',
    path: (ids) => `${cluster(ids)}/logs?logs_type=host&host_id=${ids.host}`,
  },
  {
    name: 'list manifests',
    method: 'GET',
    path: (ids, v) => `${cluster(ids)}/manifests?include_system_generated=${v % 2 === 0}`,
  },
  {
    name: 'create manifest',
    method: 'POST',
    path: (ids) => `${cluster(ids)}/manifests`,
    body: (_, v) => pick(MANIFESTS, v),
  },
  {
    name: 'revise manifest',
    method: 'PATCH',
    path: (ids) => `${cluster(ids)}/manifests`,
    body: (_, v) => ({
      folder: 'manifests',
      file_name: 'walk.yaml',
      ...pick(
        [
          { updated_file_name: 'walked.yaml' },
          { updated_folder: 'openshift' },
          { updated_content: MANIFEST },
          { updated_file_name: '../walk.yaml' },
          { updated_content: 'not base64!' },
          {},
        ],
        v,
      ),
    }),
  },
  {
    name: 'download manifest',
    method: 'GET',
    path: (ids, v) => `${cluster(ids)}/manifests/files?folder=manifests&file_name=${pick(MANIFEST_NAMES, v)}`,
  },
  {
    name: 'delete manifest',
    method: 'DELETE',
    path: (ids, v) => `${cluster(ids)}/manifests?folder=manifests&file_name=${pick(MANIFEST_NAMES, v)}`,
  },
  {
    name: 'import cluster',
    makes: 'cluster',
    method: 'POST',
    path: () => '/clusters/import',
    body: (ids, v) =>
      pick(
        [
          { name: `imported-${v}`, api_vip_dnsname: 'api.walk.example.com', openshift_cluster_id: ids.host },
          { name: `imported-${v}`, api_vip_dnsname: '192.168.140.100', openshift_cluster_id: ids.otherCluster },
          { name: 'no-id', api_vip_dnsname: 'api.walk.example.com', openshift_cluster_id: 'x' },
          { name: 'no-address', openshift_cluster_id: ids.host },
        ],
        v,
      ),
  },
  {
    name: 'register disconnected cluster',
    makes: 'cluster',
    method: 'POST',
    path: () => '/clusters/disconnected',
    body: (_, v) =>
      pick(
        [
          { name: `disconnected-${v}`, openshift_version: '4.18' },
          { name: `disconnected-${v}`, openshift_version: '4.99' },
          { openshift_version: '4.18' },
          { name: `disconnected-${v}`, openshift_version: '4.18', pull_secret: PULL_SECRET },
        ],
        v,
      ),
  },
  {
    name: 'keep ui settings',
    method: 'PUT',
    path: (ids) => `${cluster(ids)}/ui-settings`,
    body: (_, v) => `AI_UI:${v}`,
  },
  {
    name: 'list events',
    method: 'GET',
    path: ({ cluster: id }, v) => `/events?cluster_id=${id}&limit=${v}&order=${v % 2 ? 'ascending' : 'descending'}`,
  },
  { name: 'deregister cluster', method: 'DELETE', path: cluster, gate: clusterTable('Deregister') },
];
