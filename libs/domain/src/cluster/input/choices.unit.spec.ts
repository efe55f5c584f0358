import type { ClusterSettings, Plain } from '@muster/contracts';
import { after, registration, revise } from '../cluster.fixture.spec';
import { initialClusterState } from '../state';
import { controlPlaneCounts } from './choice.rules';
import { brokenInputRule } from './input';

type Settings = Plain<ClusterSettings>;

const list = (...items: string[]): { items: string[] } => ({ items });
const operators = (...names: string[]): Settings['olmOperators'] => ({
  items: names.map((name) => ({ name, properties: '', sourceBundles: [] })),
});
const NONE = { platformType: 'none', userManagedNetworking: true };
const SINGLE = { controlPlaneCount: 1 };
const DAY_2 = { kind: 'AddHostsCluster' } as const;
const TANG = (...servers: readonly object[]): Settings => ({
  diskEncryption: { enable_on: 'all', mode: 'tang', tang_servers: JSON.stringify(servers) },
});

const brokenIn = (settings: Settings, more: Parameters<typeof registration>[1] = {}) =>
  brokenInputRule(registration(settings, more), initialClusterState());
const brokenBy = (registered: Settings, changes: Settings, more: Parameters<typeof registration>[1] = {}) =>
  brokenInputRule(revise(changes), after(registration(registered, more)));

describe('the choices of a cluster', () => {
  it.each([
    'none',
    'masters',
    'arbiters',
    'workers',
    'masters,arbiters',
    'masters,workers',
    'arbiters,workers',
    'masters,arbiters,workers',
    'all',
  ])('include %s for hyperthreading and the encryption of disks', (machines) => {
    expect(brokenIn({ hyperthreading: machines })).toBeUndefined();
    expect(brokenIn({ diskEncryption: { enable_on: machines, mode: 'tpmv2' } })).toBeUndefined();
  });

  it.each(['workers,masters', 'all,masters', ''])('do not include "%s" for the encryption of disks', (machines) => {
    expect(brokenIn({ diskEncryption: { enable_on: machines } })?.broken).toMatchObject({
      reason: `disk_encryption.enable_on ${JSON.stringify(machines)} is not an allowed value.`,
    });
  });

  it('include the modes tpmv2 and tang', () => {
    expect(brokenIn({ diskEncryption: { enable_on: 'all', mode: 'tpm' } })?.broken).toEqual({
      reason: 'disk_encryption.mode "tpm" is not an allowed value.',
      allowed: ['tpmv2', 'tang'],
    });
  });

  it.each(['x86_64', 'aarch64', 'arm64', 'multi'])('include the architecture %s', (cpuArchitecture) => {
    expect(brokenIn({ cpuArchitecture })).toBeUndefined();
  });

  it.each(['OVNKubernetes', 'CiscoACI', 'Cilium', 'Calico', 'None'])('include the network type %s', (networkType) => {
    expect(brokenIn({ networkType })).toBeUndefined();
  });

  it('include the numbers of control plane hosts of the version', () => {
    expect([controlPlaneCounts('4.17.9'), controlPlaneCounts('4.18.0'), controlPlaneCounts('4.19.0')]).toEqual([
      [3],
      [3, 4, 5],
      [2, 3, 4, 5],
    ]);
    expect(brokenIn({ controlPlaneCount: 6 })?.broken.allowed).toEqual(['3', '4', '5']);
    expect(brokenIn({ controlPlaneCount: 3, highAvailabilityMode: 'None' })?.broken.allowed).toEqual(['1']);
  });

  it('are not limited by the number of hosts, the platform and the features on day 2', () => {
    const settings = { platformType: 'vsphere', controlPlaneCount: 1, userManagedNetworking: false };
    expect(brokenIn({ ...settings, cpuArchitecture: 's390x' }, DAY_2)).toBeUndefined();
    expect(brokenIn({ platformType: 'baremetal', userManagedNetworking: true }, DAY_2)).toBeUndefined();
    expect(brokenIn({ controlPlaneCount: 9 }, DAY_2)).toBeUndefined();
    expect(brokenIn({ olmOperators: operators('odf', 'lvm') }, DAY_2)).toBeUndefined();
  });
});

