import type { ClusterSettings, Plain } from '@muster/contracts';
import { after, refusalOf, registration, revise, START, when } from '../cluster.fixture.spec';
import type { ClusterState } from '../state';

const list = (...items: string[]): { items: string[] } => ({ items });

describe('machine networks', () => {
  const cluster = after(registration({ loadBalancerType: 'user-managed' }));
  const networks = (count: number) => list(...Array.from({ length: count }, (_, index) => `10.0.${index}.0/24`));

  it('may be one for each rack of a large cluster, but not any number', () => {
    expect(
      when(cluster, revise({ machineNetworks: networks(128) })).state.settings.machineNetworks?.items,
    ).toHaveLength(128);
    expect(refusalOf(cluster, revise({ machineNetworks: networks(129) })).reason).toBe(
      'machine_networks has 129 entries. Allowed: at most 128.',
    );
  });
});

describe('machine networks of a user-managed load balancer', () => {
  const machineNetworks = list('10.0.0.0/24', '10.0.1.0/24');
  const vips = { apiVips: list('10.0.0.5'), ingressVips: list('10.0.0.6') };
  const balanced = after(registration({ loadBalancerType: 'user-managed', machineNetworks, ...vips }));
  const networksAfter = (changes: Plain<ClusterSettings>): readonly string[] | undefined =>
    when(balanced, revise(changes)).state.settings.machineNetworks?.items;

  it('are derived from the VIPs when the cluster balances its load itself', () => {
    expect(networksAfter({ loadBalancerType: 'cluster-managed' })).toEqual([]);
  });

  it('are kept when they are the derived ones', () => {
    const one = list('10.0.0.0/24');
    const { settings } = when(balanced, revise({ machineNetworks: one })).state;
    const { state } = when({ ...balanced, settings }, revise({ loadBalancerType: 'cluster-managed' }));
    expect(state.settings).toMatchObject({ machineNetworks: one, loadBalancerType: 'cluster-managed' });
  });

  it('are kept otherwise', () => {
    expect(networksAfter({ loadBalancerType: 'user-managed' })).toEqual(machineNetworks.items);
    expect(networksAfter({ sshPublicKey: '' })).toEqual(machineNetworks.items);
    expect(networksAfter({ loadBalancerType: 'cluster-managed', machineNetworks })).toEqual(machineNetworks.items);
  });
});

describe('networks and proxies of a cluster', () => {
  it('may have the smallest size, and no smaller one', () => {
    const serviceNetworks = list('172.30.0.0/25');
    expect(after(registration({ serviceNetworks })).settings.serviceNetworks).toEqual(serviceNetworks);
    expect(refusalOf(after(registration()), revise({ serviceNetworks: list('172.30.0.0/26') })).subject).toBe(
      'service_networks',
    );
  });

  it('may have one subnet for the host of a single node, and at least four for several hosts', () => {
    const networks = (subnets: number) => ({
      clusterNetworks: { items: [{ cidr: '10.128.0.0/21', hostPrefix: 21 + Math.log2(subnets) }] },
    });
    const single = after(registration({ controlPlaneCount: 1, ...networks(1) }));
    expect(single.settings).toMatchObject(networks(1));
    expect(refusalOf(after(registration()), revise(networks(2))).subject).toBe('cluster_networks');
    expect(after(registration(networks(4))).settings).toMatchObject(networks(4));
  });

  it.each(['http://proxy.example.com:3128', 'https://proxy.example.com:3128'])('may use %s for HTTPS', (httpsProxy) => {
    expect(after(registration({ proxy: { httpsProxy } })).settings.proxy).toMatchObject({ httpsProxy });
  });
});

describe('the VIPs of a dual-stack cluster', () => {
  const clusterNetworks = {
    items: [
      { cidr: '10.128.0.0/14', hostPrefix: 23 },
      { cidr: 'fd01::/48', hostPrefix: 64 },
    ],
  };
  const networks = { clusterNetworks, serviceNetworks: list('172.30.0.0/16', 'fd02::/112') };
  const reversed = {
    clusterNetworks: { items: clusterNetworks.items.toReversed() },
    serviceNetworks: list('fd02::/112', '172.30.0.0/16'),
  };
  const vips4 = { apiVips: list('10.0.0.5', 'fd00::5'), ingressVips: list('10.0.0.6', 'fd00::6') };
  const vips6 = { apiVips: list('fd00::5', '10.0.0.5'), ingressVips: list('fd00::6', '10.0.0.6') };

  it.each([
    ['IPv4', networks, vips4, vips6],
    ['IPv6', reversed, vips6, vips4],
  ])('begin with an %s address as its networks do', (family, given, vips, others) => {
    const cluster = after(registration(given));
    expect(when(cluster, revise(vips)).state.settings).toMatchObject(vips);
    expect(refusalOf(cluster, revise(others))).toMatchObject({
      subject: 'api_vips',
      reason: `The first entries of api_vips and ingress_vips must be ${family} addresses, because cluster_networks begins with an ${family} network.`,
    });
  });

  it('are changed together with the order of its networks', () => {
    const cluster = after(registration({ ...networks, ...vips4 }));
    expect(refusalOf(cluster, revise(reversed)).subject).toBe('api_vips');
    expect(when(cluster, revise({ ...reversed, ...vips6 })).state.settings).toMatchObject(vips6);
  });
});

