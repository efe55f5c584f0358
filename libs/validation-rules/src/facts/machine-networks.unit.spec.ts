import type { Hardware } from '../hardware/hardware';
import { areNetworksAbandoned, deriveMachineNetworks } from './machine-networks';
import { sampleHardware, sampleNic, sampleSettings } from './sample.facts';

const host = (...addresses: readonly string[]): Hardware =>
  sampleHardware({
    nics: addresses.map((address, at) =>
      sampleNic({
        name: `ens${at}`,
        ipv4Addresses: address.includes(':') ? [] : [address],
        ipv6Addresses: address.includes(':') ? [address] : [],
      }),
    ),
  });
const settings = (changes: Parameters<typeof sampleSettings>[0] = {}): ReturnType<typeof sampleSettings> =>
  sampleSettings({ machineNetworks: [], ...changes });

describe('machine networks', () => {
  it('are derived from the API VIP', () => {
    expect(deriveMachineNetworks(settings(), [host('10.1.0.5/16'), host('192.168.128.7/24')])).toEqual([
      '192.168.128.0/24',
    ]);
  });

  it('follow each new inventory of a host', () => {
    const before = host('10.1.0.5/16');
    const after = { ...before, nics: host('192.168.128.7/24').nics };
    expect(deriveMachineNetworks(settings(), [before])).toBeUndefined();
    expect(deriveMachineNetworks(settings(), [after])).toEqual(['192.168.128.0/24']);
  });

  it('are derived from the ingress VIP when there is no API VIP', () => {
    expect(deriveMachineNetworks(settings({ apiVips: [] }), [host('192.168.128.7/24')])).toEqual(['192.168.128.0/24']);
  });

  it('are two networks for two VIPs, in the order of the VIPs', () => {
    const dual = settings({ apiVips: ['192.168.128.100', 'fd00::100'], ingressVips: ['192.168.128.101', 'fd00::101'] });
    expect(deriveMachineNetworks(dual, [host('fd00::5/64', '192.168.128.7/24')])).toEqual([
      '192.168.128.0/24',
      'fd00::/64',
    ]);
  });

  it('get a second network when VIPs of the second address family are added', () => {
    const own = host('192.168.128.7/24', 'fd00::7/64');
    const added = sampleSettings({ apiVips: ['192.168.128.100', 'fd00::100'] });
    expect(deriveMachineNetworks(added, [own])).toEqual(['192.168.128.0/24', 'fd00::/64']);
    const moved = { ...added, machineNetworks: ['192.168.128.0/24', 'fd00:9::/64'] };
    expect(deriveMachineNetworks(moved, [own])).toEqual(['192.168.128.0/24', 'fd00::/64']);
    const known = { ...added, machineNetworks: ['192.168.128.0/24', 'fd00::/64'] };
    expect(deriveMachineNetworks(known, [own])).toBeUndefined();
  });

  it('change with the VIP', () => {
    expect(deriveMachineNetworks(settings({ machineNetworks: ['10.0.0.0/8'] }), [host('192.168.128.7/24')])).toEqual([
      '192.168.128.0/24',
    ]);
  });

  describe('that a user set for the second address family, with VIPs of the first family only', () => {
    const dual = settings({
      clusterNetworks: [
        { cidr: '10.128.0.0/14', hostPrefix: 23 },
        { cidr: 'fd01::/48', hostPrefix: 64 },
      ],
      machineNetworks: ['10.0.0.0/8', 'fd00::/64'],
    });
    const own = host('192.168.128.7/24', 'fd00::7/64');

    it('are kept when the VIPs determine another first network', () => {
      expect(deriveMachineNetworks(dual, [own])).toEqual(['192.168.128.0/24', 'fd00::/64']);
    });

    it('end with the second address family of the cluster, or with a VIP of it', () => {
      const single = { ...dual, clusterNetworks: dual.clusterNetworks.slice(0, 1) };
      expect(deriveMachineNetworks(single, [own])).toEqual(['192.168.128.0/24']);
      const withVip = {
        ...dual,
        apiVips: ['192.168.128.100', 'fd00:5::100'],
        machineNetworks: ['10.0.0.0/8', 'fd00::/64'],
      };
      expect(deriveMachineNetworks(withVip, [host('192.168.128.7/24', 'fd00:5::7/64')])).toEqual([
        '192.168.128.0/24',
        'fd00:5::/64',
      ]);
    });
  });

  it.each([
    ['there is no VIP', settings({ apiVips: [], ingressVips: [] })],
    ['no host is in the network of the VIP', settings({ apiVips: ['10.9.9.9'], ingressVips: [] })],
    ['they are correct already', sampleSettings()],
    ['a user has set a second network', sampleSettings({ machineNetworks: ['192.168.128.0/24', 'fd00::/64'] })],
    ['networking is user-managed', settings({ userManagedNetworking: true })],
    ['the load balancer is user-managed', settings({ loadBalancerType: 'user-managed' })],
  ])('do not change when %s', (_case, given) => {
    expect(deriveMachineNetworks(given, [host('192.168.128.7/24')])).toBeUndefined();
  });

  it('are the only network of all hosts when DHCP allocates the VIPs', () => {
    const dhcp = settings({ vipDhcpAllocation: true, apiVips: [], ingressVips: [] });
    expect(deriveMachineNetworks(dhcp, [host('10.0.0.5/24'), host('10.0.0.6/24', 'fe80::1/64')])).toEqual([
      '10.0.0.0/24',
    ]);
    expect(deriveMachineNetworks(dhcp, [host('10.0.0.5/24'), host('10.0.1.6/24')])).toBeUndefined();
  });

  describe('of a single node', () => {
    const single = settings({ controlPlaneCount: 1, apiVips: [], ingressVips: [], userManagedNetworking: true });

    it('are its only network', () => {
      expect(deriveMachineNetworks(single, [host('10.0.0.5/24')])).toEqual(['10.0.0.0/24']);
    });

    it('are the network of the default gateway when the node has several networks', () => {
      expect(deriveMachineNetworks(single, [host('10.0.0.5/24', '192.168.128.7/24')])).toEqual(['192.168.128.0/24']);
    });

    it('are one per address family of the cluster', () => {
      const dual = {
        ...single,
        clusterNetworks: [
          { cidr: 'fd01::/48', hostPrefix: 64 },
          { cidr: '10.128.0.0/14', hostPrefix: 23 },
        ],
        serviceNetworks: ['172.30.0.0/16', 'fd02::/112'],
      };
      expect(deriveMachineNetworks(dual, [host('10.0.0.5/24', 'fd00::5/64')])).toEqual(['fd00::/64', '10.0.0.0/24']);
      expect(deriveMachineNetworks(dual, [host('10.0.0.5/24')])).toBeUndefined();
    });

    it('are the widest network of the interface of the default route when its gateway is link-local, as in IPv6', () => {
      const ipv6 = {
        ...single,
        clusterNetworks: [{ cidr: 'fd01::/48', hostPrefix: 64 }],
        serviceNetworks: ['fd02::/112'],
      };
      const nics = host('fd00:a::5/64', 'fd00:b::5/64').nics.map((nic) => ({
        ...nic,
        ipv6Addresses: [nic.ipv6Addresses[0]?.replace('::5/64', '::6/128') ?? '', ...nic.ipv6Addresses, 'fe80::5/64'],
      }));
      const route = { interface: 'ens1', destination: '::', gateway: 'fe80::1', family: 10, metric: 100 };
      const node = sampleHardware({ nics, routes: [route] });
      expect(deriveMachineNetworks(ipv6, [node])).toEqual(['fd00:b::/64']);
      expect(deriveMachineNetworks(ipv6, [{ ...node, routes: [{ ...route, interface: 'ens9' }] }])).toBeUndefined();
    });

    it('do not change when a user set them', () => {
      expect(
        deriveMachineNetworks({ ...single, machineNetworks: ['10.9.0.0/16'] }, [host('10.0.0.5/24')]),
      ).toBeUndefined();
    });
  });
});