describe('the refusal of a choice', () => {
  it.each<[string, Settings, string, readonly string[] | undefined]>([
    [
      'of networking on a single node',
      { ...SINGLE, userManagedNetworking: false },
      'single-node-manages-no-network',
      ['true'],
    ],
    [
      'of platforms on a single node',
      { ...SINGLE, platformType: 'nutanix' },
      'single-node-has-no-platform',
      ['none', 'external'],
    ],
    [
      'of platforms on s390x',
      { cpuArchitecture: 's390x', platformType: 'vsphere' },
      'architecture-has-no-platform',
      ['none'],
    ],
    [
      'of networking on ppc64le',
      { cpuArchitecture: 'ppc64le', platformType: 'none', userManagedNetworking: false },
      'architecture-has-no-platform',
      ['true'],
    ],
    [
      'of the network type of a single node',
      { ...SINGLE, networkType: 'OpenShiftSDN' },
      'single-node-network-type',
      ['OVNKubernetes'],
    ],
    [
      'of networking on platform external',
      { platformType: 'external', userManagedNetworking: false },
      'platform-fits-networking',
      undefined,
    ],
    [
      'of a load balancer with VIPs from DHCP',
      { loadBalancerType: 'user-managed', vipDhcpAllocation: true },
      'load-balancer-fits',
      undefined,
    ],
    [
      'of a load balancer with user-managed networking',
      { ...NONE, loadBalancerType: 'user-managed' },
      'load-balancer-fits',
      undefined,
    ],
  ])('%s names what is allowed', (_case, settings, id, allowed) => {
    const found = brokenIn(settings);
    expect(found?.rule.id).toBe(id);
    expect(found?.broken.allowed).toEqual(allowed);
  });

  it('of another availability is for a registered cluster only', () => {
    expect(brokenBy({}, { highAvailabilityMode: 'None' })?.rule.id).toBe('availability-unchanged');
    expect(brokenBy({}, { highAvailabilityMode: 'Full' })).toBeUndefined();
    expect(brokenBy(SINGLE, { highAvailabilityMode: 'Full' })?.rule.id).toBe('availability-unchanged');
    expect(brokenIn({ highAvailabilityMode: 'None' })).toBeUndefined();
  });

  it('of the encryption is for imported clusters', () => {
    const imported = { ...DAY_2, imported: true };
    const settings = { apiVipDnsName: 'api.lab.example.com' };
    expect(brokenBy(settings, { diskEncryption: { enable_on: 'all' } }, imported)?.broken.reason).toBe(
      'The disk encryption of an imported cluster cannot be set.',
    );
  });
});

describe('Tang servers', () => {
  const SERVER = { url: 'http://tang.example.com:7500', thumbprint: 'abc' };

  it.each<[string, readonly object[]]>([
    ['one server', [SERVER]],
    ['two servers', [SERVER, { ...SERVER, url: 'https://tang2.example.com' }]],
  ])('may be %s', (_case, servers) => {
    expect(brokenIn(TANG(...servers))).toBeUndefined();
  });

  it.each<[string, readonly object[]]>([
    ['none', []],
    ['one without a URL', [SERVER, { thumbprint: 'abc' }]],
    ['one with another scheme', [SERVER, { ...SERVER, url: 'ftp://tang.example.com' }]],
    ['one without a host', [SERVER, { ...SERVER, url: 'http://' }]],
    ['one without a thumbprint', [{ url: 'http://tang2.example.com' }, SERVER]],
    ['the same server twice', [SERVER, SERVER]],
  ])('may not be %s', (_case, servers) => {
    expect(brokenIn(TANG(...servers))?.broken.subject).toBe('disk_encryption.tang_servers');
  });

  it('may be absent while no disk is encrypted', () => {
    expect(brokenIn({ diskEncryption: { enable_on: 'none', mode: 'tang' } })).toBeUndefined();
  });
});

describe('a revision whose features do not fit together', () => {
  it.each<[string, Settings, Settings]>([
    ['the number of control plane hosts', { platformType: 'vsphere' }, { controlPlaneCount: 4 }],
    [
      'the load balancer',
      { apiVips: list('10.0.0.5', 'fd00::5'), ...dualStack() },
      { loadBalancerType: 'user-managed' },
    ],
    ['the platform', { olmOperators: operators('nmstate') }, { ...NONE, platformType: 'external' }],
    [
      'the details of the platform',
      { ...NONE, platformType: 'external', olmOperators: operators('odf') },
      { platformDetails: { type: 'external', external: { platform_name: 'oci' } } },
    ],
    ['the operators', SINGLE, { olmOperators: operators('odf') }],
    ['the network type', {}, { networkType: 'OpenShiftSDN' }],
    ['the allocation of VIPs', {}, { vipDhcpAllocation: true }],
    ['the VIPs', { loadBalancerType: 'user-managed' }, { apiVips: list('10.0.0.5', 'fd00::5') }],
    [
      'the machine networks',
      { loadBalancerType: 'user-managed' },
      { machineNetworks: list('10.0.0.0/24', 'fd00::/64') },
    ],
    [
      'the service networks',
      { loadBalancerType: 'user-managed' },
      { serviceNetworks: list('172.30.0.0/16', 'fd02::/112') },
    ],
    ['the cluster networks', { loadBalancerType: 'user-managed' }, { clusterNetworks: dualStack().clusterNetworks }],
  ])('is refused when it sets %s', (_case, registered, changes) => {
    expect(brokenBy(registered, changes)?.rule.id).toBe('features-fit-together');
  });
});

function dualStack() {
  return {
    clusterNetworks: {
      items: [
        { cidr: '10.128.0.0/14', hostPrefix: 23 },
        { cidr: 'fd01::/48', hostPrefix: 64 },
      ],
    },
    serviceNetworks: list('172.30.0.0/16', 'fd02::/112'),
  };
}
