import { networksOf } from '../view/install-view';
import { bootOf, placeOf, surroundingsOf } from './install-request';

type Entry = Parameters<typeof placeOf>[0];
type Settings = Parameters<typeof placeOf>[1];

const nic = (name: string, ...addresses: readonly string[]) => ({
  name,
  ipv4Addresses: addresses.filter((address) => !address.includes(':')),
  ipv6Addresses: addresses.filter((address) => address.includes(':')),
});
const defaultRoute = (name: string, metric = 100, isIpv6 = false) => ({
  interface: name,
  destination: isIpv6 ? '::' : '0.0.0.0',
  gateway: isIpv6 ? 'fe80::1' : '192.0.2.254',
  metric,
});
const host = (nics: readonly object[], routes: readonly object[] = []): Entry =>
  ({ ports: [], hardware: { nics, routes } }) as unknown as Entry;
const networks = (...cidrs: readonly string[]): Settings['clusterNetworks'] => ({
  items: cidrs.map((cidr) => ({ cidr, hostPrefix: 0 })),
});
const IPV4 = networks('10.128.0.0/14');
const DUAL = networks('10.128.0.0/14', 'fd01::/48');

const STORAGE = nic('eno1', '10.99.0.5/24');
const HOME = nic('eno2', 'fe80::2/64', '192.168.1.10/24', 'fd00::5/64');

describe('networks of a host', () => {
  it.each<[string, Entry, readonly (4 | 6)[], readonly string[]]>([
    ['the network of the default route', host([STORAGE, HOME], [defaultRoute('eno2')]), [4], ['192.168.1.0/24']],
    [
      'the network of the default route with the lowest metric',
      host([STORAGE, HOME], [defaultRoute('eno1', 200), defaultRoute('eno2', 100)]),
      [4],
      ['192.168.1.0/24'],
    ],
    [
      'one per family, the primary one first',
      host([nic('eno1', '10.99.0.5/24', 'fd99::5/64'), HOME], [defaultRoute('eno2'), defaultRoute('eno2', 1, true)]),
      [6, 4],
      ['fd00::/64', '192.168.1.0/24'],
    ],
    [
      'one per family, each with its own default route',
      host([nic('eno1', '10.99.0.5/24', 'fd99::5/64'), HOME], [defaultRoute('eno2'), defaultRoute('eno1', 1, true)]),
      [4, 6],
      ['192.168.1.0/24', 'fd99::/64'],
    ],
    ['its first network without a default route', host([STORAGE, HOME]), [4], ['10.99.0.0/24']],
    ['none in a family without an address', host([STORAGE]), [4, 6], ['10.99.0.0/24']],
  ])('are %s', (_, entry, families, expected) => {
    expect(networksOf(entry, families)).toEqual(expected);
  });
});

describe('the machine networks of an installation', () => {
  type Surroundings = Parameters<typeof surroundingsOf>;
  const sources = { eventStore: { readStream: () => [] }, secrets: {} } as unknown as Surroundings[0];
  const bootstrap = {
    ...host([STORAGE, HOME], [defaultRoute('eno2'), defaultRoute('eno2', 1, true)]),
    state: { infraEnvId: 'i', hostId: 'h' },
  } as unknown as Surroundings[3][number];
  const networksWith = async (settings: Surroundings[2]['settings']) => {
    const state = { settings, bootstrapHostId: 'h' } as unknown as Surroundings[2];
    const config = { registries: { settings: undefined, mirrors: [], permittedMirrors: [] }, redHatCaPem: '' };
    return (await surroundingsOf(sources, config, state, [bootstrap])).machineNetworks;
  };
  const DUAL_IPV6 = networks('fd01::/48', '10.128.0.0/14');

  it.each<[string, Settings['clusterNetworks'], readonly string[], readonly string[]]>([
    ['those of the bootstrap host', DUAL, [], ['192.168.1.0/24', 'fd00::/64']],
    ['the given ones', DUAL, ['192.168.0.0/16', 'fd00::/48'], ['192.168.0.0/16', 'fd00::/48']],
    ['the given one and that of the other family', DUAL, ['192.168.0.0/16'], ['192.168.0.0/16', 'fd00::/64']],
    ['that of the primary family first', DUAL_IPV6, ['192.168.0.0/16'], ['fd00::/64', '192.168.0.0/16']],
    ['none of a family that the cluster does not have', IPV4, ['192.168.0.0/16', 'fd00::/48'], ['192.168.0.0/16']],
  ])('are %s', async (_, clusterNetworks, items, expected) => {
    const settings = { controlPlaneCount: 3, userManagedNetworking: true, clusterNetworks };
    expect(await networksWith({ ...settings, machineNetworks: { items: [...items] } })).toEqual(expected);
  });

  it('are the given ones when the cluster manages its networks', async () => {
    const settings = { controlPlaneCount: 3, clusterNetworks: DUAL, machineNetworks: { items: ['192.168.0.0/16'] } };
    expect(await networksWith(settings)).toEqual(['192.168.0.0/16']);
  });
});

