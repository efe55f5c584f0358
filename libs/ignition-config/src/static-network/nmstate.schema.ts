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
  text,
  uint16,
  uint32,
} from '../documents/values';
import { BOND_FLAGS, BOND_MODES } from './read-nmstate';

const MAX_UINT32 = 4_294_967_295;
const uint8 = integer(0, 255);
const positive = integer(1, MAX_UINT32);
/** A metric, or -1 for the default. */
const metric = integer(-1, MAX_UINT32);

/** A name or its number in the kernel, which is its place in the list. */
const kernelName = (...names: readonly string[]) => oneOf([...names, ...names.keys()]);

const bondOptions = mapping({
  ...members(uint8, ['num_grat_arp', 'num_unsol_na', 'arp_missed_max']),
  ...members(uint16, ['ad_actor_sys_prio', 'ad_user_port_key']),
  ...members(uint32, ['arp_interval', 'downdelay', 'lp_interval', 'miimon', 'min_links', 'packets_per_slave']),
  ...members(uint32, ['resend_igmp', 'updelay']),
  ...members(flag, BOND_FLAGS),
  ...members(text, ['ad_actor_system', 'arp_ip_target', 'primary']),
  ns_ip6_target: listOf(ipv6Address),
  ad_select: kernelName('stable', 'bandwidth', 'count'),
  all_slaves_active: kernelName('dropped', 'delivered'),
  arp_all_targets: kernelName('any', 'all'),
  arp_validate: kernelName('none', 'active', 'backup', 'all', 'filter', 'filter_active', 'filter_backup'),
  fail_over_mac: kernelName('none', 'active', 'follow'),
  lacp_rate: kernelName('slow', 'fast'),
  primary_reselect: kernelName('always', 'better', 'failure'),
  xmit_hash_policy: kernelName('layer2', 'layer3+4', 'layer2+3', 'encap2+3', 'encap3+4', 'vlan+srcmac'),
});

/** The only flag that may be neither a number nor a text such as yes. */
const featureFlag = holds(
  (value) => value === true || value === false || /^(?:true|false|0|1)$/i.test(typeof value === 'string' ? value : ''),
  'true or false',
);
const FRAME_LIMITS = [
  'frames',
  'frames-high',
  'frames-irq',
  'frames-low',
  'usecs',
  'usecs-high',
  'usecs-irq',
  'usecs-low',
];

const ethtool = mapping({
  pause: mapping(members(flag, ['rx', 'tx', 'autoneg'])),
  feature: Type.Record(Type.String(), featureFlag),
  coalesce: mapping({
    ...members(flag, ['adaptive-rx', 'adaptive-tx']),
    ...members(uint32, ['pkt-rate-high', 'pkt-rate-low', 'sample-interval', 'stats-block-usecs']),
    ...members(
      uint32,
      FRAME_LIMITS.flatMap((name) => [`rx-${name}`, `tx-${name}`]),
    ),
  }),
  ring: mapping(
    members(uint32, ['rx', 'rx-max', 'rx-jumbo', 'rx-jumbo-max', 'rx-mini', 'rx-mini-max', 'tx', 'tx-max']),
  ),
  fec: mapping({ auto: flag, mode: oneOf(['off', 'rs', 'baser', 'llrs']) }),
});

const ip = (address: TSchema, maxPrefix: number) =>
  mapping({
    enabled: flag,
    dhcp: flag,
    ...(maxPrefix === 32 ? { forwarding: flag, 'prefix-route-metric': metric } : { autoconf: flag }),
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
    token: text,
    'dhcp-send-hostname': flag,
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
    'reorder-headers': flag,
    'registration-protocol': oneOf(['gvrp', 'mvrp', 'none']),
    'loose-binding': flag,
    'ingress-qos-map': listOf(mapping({ from: integer(0, 7), to: uint32 }, ['from', 'to'])),
    'egress-qos-map': listOf(mapping({ from: uint32, to: integer(0, 7) }, ['from', 'to'])),
  },
  ['base-iface', 'id'],
);

/** Keys that only one type of interface has. Keys without a schema are passed to the host unchanged. */
const TYPED = {
  ethernet: mapping({
    speed: uint32,
    duplex: oneOf(['full', 'half']),
    'auto-negotiation': flag,
    'sr-iov': anything,
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
  vxlan: anything,
  'mac-vlan': anything,
  'mac-vtap': anything,
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
    lldp: mapping({ enabled: flag }, ['enabled']),
    'wait-ip': oneOf(['any', 'ipv4', 'ipv6', 'ipv4+ipv6']),
    ethtool,
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
