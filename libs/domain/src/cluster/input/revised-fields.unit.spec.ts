import type { ClusterSettings, Plain } from '@muster/contracts';
import { after, registration, revise } from '../cluster.fixture.spec';
import { initialClusterState } from '../state';
import { brokenInputRule } from './input';

type Settings = Plain<ClusterSettings>;

const list = (...items: string[]): { items: string[] } => ({ items });
const networks = (cidr: string, hostPrefix: number) => ({ items: [{ cidr, hostPrefix }] });
const VIPS = { apiVips: list('192.168.1.5'), ingressVips: list('192.168.1.6') };
const BALANCED = { loadBalancerType: 'user-managed' };
const NONE = { platformType: 'none', userManagedNetworking: true };
const DUAL_STACK = {
  clusterNetworks: { items: [...networks('10.128.0.0/14', 23).items, ...networks('fd01::/48', 64).items] },
  serviceNetworks: list('172.30.0.0/16', 'fd02::/112'),
};
const SINGLE = { controlPlaneCount: 1 };

/** Returns the rule that a revision of a registered cluster breaks. */
const brokenBy = (registered: Settings, changes: Settings) =>
  brokenInputRule(revise(changes), after(registration(registered)));
/** Returns the reason why a cluster cannot be registered. */
const reasonOf = (settings: Settings): string | undefined =>
  brokenInputRule(registration(settings), initialClusterState())?.broken.reason;

describe('a revision of one field', () => {
  it.each<[string, Settings, Settings]>([
    ['networks-start-with-one-family', BALANCED, { clusterNetworks: networks('fd01::/48', 64) }],
    ['networks-start-with-one-family', BALANCED, { serviceNetworks: list('fd02::/112') }],
    ['networks-start-with-one-family', BALANCED, { machineNetworks: list('fd00::/64') }],
    ['cluster-networks-usable', {}, { clusterNetworks: networks('10.128.0.0/14', 26) }],
    ['vips-not-user-managed', NONE, { apiVips: list('192.168.1.5') }],
    ['vips-not-user-managed', NONE, { ingressVips: list('192.168.1.5') }],
    ['dhcp-not-user-managed', NONE, { vipDhcpAllocation: true }],
    ['api-vips-usable', {}, { apiVips: list('here') }],
    ['ingress-vips-usable', {}, { ingressVips: list('here') }],
    ['as-many-api-as-ingress-vips', { ...DUAL_STACK, ...VIPS }, { apiVips: list('192.168.1.5', 'fd00::5') }],
    ['as-many-api-as-ingress-vips', { ...DUAL_STACK, ...VIPS }, { ingressVips: list('192.168.1.6', 'fd00::6') }],
    ['vips-differ', VIPS, { apiVips: list('192.168.1.6') }],
    ['vips-differ', VIPS, { ingressVips: list('192.168.1.5') }],
    ['vips-differ', { ...BALANCED, ...VIPS, ingressVips: VIPS.apiVips }, { loadBalancerType: 'cluster-managed' }],
    ['vips-start-with-network-family', VIPS, { apiVips: list('fd00::5') }],
    ['vips-start-with-network-family', VIPS, { ingressVips: list('fd00::6') }],
    ['vips-start-with-network-family', DUAL_STACK, { apiVips: list('fd00::5', '192.168.1.5') }],
    ['vips-start-with-network-family', DUAL_STACK, { ingressVips: list('fd00::5', '192.168.1.5') }],
    ['control-plane-count-fits', {}, { controlPlaneCount: 6 }],
    ['single-node-manages-no-network', SINGLE, { userManagedNetworking: false }],
    ['single-node-has-no-platform', SINGLE, { platformType: 'vsphere' }],
    ['architecture-has-no-platform', { cpuArchitecture: 's390x', ...NONE }, { platformType: 'vsphere' }],
    ['architecture-has-no-platform', { cpuArchitecture: 's390x', ...NONE }, { userManagedNetworking: false }],
    ['single-node-network-type', SINGLE, { networkType: 'OpenShiftSDN' }],
    ['platform-fits-networking', NONE, { platformType: 'external', userManagedNetworking: false }],
    ['platform-fits-networking', NONE, { platformType: 'nutanix', userManagedNetworking: true }],
    ['load-balancer-fits', { openshiftVersion: '4.15.3' }, BALANCED],
    ['load-balancer-fits', NONE, BALANCED],
    ['name-usable', {}, { name: 'a.b' }],
    ['name-usable', { ...NONE, name: 'a.b' }, { platformType: 'baremetal', userManagedNetworking: false }],
    ['features-fit-together', DUAL_STACK, BALANCED],
    ['features-fit-together', { ...BALANCED, machineNetworks: list('10.0.0.0/24') }, DUAL_STACK],
    ['features-fit-together', BALANCED, { machineNetworks: list('10.0.0.0/24', 'fd00::/64') }],
  ])('is checked by %s: %j, %j', (id, registered, changes) => {
    expect(brokenBy(registered, changes)?.rule.id).toBe(id);
  });

  it.each<[string, Settings, Settings]>([
    ['another name', {}, { name: 'b' }],
    ['the first VIP of each kind', {}, { apiVips: list('192.168.1.5') }],
    ['the other VIP, after the first', { apiVips: VIPS.apiVips }, { ingressVips: VIPS.ingressVips }],
    ['no VIPs', VIPS, { apiVips: list(), ingressVips: list() }],
    ['both VIPs of a user-managed load balancer', BALANCED, { apiVips: VIPS.apiVips, ingressVips: VIPS.apiVips }],
    ['one address for all VIPs of a single node', SINGLE, { apiVips: VIPS.apiVips, ingressVips: VIPS.apiVips }],
    [
      'two VIPs of each kind',
      DUAL_STACK,
      { apiVips: list('10.0.0.5', 'fd00::5'), ingressVips: list('10.0.0.6', 'fd00::6') },
    ],
    ['a platform that manages the network', NONE, { platformType: 'baremetal', userManagedNetworking: false }],
    ['platform external of a single node', SINGLE, { platformType: 'external' }],
  ])('may be %s', (_case, registered, changes) => {
    expect(brokenBy(registered, changes)).toBeUndefined();
  });
});

