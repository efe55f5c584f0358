import {
  CLUSTER_PERMISSIONS,
  CLUSTER_TABLE,
  type ClusterAction,
  type ClusterCommandType,
  FINALIZING_STAGES,
  HOST_STAGES,
  HOST_TABLE,
  type HostCommandType,
} from '@muster/domain';

/** Statuses of a cluster or host in which the call may be accepted; in any other it has to be refused. */
export interface Gate {
  readonly of: 'cluster' | 'host';
  readonly statuses: readonly string[];
  /** In these statuses nothing but the input may be the reason for a refusal. */
  readonly isStatusAlone: boolean;
}

export interface Ids {
  readonly cluster: string;
  readonly otherCluster: string;
  readonly infraEnv: string;
  readonly host: string;
}

/** One call of the contract: where to, with what, and when it may be accepted. */
export interface WalkCall {
  readonly name: string;
  readonly method: string;
  readonly path: (ids: Ids, value: number) => string;
  readonly body?: (ids: Ids, value: number) => unknown;
  /** Sent as a form with one file instead of JSON. */
  readonly upload?: (ids: Ids, value: number) => { readonly field: string; readonly text: string };
  readonly gate?: Gate;
  /** What comes after it meets the new one. */
  readonly makes?: 'cluster';
}

export const PULL_SECRET = JSON.stringify({
  auths: { 'cloud.openshift.com': { auth: Buffer.from('walk:walk').toString('base64'), email: 'walk@example.com' } },
});

const permitted = (action: ClusterAction): Gate => ({
  of: 'cluster',
  statuses: CLUSTER_PERMISSIONS[action].statuses,
  isStatusAlone: true,
});
const clusterTable = (on: ClusterCommandType): Gate => ({
  of: 'cluster',
  statuses: CLUSTER_TABLE.accepting(on),
  isStatusAlone: false,
});
const hostTable = (...commands: readonly HostCommandType[]): Gate => ({
  of: 'host',
  statuses: commands.flatMap((command) => HOST_TABLE.accepting(command)),
  isStatusAlone: false,
});

