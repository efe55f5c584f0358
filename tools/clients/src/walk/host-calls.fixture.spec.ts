import { HOST_STAGES } from '@muster/domain';
import { host, hostTable, infraEnv, pick, type WalkCall } from './walk-call.fixture.spec';

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
const IGNITIONS = ['', '{"ignition":{"version":"3.1.0"}}', '{', '{"ignition":{"version":"9.9.9"}}'];

/** The calls on infra-envs and hosts. */
export const HOST_CALLS: readonly WalkCall[] = [
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
