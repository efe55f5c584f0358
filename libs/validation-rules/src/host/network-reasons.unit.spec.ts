import type { ClusterSettingsFacts } from '../facts/cluster-settings.facts';
import { type HostFacts, SERVICE_DEFAULTS } from '../facts/host.facts';
import { sampleDisk, sampleHardware, sampleHost, sampleNic, sampleSettings } from '../facts/sample.facts';
import { isEdgeWorker } from '../hardware/host-requirements';
import { initialOutcome } from '../rule/evaluate-rules';
import { type Outcome, SUPPRESSED } from '../rule/rule';
import { evaluateHost } from './host-rules.table';
import { NETWORK_RULES } from './network.rules';

/** Returns status, reason and parameters of an outcome. */
const found = (id: string, facts: HostFacts): readonly (string | undefined)[] | undefined => {
  const outcome = evaluateHost(facts).find((one) => one.id === id);
  return outcome && summaryOf(outcome);
};
const summaryOf = ({ status, reason, parameters }: Outcome): readonly (string | undefined)[] => [
  status,
  reason,
  ...parameters,
];
const inCluster = (settings: Partial<ClusterSettingsFacts>, changes: Partial<HostFacts> = {}): HostFacts =>
  sampleHost({ cluster: sampleSettings(settings), ...changes });
const withNics = (...addresses: readonly string[]): Pick<HostFacts, 'hardware'> => ({
  hardware: sampleHardware({
    nics: addresses.map((address, at) => {
      const family = address.includes(':') ? 'ipv6Addresses' : 'ipv4Addresses';
      return sampleNic({ name: `ens${at}`, ipv4Addresses: [], [family]: [address] });
    }),
  }),
});

const USER_MANAGED = { userManagedNetworking: true, controlPlaneCount: 3 };
const TWO_NETWORKS = { machineNetworks: ['10.1.0.0/24', '10.2.0.0/24'] };
const DUAL_STACK = {
  clusterNetworks: [
    { cidr: '10.128.0.0/14', hostPrefix: 23 },
    { cidr: 'fd01::/48', hostPrefix: 64 },
  ],
  serviceNetworks: ['172.30.0.0/16', 'fd02::/112'],
  machineNetworks: [],
};

describe('belongs-to-majority-group with routed hosts', () => {
  const claim = (majority: Partial<NonNullable<HostFacts['majority']>>) =>
    found(
      'belongs-to-majority-group',
      inCluster(
        { ...USER_MANAGED, ...DUAL_STACK },
        {
          isReachReported: true,
          majority: {
            groups: [],
            reachedFamilies: [],
            unreachedFamilies: [4, 6],
            hasEnoughHosts: true,
            awaitsReports: false,
            ...majority,
          },
        },
      ),
    );

  it.each([
    [{ hasEnoughHosts: false }, ['pending', 'awaits-more-hosts']],
    [{}, ['failure', undefined, 'IPv4, IPv6']],
    [{ reachedFamilies: [4], unreachedFamilies: [6] }, ['failure', undefined, 'IPv6']],
    [{ unreachedFamilies: [] }, ['pending', 'awaits-groups']],
    [{ reachedFamilies: [4, 6] }, ['success', undefined]],
  ] as const)('with %j is %j', (majority, expected) => {
    expect(claim(majority)).toEqual(expected);
  });
});

