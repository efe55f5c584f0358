import { createParser } from '@muster/schema';
import type { TSchema } from '@sinclair/typebox';
import {
  anything,
  flag,
  integer,
  interfaceName,
  ipAddress,
  ipv4Address,
  ipv6Address,
  listOf,
  macAddress,
  mapping,
  network,
  oneOf,
  text,
} from '../documents/values';

const MAX_UINT32 = 4_294_967_295;
const BOND_MODES = [
  0,
  1,
  2,
  3,
  4,
  5,
  6,
  'balance-rr',
  'active-backup',
  'balance-xor',
  'broadcast',
  '802.3ad',
  'lacp',
  'balance-tlb',
  'balance-alb',
];

const ip = (address: TSchema, maxPrefix: number) =>
  mapping({
    enabled: flag,
    dhcp: flag,
    autoconf: flag,
    'dhcp-client-id': text,
    'dhcp-duid': text,
    address: listOf(
      mapping(
        {
          ip: address,
          'prefix-length': integer(0, maxPrefix),
          'valid-life-time': text,
          'preferred-life-time': text,
          'mptcp-flags': anything,
        },
        ['ip', 'prefix-length'],
      ),
    ),
    'auto-dns': flag,
    'auto-gateway': flag,
    'auto-routes': flag,
    'auto-route-table-id': integer(0, MAX_UINT32),
    'auto-route-metric': integer(0, MAX_UINT32),
    'addr-gen-mode': oneOf(['eui64', 'stable-privacy']),
    'allow-extra-address': flag,
    token: text,
    'dhcp-send-hostname': flag,
    'dhcp-custom-hostname': text,
    forwarding: flag,
    'prefix-route-metric': integer(0, MAX_UINT32),
  });

const bridgePort = mapping(
  {
    name: interfaceName,
    'stp-hairpin-mode': flag,
    'stp-path-cost': integer(0, MAX_UINT32),
    'stp-priority': integer(0, 65_535),
    vlan: mapping({
      mode: oneOf(['trunk', 'access']),
      tag: integer(0, 4_094),
      'enable-native': flag,
      'trunk-tags': listOf(
        mapping({
          id: integer(0, 4_094),
          'id-range': mapping({ min: integer(0, 4_094), max: integer(0, 4_094) }, ['min', 'max']),
        }),
      ),
    }),
    'link-aggregation': anything,
  },
  ['name'],
);

const vlan = mapping(
  {
    'base-iface': interfaceName,
    id: integer(0, 4_094),
    protocol: oneOf(['802.1q', '802.1ad']),
    'reorder-headers': flag,
    'registration-protocol': text,
    loose: flag,
  },
  ['base-iface', 'id'],
);

/** Keys that only one type of interface has. Keys without a schema are passed to the host unchanged. */
const TYPED = {
  ethernet: anything,
  'link-aggregation': mapping(
    {
      mode: oneOf(BOND_MODES),
      options: anything,
      port: listOf(interfaceName),
      'ports-config': listOf(
        mapping(
          { name: interfaceName, priority: integer(-2_147_483_648, 2_147_483_647), 'queue-id': integer(0, 65_535) },
          ['name'],
        ),
      ),
    },
    ['mode'],
  ),
  vlan,
  bridge: mapping({ options: anything, port: listOf(bridgePort), 'allow-extra-patch-ports': flag }),
  vxlan: anything,
  'mac-vlan': anything,
  'mac-vtap': anything,
  vrf: mapping({ port: listOf(interfaceName), 'route-table-id': integer(0, MAX_UINT32) }, ['route-table-id']),
  infiniband: mapping({ 'base-iface': text, mode: oneOf(['datagram', 'connected']), pkey: integer(0, 65_535) }, [
    'mode',
    'pkey',
  ]),
  veth: mapping({ peer: interfaceName }, ['peer']),
  ipvlan: anything,
  hsr: anything,
  macsec: anything,
  libreswan: anything,
  patch: anything,
  dpdk: anything,
} as const;

export const INTERFACE_TYPES = [
  'ethernet',
  'bond',
  'vlan',
  'linux-bridge',
  'dummy',
  'vrf',
  'infiniband',
  'mac-vlan',
  'vxlan',
  'veth',
  'loopback',
  'ovs-bridge',
  'ovs-interface',
  'mac-vtap',
  'ipvlan',
  'hsr',
  'macsec',
  'ipsec',
  'xfrm',
  'tun',
  'unknown',
] as const;

const networkInterface = mapping(
  {
    name: interfaceName,
    'profile-name': text,
    description: text,
    type: oneOf(INTERFACE_TYPES),
    state: oneOf(['up', 'down', 'absent', 'ignore']),
    identifier: oneOf(['name', 'mac-address', 'pci-address']),
    'mac-address': macAddress,
    'permanent-mac-address': macAddress,
    'copy-mac-from': interfaceName,
    'pci-address': text,
    mtu: integer(0, MAX_UINT32),
    'min-mtu': anything,
    'max-mtu': anything,
    ipv4: ip(ipv4Address, 32),
    ipv6: ip(ipv6Address, 128),
    controller: text,
    'accept-all-mac-addresses': flag,
    lldp: mapping({ enabled: flag }, ['enabled']),
    'wait-ip': oneOf(['any', 'ipv4', 'ipv6', 'ipv4+ipv6']),
    ethtool: anything,
    mptcp: anything,
    dispatch: anything,
    driver: anything,
    'alt-names': anything,
    '802.1x': anything,
    'ovs-db': anything,
    ...TYPED,
  },
  ['name'],
);

const route = mapping({
  state: oneOf(['absent', 'ignore']),
  destination: network,
  'next-hop-address': ipAddress,
  'next-hop-interface': interfaceName,
  metric: integer(-1, MAX_UINT32),
  'table-id': integer(0, MAX_UINT32),
  weight: integer(1, 256),
  'route-type': oneOf(['blackhole', 'unreachable', 'prohibit']),
  cwnd: integer(0, MAX_UINT32),
  source: ipAddress,
  initcwnd: integer(0, MAX_UINT32),
  initrwnd: integer(0, MAX_UINT32),
  mtu: integer(0, MAX_UINT32),
  'lock-mtu': flag,
  quickack: flag,
  advmss: integer(0, MAX_UINT32),
  'vrf-name': interfaceName,
});

const routeRule = mapping({
  state: oneOf(['absent']),
  family: oneOf(['ipv4', 'ipv6']),
  'ip-from': text,
  'ip-to': text,
  priority: integer(-1, MAX_UINT32),
  'route-table': integer(0, MAX_UINT32),
  fwmark: integer(0, MAX_UINT32),
  fwmask: integer(0, MAX_UINT32),
  action: oneOf(['blackhole', 'unreachable', 'prohibit']),
  iif: interfaceName,
  'suppress-prefix-length': integer(0, 128),
});

/** A whole network document of one host. */
const NMSTATE = mapping({
  description: text,
  hostname: anything,
  interfaces: listOf(networkInterface),
  routes: mapping({ config: listOf(route), running: anything }),
  'route-rules': mapping({ config: listOf(routeRule) }),
  'dns-resolver': mapping({
    config: mapping({ server: listOf(text), search: listOf(text), options: listOf(text) }),
    running: anything,
  }),
  'ovs-db': anything,
  ovn: anything,
});

/** Checks the whole document and reports every violation. */
export const parseNmstate = createParser(NMSTATE, { name: '', reportsAll: true, nullIsAbsent: true });
