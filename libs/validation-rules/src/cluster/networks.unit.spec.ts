import { sampleCluster, sampleClusterHost, sampleSettings } from '../facts/sample.facts';
import type { ClusterFacts } from '../facts/cluster.facts';
import type { ClusterRuleId } from '../rule/contract-ids';
import { evaluateCluster } from './cluster-rules.table';

type Settings = NonNullable<Parameters<typeof sampleSettings>[0]>;

const statusOf = (id: ClusterRuleId, settings: Settings, more: Partial<ClusterFacts> = {}): string | undefined =>
  evaluateCluster(sampleCluster({ settings: sampleSettings(settings), ...more })).find((one) => one.id === id)?.status;
const SDN = { networkType: 'OpenShiftSDN' };
const cluster = (cidr: string, hostPrefix: number): Settings => ({ clusterNetworks: [{ cidr, hostPrefix }] });
const hosts = (count: number): Pick<ClusterFacts, 'hosts'> => ({
  hosts: Array.from({ length: count }, (_, at) => sampleClusterHost({ hostKey: `env.${at}` })),
});
const DUAL_STACK = {
  machineNetworks: ['192.168.128.0/24', 'fd00::/64'],
  clusterNetworks: [
    { cidr: '10.128.0.0/14', hostPrefix: 23 },
    { cidr: 'fd01::/48', hostPrefix: 64 },
  ],
  serviceNetworks: ['172.30.0.0/16', 'fd02::/112'],
};

it('the VIPs are verified for their own use', () => {
  const vips = { apiVips: ['192.168.128.100'], ingressVips: ['192.168.128.100'] };
  const verified = (vipType: string, verification: string) => ({ vip: '192.168.128.100', vipType, verification });
  const vipVerifications = [verified('ingress', 'failed'), verified('api', 'succeeded')];
  expect(statusOf('api-vips-valid', vips, { vipVerifications })).toBe('success');
  expect(statusOf('ingress-vips-valid', vips, { vipVerifications })).toBe('failure');
});

describe('the network type', () => {
  it.each(['OpenShiftSDN', 'OVNKubernetes', 'CiscoACI', 'Cilium', 'Calico', 'None', ''])(
    'may be "%s"',
    (networkType) => {
      expect(statusOf('network-type-valid', { networkType })).toBe('success');
    },
  );

  it.each(['CiscoACI', 'Cilium', 'Calico', 'None'])('%s requires a manifest of the user', (networkType) => {
    const id = 'custom-manifests-requirements-satisfied';
    expect(statusOf(id, { networkType })).toBe('failure');
    expect(statusOf(id, { networkType, hasCustomManifest: true })).toBe('success');
  });

  it('OpenShiftSDN has IPv4 networks only', () => {
    expect(statusOf('network-type-valid', { ...SDN, ...cluster('fd01::/48', 64) })).toBe('failure');
    expect(statusOf('network-type-valid', { ...SDN, serviceNetworks: ['fd02::/112'] })).toBe('failure');
    expect(statusOf('network-type-valid', DUAL_STACK)).toBe('success');
  });

  it('OpenShiftSDN allocates VIPs by DHCP, and OVNKubernetes runs on a single node', () => {
    expect(statusOf('network-type-valid', { ...SDN, vipDhcpAllocation: true })).toBe('success');
    expect(statusOf('network-type-valid', { controlPlaneCount: 1 })).toBe('success');
  });
});

describe('the prefix of a cluster network', () => {
  it.each([
    ['has one subnet for one host', cluster('10.128.0.0/23', 23), 1, 'success'],
    ['has two subnets for two hosts', cluster('10.128.0.0/22', 23), 2, 'failure'],
    ['is shorter than the host prefix by two bits', cluster('10.128.0.0/21', 23), 2, 'success'],
    ['of SDN uses the given host prefix', { ...SDN, ...cluster('10.128.0.0/14', 0) }, 3, 'failure'],
    ['is not a network without a prefix', cluster('0.0.0.0/0', 23), 3, 'failure'],
    ['is not a text', cluster('anything', 23), 3, 'failure'],
    ['may have host prefix 1', cluster('0.0.0.0/1', 1), 1, 'success'],
    [
      'of IPv6 and another type has host prefix 64',
      { ...cluster('fd01::/62', 0), networkType: 'Cilium' },
      3,
      'success',
    ],
    ['of IPv6 and another type is too long', { ...cluster('fd01::/63', 0), networkType: 'Cilium' }, 3, 'failure'],
    ['of another type is too long', { ...cluster('10.128.0.0/24', 0), networkType: 'Calico' }, 3, 'failure'],
    ['is valid in both families', DUAL_STACK, 3, 'success'],
  ] as const)('%s', (_, settings, count, status) => {
    expect(statusOf('network-prefix-valid', settings, hosts(count))).toBe(status);
  });
});

describe('the families of the networks', () => {
  it.each([
    ['agree', DUAL_STACK, 'success'],
    ['differ in the cluster networks', { ...DUAL_STACK, ...cluster('10.128.0.0/14', 23) }, 'failure'],
    ['differ in the service networks', { ...DUAL_STACK, serviceNetworks: ['172.30.0.0/16'] }, 'failure'],
    [
      'agree with two cluster and machine networks of one family',
      {
        clusterNetworks: [
          { cidr: '10.128.0.0/14', hostPrefix: 23 },
          { cidr: '10.132.0.0/14', hostPrefix: 23 },
        ],
        machineNetworks: ['192.168.128.0/24', '192.168.129.0/24'],
      },
      'success',
    ],
  ] as const)('%s', (_, settings, status) => {
    expect(statusOf('networks-same-address-families', settings as Settings)).toBe(status);
  });
});

describe('the VIPs of a user-managed load balancer', () => {
  const balanced = { loadBalancerType: 'user-managed' };

  it('are not the broadcast address of their machine network', () => {
    expect(statusOf('api-vips-valid', { ...balanced, apiVips: ['192.168.128.255'] })).toBe('failure');
  });

  it('are valid when the first one is', () => {
    expect(statusOf('api-vips-valid', { ...balanced, apiVips: ['192.168.128.100', 'fd09::1'] })).toBe('success');
  });
});

describe('the verification of a VIP', () => {
  const verified = (api: string, ingress: string): ClusterFacts['vipVerifications'] => [
    { vip: '192.168.128.101', vipType: 'ingress', verification: ingress },
    { vip: '192.168.128.100', vipType: 'api', verification: api },
  ];

  it('counts for this VIP only', () => {
    expect(statusOf('api-vips-valid', {}, { vipVerifications: verified('succeeded', 'failed') })).toBe('success');
    expect(statusOf('ingress-vips-valid', {}, { vipVerifications: verified('succeeded', 'failed') })).toBe('failure');
    expect(statusOf('api-vips-valid', {}, { vipVerifications: verified('failed', 'succeeded') })).toBe('failure');
    const before = [{ vip: '192.168.128.99', vipType: 'api', verification: 'succeeded' }];
    expect(statusOf('api-vips-valid', {}, { vipVerifications: before })).toBe('pending');
  });
});