describe('the sizes of machine networks', () => {
  it.each<[string, Settings, number, number]>([
    ['several hosts', {}, 28, 124],
    ['a user-managed load balancer', BALANCED, 30, 126],
    ['a single node', SINGLE, 31, 127],
  ])('of %s end with /%3$d', (_case, settings, ipv4, ipv6) => {
    const of = (cidr: string) => reasonOf({ ...settings, machineNetworks: list(cidr) });
    expect(of(`10.0.0.0/${ipv4}`)).toBeUndefined();
    expect(of(`10.0.0.0/${ipv4 + 1}`)).toBe(
      `machine_networks "10.0.0.0/${ipv4 + 1}" is too small. The prefix length must be at most ${ipv4}.`,
    );
    expect(of(`fd00::/${ipv6 + 1}`)).toBe(
      `machine_networks "fd00::/${ipv6 + 1}" is too small. The prefix length must be at most ${ipv6}.`,
    );
  });
});

describe('the refusal of networks and VIPs', () => {
  it.each<[Settings, string]>([
    [
      { clusterNetworks: networks('10.128.0.5/14', 23) },
      'cluster_networks "10.128.0.5/14" has host bits set. Use the network address.',
    ],
    [
      { serviceNetworks: list('172.30.0.0/26') },
      'service_networks "172.30.0.0/26" is too small. The prefix length must be at most 25.',
    ],
    [
      { clusterNetworks: networks('10.128.0.0/22', 23) },
      'host_prefix 23 of cluster network 10.128.0.0/22 must be between 24 and 25, so that every host receives a subnet.',
    ],
    [
      { ...SINGLE, clusterNetworks: networks('10.128.0.0/22', 26) },
      'host_prefix 26 of cluster network 10.128.0.0/22 must be between 22 and 25, so that every host receives a subnet.',
    ],
    [
      { clusterNetworks: networks('fd01::/48', 64), serviceNetworks: list('172.30.0.0/16') },
      'The first entries of cluster_networks, service_networks and machine_networks must have the same address family.',
    ],
    [{ apiVips: list('10.0.0.1', '10.0.0.2', 'fd00::1') }, 'api_vips must have at most 2 addresses.'],
    [
      { apiVips: list('10.0.0.1', '10.0.0.2') },
      'api_vips must not have two addresses of one family. Use one IPv4 and one IPv6 address.',
    ],
    [
      { openshiftVersion: '4.11.9', apiVips: list('10.0.0.1', 'fd00::1') },
      'Two api_vips require version 4.12 or later.',
    ],
    [
      { apiVips: list('fd00::5'), ingressVips: list('fd00:0:0::5') },
      'fd00:0:0::5 is both an API VIP and an ingress VIP. Use separate addresses.',
    ],
  ])('of %j is: %s', (settings, reason) => {
    expect(reasonOf(settings)).toBe(reason);
  });

  it('accepts the longest host prefix', () => {
    expect(reasonOf({ clusterNetworks: networks('10.128.0.0/14', 25) })).toBeUndefined();
    expect(
      reasonOf({ clusterNetworks: networks('fd01::/48', 121), serviceNetworks: list('fd02::/112') }),
    ).toBeUndefined();
    expect(reasonOf({ clusterNetworks: networks('fd01::/48', 122), serviceNetworks: list('fd02::/112') })).toContain(
      'between 50 and 121',
    );
  });

  it('of a machine network names the VIPs from which it is derived', () => {
    const found = brokenBy(VIPS, { machineNetworks: list('10.0.0.0/24') });
    expect(found?.broken.reason).toBe(
      'machine_networks are derived from the VIPs. Set the VIPs, or let DHCP allocate them.',
    );
  });
});