describe('sufficient-network-latency-requirement-for-role', () => {
  const claim = (peers: readonly (readonly [name: string, latencyMs: number])[], changes: Partial<HostFacts> = {}) =>
    found(
      'sufficient-network-latency-requirement-for-role',
      sampleHost({
        isReachReported: true,
        clusterHostCount: 9,
        weakPeers: peers.map(([name, latencyMs]) => ({ name, role: 'master', latencyMs, packetLossPercent: 0 })),
        ...changes,
      }),
    );
  const FIVE = ['a', 'b', 'c', 'd', 'e'].map((name) => [name, 150] as const);

  it('lists the slowest hosts first, and hosts with the same latency by name', () => {
    const peers = [
      ['b', 150],
      ['c', 300],
      ['a', 150],
    ] as const;
    expect(claim(peers)?.[2]).toBe('c 300 ms, a 150 ms, b 150 ms');
  });

  it('counts the hosts after the fifth', () => {
    expect(claim(FIVE)?.[2]).toBe('a 150 ms, b 150 ms, c 150 ms, d 150 ms, e 150 ms');
    expect(claim([['f', 120], ...FIVE])?.[2]).toMatch(/e 150 ms and 1 more$/);
  });

  it('is not measured on the only host and without a role', () => {
    expect(claim([['a', 150]], { clusterHostCount: 1 })).toEqual(['success', 'only-host']);
    expect(claim([['a', 150]], { suggestedRole: '' })).toEqual(['success', 'no-role']);
  });

  it('has no limit on an edge worker', () => {
    const hardware = sampleHardware({ cpuArchitecture: 'aarch64', productName: 'BlueField SoC' });
    const weakPeers = [{ name: 'a', role: 'worker', latencyMs: 5_000, packetLossPercent: 0 }];
    const claimOn = (edgeWorkerProducts: readonly string[]) =>
      claim([], { hardware, weakPeers, role: 'worker', policy: { ...SERVICE_DEFAULTS, edgeWorkerProducts } })?.[0];
    expect([claimOn(['BlueField SoC']), claimOn([])]).toEqual(['success', 'failure']);
  });
});

describe('no-iscsi-nic-belongs-to-machine-cidr', () => {
  const ADDRESS = '192.168.128.10';
  const onDisks = (...disks: readonly Parameters<typeof sampleDisk>[0][]): Partial<HostFacts> => ({
    hardware: sampleHardware({
      disks: disks.map((disk, at) => sampleDisk({ ...(at > 0 && { id: `d${at}` }), ...disk })),
    }),
  });
  const SESSION = { driveType: 'iSCSI', iscsiHostIpAddress: ADDRESS };
  const MULTIPATH = { driveType: 'Multipath', name: 'dm-0' };
  const claim = (changes: Partial<HostFacts>, settings: Partial<ClusterSettingsFacts> = {}) =>
    found('no-iscsi-nic-belongs-to-machine-cidr', inCluster(settings, changes));

  it('names the interface', () => {
    expect(claim(onDisks(SESSION))).toEqual(['failure', undefined, 'ens3']);
  });

  it.each<[string, Partial<HostFacts>, Partial<ClusterSettingsFacts>]>([
    ['on day 2', { kind: 'AddToExistingClusterHost' }, {}],
    ['in an imported cluster', {}, { imported: true }],
    ['with user-managed networking', {}, USER_MANAGED],
  ])('does not apply %s', (_, changes, settings) => {
    expect(claim({ ...onDisks(SESSION), ...changes }, settings)).toEqual([SUPPRESSED, undefined]);
  });

  it('is pending until the inventory and the machine networks are known', () => {
    expect(claim({ hardware: undefined })?.[0]).toBe('pending');
    expect(claim(onDisks({}), { machineNetworks: [] })?.[0]).toBe('pending');
  });

  it('reads the iSCSI paths of a multipath disk only', () => {
    expect(claim(onDisks(MULTIPATH, { ...SESSION, holders: 'dm-1,dm-0' }))?.[0]).toBe('failure');
    expect(claim(onDisks(MULTIPATH, { ...SESSION, holders: 'dm-01' }))).toEqual([SUPPRESSED, undefined]);
    expect(claim(onDisks(MULTIPATH, { ...SESSION, driveType: 'FC', holders: 'dm-0' }))).toEqual([
      SUPPRESSED,
      undefined,
    ]);
    expect(claim(onDisks({ name: 'dm-0' }, { ...SESSION, holders: 'dm-0' }))).toEqual([SUPPRESSED, undefined]);
  });

  it.each([
    ['', ['error', 'no-address']],
    ['10.8.0.1', ['error', 'no-interface', '10.8.0.1']],
    ['none', ['error', 'no-interface', 'none']],
  ])('with the address "%s" is %j', (iscsiHostIpAddress, expected) => {
    expect(claim(onDisks({ ...SESSION, iscsiHostIpAddress }))).toEqual(expected);
  });
});