const pick = <Item>(items: readonly Item[], value: number): Item | undefined => items[value % items.length];
const cluster = ({ cluster: id }: Ids): string => `/clusters/${id}`;
const infraEnv = ({ infraEnv: id }: Ids): string => `/infra-envs/${id}`;
const host = (ids: Ids): string => `/infra-envs/${ids.infraEnv}/hosts/${ids.host}`;

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
const HOST_CHANGES = [
  { host_role: 'master' },
  { host_role: 'worker' },
  { host_role: 'auto-assign' },
  { host_name: 'walk-one' },
  { host_name: 'localhost' },
  { host_name: 'Not A Name' },
  { disks_selected_config: [{ id: '/dev/sda', role: 'install' }] },
  { disks_selected_config: [{ id: 'no such disk', role: 'install' }] },
  { disks_skip_formatting: [{ disk_id: '/dev/sdz', skip_formatting: true }] },
  { machine_config_pool_name: 'worker' },
  { node_labels: [{ key: 'a b', value: '' }] },
  { node_labels: [{ key: 'walk.example.com/a', value: 'b' }] },
  { ignition_endpoint_token: 'walk' },
  { fencing_credentials: { address: 'redfish+http://x', username: 'u', password: 'p' } },
  {},
];
const STEP_REPLIES = [
  { step_type: 'inventory', output: '{}' },
  { step_type: 'inventory', output: 'not json' },
  { step_type: 'inventory', output: '{"disks":null,"interfaces":[{}],"hostname":7}' },
  { step_type: 'connectivity-check', output: '{"remote_hosts":[{"host_id":"x"}]}' },
  { step_type: 'free-network-addresses', output: '[]' },
  { step_type: 'installation-disk-speed-check', output: '{"path":"/dev/sda","io_sync_duration":900}' },
  { step_type: 'container-image-availability', output: '{"images":[{"name":"x","result":"failure"}]}' },
  { step_type: 'install', exit_code: 1, error: 'it broke' },
  { step_type: 'domain-resolution', output: '{"resolutions":[]}' },
  { step_type: 'ntp-synchronizer', exit_code: -1, error: 'x' },
  { step_type: 'inventory', exit_code: 256, error: 'media' },
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
const IGNITIONS = ['', '{"ignition":{"version":"3.1.0"}}', '{', '{"ignition":{"version":"9.9.9"}}'];

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

/** What is walked over, besides the composite steps that bring hosts and installations along. */
export const CALLS: readonly WalkCall[] = [
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

  { name: 'show infra-env', method: 'GET', path: infraEnv },
  {
    name: 'revise infra-env',
    method: 'PATCH',
    path: infraEnv,
    body: (_, v) =>
      pick(
        [
          { image_type: 'minimal-iso' },
          { image_type: 'full-iso' },
          { ignition_config_override: pick(IGNITIONS, v) },
          { kernel_arguments: [{ operation: 'append', value: 'quiet' }] },
          { kernel_arguments: [{ operation: 'x', value: ' ' }] },
          { static_network_config: [{ network_yaml: 'interfaces: []', mac_interface_map: [] }] },
          { static_network_config: [{ network_yaml: ':' }] },
          { openshift_version: '4.99' },
          { ssh_authorized_key: 'x' },
          {},
        ],
        v,
      ),
  },
  { name: 'image url', method: 'GET', path: (ids) => `${infraEnv(ids)}/downloads/image-url` },
  {
    name: 'infra-env file',
    method: 'GET',
    path: (ids, v) =>
      `${infraEnv(ids)}/downloads/files?file_name=${pick(['discovery.ign', 'ipxe-script', 'static-network-config', 'x'], v)}`,
  },
  { name: 'signing key', method: 'POST', path: (ids) => `${infraEnv(ids)}/regenerate-signing-key` },
  { name: 'deregister infra-env', method: 'DELETE', path: infraEnv },

  {
    name: 'register host',
    method: 'POST',
    path: (ids) => `${infraEnv(ids)}/hosts`,
    body: ({ host: id }) => ({ host_id: id, discovery_agent_version: 'quay.io/muster/agent:latest' }),
    gate: hostTable('Register'),
  },
  { name: 'show host', method: 'GET', path: host },
  { name: 'list hosts', method: 'GET', path: (ids) => `${infraEnv(ids)}/hosts` },
  { name: 'next steps', method: 'GET', path: (ids) => `${host(ids)}/instructions` },
  {
    name: 'reply',
    method: 'POST',
    path: (ids) => `${host(ids)}/instructions`,
    body: (_, v) => ({ step_id: `walk-${v}`, ...pick(STEP_REPLIES, v) }),
  },
  {
    name: 'progress',
    method: 'PUT',
    path: (ids) => `${host(ids)}/progress`,
    body: (_, v) => ({
      current_stage: pick([...HOST_STAGES, 'No such stage'], v),
      progress_info: v % 3 === 0 ? '50%' : undefined,
    }),
  },
  { name: 'revise host', method: 'PATCH', path: host, body: (_, v) => pick(HOST_CHANGES, v) },
  {
    name: 'bind',
    method: 'POST',
    path: (ids) => `${host(ids)}/actions/bind`,
    body: ({ otherCluster, host: id }, v) => ({ cluster_id: v % 5 === 0 ? id : otherCluster }),
    gate: hostTable('Bind'),
  },
  { name: 'unbind', method: 'POST', path: (ids) => `${host(ids)}/actions/unbind`, gate: hostTable('Unbind') },
  {
    name: 'install host',
    method: 'POST',
    path: (ids) => `${host(ids)}/actions/install`,
    gate: hostTable('InstallHost'),
  },
  { name: 'reset host', method: 'POST', path: (ids) => `${host(ids)}/actions/reset`, gate: hostTable('RequireReset') },
  {
    name: 'reset validation',
    method: 'PATCH',
    path: (ids, v) =>
      `${host(ids)}/actions/reset-validation/${pick(['container-images-available', 'sufficient-installation-disk-speed', 'ntp-synced'], v)}`,
  },
  {
    name: 'installer arguments',
    method: 'PATCH',
    path: (ids) => `${host(ids)}/installer-args`,
    body: (_, v) => ({ args: pick([['--append-karg', 'quiet'], ['--no-such'], []], v) }),
  },
  {
    name: 'host ignition',
    method: 'PATCH',
    path: (ids) => `${host(ids)}/ignition`,
    body: (_, v) => ({ config: pick(IGNITIONS, v) }),
  },
  { name: 'show host ignition', method: 'GET', path: (ids) => `${host(ids)}/ignition` },
  {
    name: 'download host ignition',
    method: 'GET',
    path: (ids) => `/infra-env/${ids.infraEnv}/hosts/${ids.host}/downloads/ignition`,
  },
  {
    name: 'host logs progress',
    method: 'PUT',
    path: (ids) => `${host(ids)}/logs-progress`,
    body: (_, v) => ({ logs_state: pick(['requested', 'collecting', 'completed', 'x'], v) }),
  },
  { name: 'deregister host', method: 'DELETE', path: host },
];