describe('revision of platform and networking', () => {
  it('to user-managed networking clears VIPs and machine networks and changes the platform', () => {
    const withVips = after(registration({ apiVips: list('10.0.0.5'), ingressVips: list('10.0.0.6') }), {
      type: 'DeriveMachineNetworks',
      cidrs: ['10.0.0.0/24'],
      at: START,
    });
    const { settings } = when(withVips, revise({ userManagedNetworking: true })).state;
    expect(settings).toMatchObject({
      platformType: 'none',
      userManagedNetworking: true,
      apiVips: list(),
      ingressVips: list(),
      machineNetworks: list(),
    });
    const back = after(registration({ platformType: 'none' }));
    expect(when(back, revise({ userManagedNetworking: false })).state.settings.platformType).toBe('baremetal');
  });

  it.each<[string, boolean, Plain<ClusterSettings>, string, boolean]>([
    ['user-managed networking', false, { userManagedNetworking: true }, 'vsphere', true],
    ['its own platform', true, { platformType: 'vsphere' }, 'vsphere', true],
    ['cluster-managed networking', true, { userManagedNetworking: false }, 'vsphere', false],
    ['platform baremetal', true, { platformType: 'baremetal' }, 'baremetal', false],
    ['platform none', false, { platformType: 'none' }, 'none', true],
  ])(
    'of a vSphere cluster to %s changes only what does not fit (user-managed before: %s)',
    (_, before, changes, ...expected) => {
      const cluster = after(registration({ platformType: 'vsphere', userManagedNetworking: before }));
      const { settings } = when(cluster, revise(changes)).state;
      expect([settings.platformType, settings.userManagedNetworking]).toEqual(expected);
    },
  );

  it('from platform none to vSphere keeps the networking of the user', () => {
    const { settings } = when(after(registration({ platformType: 'none' })), revise({ platformType: 'vsphere' })).state;
    expect(settings).toMatchObject({ platformType: 'vsphere', userManagedNetworking: true });
  });
});

describe('revision of the allocation of VIPs', () => {
  const vips = { apiVips: list('10.0.0.5'), ingressVips: list('10.0.0.6') };
  const networks = { machineNetworks: list('10.0.0.0/24') };
  const none = { apiVips: list(), ingressVips: list(), machineNetworks: list() };
  const version = { openshiftVersion: '4.14.71', networkType: 'OpenShiftSDN' };
  const manual = after(registration({ ...version, ...vips }), {
    type: 'DeriveMachineNetworks',
    cidrs: networks.machineNetworks.items,
    at: START,
  });
  const leased: ClusterState = { ...manual, settings: { ...manual.settings, vipDhcpAllocation: true } };

  it('to DHCP, and back, clears VIPs and machine networks', () => {
    expect(when(manual, revise({ vipDhcpAllocation: true })).state.settings).toMatchObject(none);
    expect(when(leased, revise({ vipDhcpAllocation: false })).state.settings).toMatchObject(none);
  });

  it('keeps them when it stays the same', () => {
    expect(when(leased, revise({ vipDhcpAllocation: true })).events).toEqual([]);
    expect(when(manual, revise({ vipDhcpAllocation: false })).events).toEqual([]);
  });

  it('ends with user-managed networking', () => {
    const { settings } = when(leased, revise({ userManagedNetworking: true })).state;
    expect(settings).toMatchObject({ ...none, vipDhcpAllocation: false });
  });

  it('of a single node keeps its machine network', () => {
    const node: ClusterState = { ...manual, settings: { ...manual.settings, controlPlaneCount: 1 } };
    expect(when(node, revise({ userManagedNetworking: true })).state.settings).toMatchObject(networks);
  });
});