describe('the place of a node', () => {
  const place = (entry: Entry, machineNetworks: readonly string[], settings: Settings) => {
    const { nodeAddress, nodeIpHint } = placeOf(entry, settings, machineNetworks);
    return [nodeAddress, nodeIpHint];
  };
  const userManaged: Settings = { controlPlaneCount: 3, userManagedNetworking: true, clusterNetworks: IPV4 };

  it.each<[string, Entry, readonly string[], Settings, readonly string[]]>([
    [
      'is in the machine network',
      host([STORAGE, HOME], [defaultRoute('eno2')]),
      ['192.168.1.0/24'],
      userManaged,
      ['192.168.1.10', '192.168.1.0'],
    ],
    [
      'is in the network of its default route when the host is outside of the machine networks',
      host([STORAGE, nic('eno2', '192.168.2.10/24')], [defaultRoute('eno2')]),
      ['192.168.1.0/24'],
      userManaged,
      ['192.168.2.10', '192.168.2.0'],
    ],
    [
      'is in the machine network even when another default route has a lower metric',
      host([STORAGE, HOME], [defaultRoute('eno1', 1), defaultRoute('eno2', 2)]),
      ['192.168.1.0/24'],
      userManaged,
      ['192.168.1.10', '192.168.1.0'],
    ],
    [
      'has the address with a default route when two are in the machine network',
      host([nic('eno1', '192.168.1.9/24'), HOME], [defaultRoute('eno2')]),
      ['192.168.1.0/24'],
      userManaged,
      ['192.168.1.10', '192.168.1.0'],
    ],
    [
      'has the network of its own subnet as the hint for the kubelet',
      host([STORAGE, HOME], [defaultRoute('eno2')]),
      ['192.168.0.0/16'],
      { controlPlaneCount: 3, loadBalancerType: 'user-managed', clusterNetworks: DUAL },
      ['192.168.1.10', '192.168.1.0'],
    ],
    ['is unknown without a default route', host([STORAGE, HOME]), ['192.0.2.0/24'], userManaged, ['', '']],
    [
      'is unknown when the cluster manages its networks and the host is outside of the machine network',
      host([STORAGE, HOME], [defaultRoute('eno2')]),
      ['192.0.2.0/24'],
      { controlPlaneCount: 3, clusterNetworks: IPV4 },
      ['', ''],
    ],
    [
      'has no hint when the cluster manages its networks',
      host([STORAGE, HOME], [defaultRoute('eno2')]),
      ['10.99.0.0/24'],
      { controlPlaneCount: 3, clusterNetworks: IPV4 },
      ['10.99.0.5', ''],
    ],
    [
      'of a single node has the first machine network as its hint',
      host([STORAGE, HOME], [defaultRoute('eno2')]),
      ['192.168.0.0/16'],
      { ...userManaged, controlPlaneCount: 1 },
      ['192.168.1.10', '192.168.0.0'],
    ],
  ])('%s', (_, entry, machineNetworks, settings, expected) => {
    expect(place(entry, machineNetworks, settings)).toEqual(expected);
  });
});

describe('the boot of a machine', () => {
  it('is from the first port with an address in a machine network, also when the network of another port contains it', () => {
    const ports = [
      { macAddress: '02:00:00:00:00:01', addresses: ['10.0.0.5/8'] },
      { macAddress: '02:00:00:00:00:02', addresses: ['10.1.0.7/16'] },
    ];
    const entry = { ports, bootMode: 'uefi' } as unknown as Parameters<typeof bootOf>[0];
    expect(bootOf(entry, ['10.1.0.0/16']).bootMacAddress).toBe('02:00:00:00:00:02');
  });

  it('is from a port with a MAC address', () => {
    const ports = ['', '02:00:00:00:00:02'].map((macAddress) => ({ macAddress, addresses: ['10.1.0.7/16'] }));
    const entry = { ports, bootMode: 'uefi' } as unknown as Parameters<typeof bootOf>[0];
    expect(bootOf(entry, ['10.1.0.0/16']).bootMacAddress).toBe('02:00:00:00:00:02');
  });
});