describe('belongs-to-machine-cidr', () => {
  const claim = (settings: Partial<ClusterSettingsFacts>, changes: Partial<HostFacts>) =>
    found('belongs-to-machine-cidr', inCluster({ ...TWO_NETWORKS, ...settings }, changes));
  const BALANCED = { loadBalancerType: 'user-managed' };
  const BOTH = '10.1.0.0/24, 10.2.0.0/24';

  it.each<[string, Partial<ClusterSettingsFacts>, Partial<HostFacts>, readonly unknown[]]>([
    ['in both networks', {}, withNics('10.1.0.5/24', '10.2.0.5/24'), ['success', undefined]],
    ['in one network', {}, withNics('10.1.0.5/24'), ['failure', undefined, '10.2.0.0/24', BOTH]],
    ['in none', {}, withNics('10.3.0.5/24'), ['failure', undefined, BOTH, BOTH]],
    ['in one network, balanced by a user', BALANCED, withNics('10.2.0.5/24'), ['success', undefined]],
    ['in none, balanced by a user', BALANCED, withNics('10.3.0.5/24'), ['failure', undefined, BOTH, BOTH]],
    ['of a network that cannot be read', { machineNetworks: ['x'] }, {}, ['failure', undefined, '', 'x']],
    ['with user-managed networking', USER_MANAGED, withNics('10.3.0.5/24'), ['success', 'user-managed-networking']],
    [
      'of the bootstrap host with user-managed networking',
      USER_MANAGED,
      { ...withNics('10.3.0.5/24'), isBootstrap: true },
      ['failure', undefined, BOTH, BOTH],
    ],
    [
      'of the bootstrap host without machine networks',
      { ...USER_MANAGED, machineNetworks: [] },
      { ...withNics('10.3.0.5/24'), isBootstrap: true },
      ['success', 'user-managed-networking'],
    ],
    ['in a cluster of day 2', { kind: 'AddHostsCluster', ...USER_MANAGED }, {}, ['success', 'day-2']],
    ['without inventory', {}, { hardware: undefined }, ['pending', 'awaits-inventory']],
    ['without machine networks', { machineNetworks: [] }, {}, ['pending', 'awaits-machineNetworks']],
  ])('%s is as expected', (_, settings, changes, expected) => {
    expect(claim(settings, changes)).toEqual(expected);
  });
});

describe('the reasons of other network rules', () => {
  it('name the gateway of the default route', () => {
    expect(found('has-default-route', sampleHost())).toEqual(['success', undefined, '192.168.128.1']);
  });

  it('name subnets that overlap, and one that occurs twice', () => {
    const claim = (...addresses: readonly string[]) =>
      found('non-overlapping-subnets', sampleHost(withNics(...addresses)));
    expect(claim('10.1.0.5/24', '10.1.0.6/16')).toEqual(['failure', undefined, '10.1.0.0/16', '10.1.0.0/24']);
    expect(claim('10.1.0.5/24', '10.1.0.6/24')).toEqual(['failure', 'same-subnet', '10.1.0.0/24']);
    expect(claim('fd00::5/64', 'fd00::6/64')).toEqual(['success', undefined]);
  });

  it('name the reason why no machine network is required', () => {
    const claim = (settings: Partial<ClusterSettingsFacts>) => found('machine-cidr-defined', inCluster(settings));
    expect(claim({ kind: 'AddHostsCluster', ...USER_MANAGED })).toEqual(['success', 'day-2']);
    expect(claim(USER_MANAGED)).toEqual(['success', 'user-managed-networking']);
    expect(claim({ machineNetworks: [] })).toEqual(['failure', undefined]);
    const rule = NETWORK_RULES.find(({ id }) => id === 'machine-cidr-defined');
    expect(rule && initialOutcome(rule).status).toBe('failure');
  });
});

describe('an edge worker', () => {
  it.each([
    ['aarch64', 'BlueField SoC', ['BlueField SoC'], true],
    ['arm64', 'nvidia bluefield  soc 2', ['BlueField SoC'], true],
    ['x86_64', 'BlueField SoC', ['BlueField SoC'], false],
    ['aarch64', 'Server', ['BlueField SoC'], false],
    ['aarch64', 'Server', ['', ' '], false],
  ])('on %s with product %s and products %j: %s', (cpuArchitecture, productName, products, expected) => {
    expect(isEdgeWorker(sampleHardware({ cpuArchitecture, productName }), products)).toBe(expected);
  });
});