describe('machine networks without a host', () => {
  const networks = settings({ machineNetworks: ['192.168.128.0/24'] });

  it('are removed when no host is in them any more', () => {
    expect(areNetworksAbandoned(networks, [host('192.168.128.7/24')])).toBe(false);
    expect(areNetworksAbandoned(networks, [host('10.1.0.5/16')])).toBe(true);
    expect(areNetworksAbandoned(networks, [])).toBe(true);
  });

  it('are kept with a network that a user set for the second address family', () => {
    const dual = settings({
      clusterNetworks: [
        { cidr: '10.128.0.0/14', hostPrefix: 23 },
        { cidr: 'fd01::/48', hostPrefix: 64 },
      ],
      machineNetworks: ['192.168.128.0/24', 'fd00::/64'],
    });
    expect(areNetworksAbandoned(dual, [])).toBe(false);
    expect(areNetworksAbandoned({ ...dual, apiVips: ['192.168.128.100', 'fd00::100'] }, [])).toBe(true);
    expect(areNetworksAbandoned({ ...dual, controlPlaneCount: 1, apiVips: [], ingressVips: [] }, [])).toBe(true);
    expect(areNetworksAbandoned({ ...dual, clusterNetworks: dual.clusterNetworks.slice(0, 1) }, [])).toBe(true);
  });
});
