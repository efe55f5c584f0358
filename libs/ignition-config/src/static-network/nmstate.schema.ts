import { parseIp } from '@muster/addresses';
import { createParser, holds } from '@muster/schema';
import { type TSchema, Type } from '@sinclair/typebox';
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
  members,
  networkOrAddress,
  oneOf,
  optionalRange,
  scalar,
  string,
  text,
  uint16,
  uint32,
} from '../documents/values';
import { AUTHENTICATION, ETHTOOL, MPTCP } from './extra-sections';
import { BOND_MODES, bondOptions } from './read-nmstate';

const MAX_UINT32 = 4_294_967_295;
const positive = integer(1, MAX_UINT32);
/** Some flags may not be texts such as yes, which other flags may be. */
const plainFlag = holds((value) => typeof value === 'boolean', 'true or false');
/** A metric, or -1 for the default. */
const metric = integer(-1, MAX_UINT32);

/** The last 64 bits of an address. */
const token = string((value) => {
  const address = parseIp(value);
  return value === '' || (address?.family === 6 && address.parts.slice(0, 4).every((part) => part === 0));
}, 'an IPv6 address whose first 64 bits are 0, such as ::5');

const ip = (address: TSchema, maxPrefix: number) =>
  mapping({
    enabled: flag,
    dhcp: flag,
    ...(maxPrefix === 32 ? { forwarding: plainFlag, 'prefix-route-metric': metric } : { autoconf: flag }),
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
    'auto-route-table-id': uint32,
    'auto-route-metric': metric,
    'addr-gen-mode': oneOf(['eui64', 'stable-privacy']),
    'allow-extra-address': flag,
    token: maxPrefix === 32 ? text : token,
    'dhcp-send-hostname': plainFlag,
    'dhcp-custom-hostname': text,
  });

const bridgePort = mapping(
  {
    name: interfaceName,
    'stp-hairpin-mode': flag,
    'stp-path-cost': uint32,
    'stp-priority': uint16,
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
    'reorder-headers': plainFlag,
    'registration-protocol': oneOf(['gvrp', 'mvrp', 'none']),
    'loose-binding': plainFlag,
    'ingress-qos-map': listOf(mapping({ from: integer(0, 7), to: uint32 }, ['from', 'to'])),
    'egress-qos-map': listOf(mapping({ from: uint32, to: integer(0, 7) }, ['from', 'to'])),
  },
  ['base-iface', 'id'],
);

const sriov = mapping({
  'drivers-autoprobe': flag,
  ...members(uint32, ['total-vfs', 'max-vfs']),
  vfs: listOf(
    mapping(
      {
        ...members(uint32, ['id', 'min-tx-rate', 'max-tx-rate', 'vlan-id', 'qos']),
        ...members(text, ['iface-name', 'mac-address']),
        ...members(flag, ['spoof-check', 'trust']),
        'vlan-proto': oneOf(['802.1q', '802.1ad']),
      },
      ['id'],
    ),
  ),
});

const macVlan = mapping(
  {
    'base-iface': text,
    mode: oneOf(['vepa', 'bridge', 'private', 'passthru', 'source', 'unknown']),
    promiscuous: flag,
  },
  ['base-iface', 'mode'],
);

const vxlan = mapping(
  {
    'base-iface': text,
    id: uint32,
    learning: Type.Boolean(),
    ...members(ipAddress, ['local', 'remote']),
    'destination-port': uint16,
  },
  ['id'],
);

/** Keys that only one type of interface has. Keys without a schema are passed to the host unchanged. */
const TYPED = {
  ethernet: mapping({
    speed: uint32,
    duplex: oneOf(['full', 'half']),
    'auto-negotiation': flag,
    'sr-iov': sriov,
  }),
  'link-aggregation': mapping(
    {
      mode: oneOf([...BOND_MODES.keys(), ...BOND_MODES, 'lacp']),
      options: bondOptions,
      port: listOf(interfaceName),
      'ports-config': listOf(
        mapping({ name: interfaceName, priority: integer(-2_147_483_648, 2_147_483_647), 'queue-id': uint16 }, [
          'name',
        ]),
      ),
    },
    ['mode'],
  ),
  vlan,
  bridge: mapping({ options: anything, port: listOf(bridgePort), 'allow-extra-patch-ports': flag }),
  vxlan,
  'mac-vlan': macVlan,
  'mac-vtap': macVlan,
  vrf: mapping({ port: listOf(interfaceName), 'route-table-id': positive }, ['route-table-id']),
  infiniband: mapping({ 'base-iface': text, mode: oneOf(['datagram', 'connected']), pkey: uint16 }, ['mode', 'pkey']),
  veth: mapping({ peer: interfaceName }, ['peer']),
  ipvlan: anything,
  hsr: anything,
  macsec: anything,
  libreswan: anything,
  patch: anything,
  dpdk: anything,
} as const;

export const SECTIONS: readonly string[] = Object.keys(TYPED);

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
    mtu: uint32,
    'min-mtu': anything,
    'max-mtu': anything,
    ipv4: ip(ipv4Address, 32),
    ipv6: ip(ipv6Address, 128),
    controller: text,
    'accept-all-mac-addresses': flag,
    lldp: mapping({ enabled: flag, neighbors: anything }, ['enabled']),
    'wait-ip': oneOf(['any', 'ipv4', 'ipv6', 'ipv4+ipv6']),
    ethtool: ETHTOOL,
    mptcp: MPTCP,
    dispatch: anything,
    driver: anything,
    'alt-names': listOf(mapping({ name: text, state: oneOf(['absent']) }, ['name'])),
    '802.1x': AUTHENTICATION,
    'ovs-db': anything,
    ...TYPED,
  },
  ['name'],
);

const route = mapping({
  state: oneOf(['absent', 'ignore']),
  destination: networkOrAddress,
  'next-hop-address': ipAddress,
  'next-hop-interface': interfaceName,
  metric,
  'table-id': uint32,
  weight: integer(1, 256),
  'route-type': oneOf(['blackhole', 'unreachable', 'prohibit']),
  cwnd: positive,
  source: ipAddress,
  initcwnd: uint32,
  initrwnd: uint32,
  mtu: positive,
  'lock-mtu': flag,
  quickack: flag,
  advmss: positive,
  'vrf-name': interfaceName,
});

const routeRule = mapping({
  state: oneOf(['absent']),
  family: oneOf(['ipv4', 'ipv6']),
  ...members(optionalRange, ['ip-from', 'ip-to']),
  priority: metric,
  'route-table': uint32,
  fwmark: uint32,
  fwmask: uint32,
  action: oneOf(['blackhole', 'unreachable', 'prohibit']),
  iif: interfaceName,
  'suppress-prefix-length': integer(0, 128),
});

/** A whole network document of one host. */
const NMSTATE = mapping({
  description: scalar,
  hostname: mapping(members(scalar, ['running', 'config'])),
  interfaces: listOf(networkInterface),
  routes: mapping({ config: listOf(route), running: anything }),
  'route-rules': mapping({ config: listOf(routeRule) }),
  'dns-resolver': mapping({
    config: mapping(members(listOf(scalar), ['server', 'search', 'options'])),
    running: anything,
  }),
  'ovs-db': anything,
  ovn: anything,
});

/** Checks the whole document and reports every violation. */
export const parseNmstate = createParser(NMSTATE, { name: '', reportsAll: true, nullIsAbsent: true });