describe('revision of the platform details', () => {
  const oci = { external: { platform_name: 'oci', cloud_controller_manager: 'External' } };
  const external = { platformType: 'external', platformDetails: oci };
  const changesOf = (before: ClusterState, changes: Plain<ClusterSettings>): object[] =>
    when(before, revise(changes)).events.flatMap(({ type, data }) =>
      type === 'ClusterSettingsRevised' ? [data.changes ?? {}] : [],
    );

  it.each<[string, Plain<ClusterSettings>, string]>([
    ['another platform', { platformType: 'baremetal' }, 'baremetal'],
    ['cluster-managed networking', { userManagedNetworking: false }, 'baremetal'],
  ])('clears them with %s', (_, changes, platformType) => {
    const before = after(registration(external));
    expect(changesOf(before, changes)).toMatchObject([{ platformType, platformDetails: {} }]);
    const left = when(before, revise(changes)).state;
    expect(left.settings.platformDetails).toEqual({});
    expect(changesOf(left, external)).toMatchObject([external]);
  });

  // Older events of a change to another platform did not clear the details.
  const withOldDetails: ClusterState = after(registration({ platformDetails: oci }));

  it('contains them with a changed type, also when they are the same', () => {
    expect(withOldDetails.settings).toMatchObject({ platformType: 'baremetal', platformDetails: oci });
    expect(changesOf(withOldDetails, external)).toMatchObject([external]);
  });

  it('clears earlier ones when the platform becomes external without details', () => {
    expect(changesOf(withOldDetails, { platformType: 'external' })).toMatchObject([
      { platformType: 'external', platformDetails: {} },
    ]);
  });

  it('keeps them while the type does not change', () => {
    const before = after(registration(external));
    expect(changesOf(before, { platformType: 'external' })).toEqual([]);
    expect(changesOf(before, external)).toEqual([]);
    expect(changesOf(before, { platformType: 'external', hyperthreading: 'none' })).toEqual([
      { hyperthreading: 'none' },
    ]);
  });

  it('contains none for a platform without details', () => {
    const [changes] = changesOf(after(registration()), { platformType: 'vsphere' });
    expect(changes).toEqual({ platformType: 'vsphere' });
  });
});

describe('revision with an empty list of machine networks', () => {
  const cidrs = ['10.0.0.0/24', 'fd00::/64'];
  const with4 = { apiVips: list('10.0.0.5'), ingressVips: list('10.0.0.6') };
  const withBoth = { apiVips: list('10.0.0.5', 'fd00::5'), ingressVips: list('10.0.0.6', 'fd00::6') };
  const empty = { machineNetworks: list() };
  const derived = (settings: Plain<ClusterSettings>, networks: string[]): ClusterState =>
    after(registration(settings), { type: 'DeriveMachineNetworks', cidrs: networks, at: START });
  const networksAfter = (before: ClusterState, changes: Plain<ClusterSettings>): readonly string[] | undefined =>
    when(before, revise({ ...changes, ...empty })).state.settings.machineNetworks?.items;

  it.each([
    ['of one family', with4, cidrs.slice(0, 1)],
    ['of both families', withBoth, cidrs],
  ])('stores nothing while the VIPs %s are in the networks', (_, settings, networks) => {
    const before = derived(settings, networks);
    expect(when(before, revise({ ...settings, ...empty })).events).toEqual([]);
    expect(networksAfter(before, { apiVips: list(...settings.apiVips.items.map((ip) => `${ip}0`)) })).toEqual(networks);
  });

  it.each<[string, Plain<ClusterSettings>]>([
    ['other VIPs', { apiVips: list('10.0.1.5'), ingressVips: list('10.0.1.6') }],
    ['no VIPs', { apiVips: list(), ingressVips: list() }],
  ])('clears the networks with %s', (_, changes) => {
    expect(networksAfter(derived(with4, cidrs.slice(0, 1)), changes)).toEqual([]);
  });

  it('clears the networks of both families with VIPs of one family, so that the first network is derived', () => {
    const [cluster4, cluster6] = [
      { cidr: '10.128.0.0/14', hostPrefix: 23 },
      { cidr: 'fd01::/48', hostPrefix: 64 },
    ];
    const clusterNetworks = { items: [cluster4, cluster6] };
    const serviceNetworks = list('172.30.0.0/16', 'fd02::/112');
    const before = derived({ ...withBoth, clusterNetworks, serviceNetworks }, cidrs);
    const networks4 = { clusterNetworks: { items: [cluster4] }, serviceNetworks: list('172.30.0.0/16') };
    expect(networksAfter(before, { ...networks4, ...with4 })).toEqual([]);
  });

  it('clears the networks when DHCP does not allocate the VIPs any more', () => {
    const before = derived({ networkType: 'OpenShiftSDN', openshiftVersion: '4.14.0', vipDhcpAllocation: true }, [
      '10.0.0.0/24',
    ]);
    expect(networksAfter(before, { ...with4, vipDhcpAllocation: false })).toEqual([]);
  });

  it('clears networks of a user that are not derived', () => {
    const before = after(registration({ loadBalancerType: 'user-managed', machineNetworks: list('10.0.0.0/24') }));
    expect(networksAfter(before, with4)).toEqual([]);
  });
});
