const bond = (mode: string | number, options = '{}', state = 'up') =>
  `interfaces:\n- {name: bond0, type: bond, state: ${state}, link-aggregation: {mode: ${mode}, options: ${options}, port: [eth0, eth1]}}\n`;
const ports = (text: string, state = 'up') =>
  `interfaces:\n- {name: bond0, type: bond, state: ${state}, link-aggregation: {mode: active-backup, ${text}}}\n`;
const bridge = (options: string, state = 'up') =>
  `interfaces:\n- {name: br0, type: linux-bridge, state: ${state}, bridge: {options: ${options}, port: [{name: eth1}]}}\n`;
const ethtool = (settings: string) => `interfaces:\n- {name: eth0, type: ethernet, ethtool: ${settings}}\n`;
const ipv6 = (settings: string, state = 'up') =>
  `interfaces:\n- {name: eth0, type: ethernet, state: ${state}, ipv6: {${settings}}}\n`;
const ETH0 = `interfaces:\n- {name: eth0, type: ethernet, ipv4: {enabled: true, address: [{ip: 10.0.0.1, prefix-length: 24}]}, ipv6: {enabled: true, address: [{ip: "fd00::1", prefix-length: 64}]}}\n`;
const rule = (text: string) => `${ETH0}route-rules: {config: [{${text}}]}\n`;
const route = (text: string, base = ETH0) => `${base}routes: {config: [{next-hop-interface: eth0, ${text}}]}\n`;
const eth = (settings: string, state = 'up') =>
  `interfaces:\n- {name: eth0, type: ethernet, state: ${state}, ${settings}}\n`;
const servers = (text: string) => `${ETH0}dns-resolver: {config: {server: [${text}]}}\n`;
const IPV4 = 'ipv4: {enabled: true, address: [{ip: 10.0.0.1, prefix-length: 24}]}';
const GATEWAY = 'destination: 0.0.0.0/0, next-hop-address: 10.0.0.254';
const lo = (text: string, state = 'up') => `interfaces:\n- {name: lo, type: loopback, state: ${state}, ${text}}\n`;
const vlan = (text: string) =>
  `${eth('mtu: 1500')}- {name: v5, type: vlan, state: up, vlan: {base-iface: eth0, id: 5, ${text}}}\n`;
const tagged = (text: string) =>
  `interfaces:\n- {name: br0, type: linux-bridge, state: up, bridge: {port: [{name: eth1, vlan: {${text}}}]}}\n`;
const above = (type: string, text: string) =>
  `${eth('mtu: 1500')}- {name: x0, type: ${type}, state: up, ${type}: {${text}}}\n`;
const dns = (option: string) => `${ETH0}dns-resolver: {config: {server: [10.0.0.53], options: ["${option}"]}}\n`;

/** Documents that nmstate refuses on every host, each with a part of the problem. */
export const REFUSED: readonly (readonly [document: string, problem: string])[] = [
  [
    ipv6('enabled: true, autoconf: true, dhcp: false'),
    'interfaces[0].ipv6.autoconf: eth0 has autoconf without dhcp, which nmstate does not support. Set dhcp to true',
  ],
  [ipv6('enabled: true, autoconf: true, dhcp: false', 'down'), 'eth0 has autoconf without dhcp'],
  [lo('ipv4: {enabled: false}'), 'interfaces[0].ipv4: A loopback interface has IPv4, and no automatic addresses.'],
  [lo('ipv4: {enabled: true, dhcp: true}', 'down'), 'A loopback interface has IPv4, and no automatic addresses.'],
  [lo('ipv6: {enabled: true, dhcp: true, autoconf: true}'), 'ipv6: A loopback interface has no automatic addresses.'],
  [
    bond('active-backup', '{lacp_rate: fast}'),
    'link-aggregation.options.lacp_rate: lacp_rate requires mode 802.3ad, and the mode of bond0 is active-backup. Remove',
  ],
  [bond(1, '{lacp_active: on}', 'down'), 'lacp_active requires mode 802.3ad, and the mode of bond0 is active-backup.'],
  [bond('802.3ad', '{xmit_hash_polcy: layer2}'), 'xmit_hash_polcy is not a known field. Known fields: '],
  [
    bond('802.3ad', '{xmit_hash_policy: layer34}'),
    'options.xmit_hash_policy: xmit_hash_policy must be one of layer2, layer3+4, layer2+3, encap2+3, encap3+4, vlan+srcmac, 0, 1, 2, 3, 4, 5, not "layer34".',
  ],
  [bond('802.3ad', '{lacp_rate: Fast}'), 'lacp_rate must be one of slow, fast, 0, 1, not "Fast".'],
  [bond('active-backup', '{num_grat_arp: 256}'), 'num_grat_arp must be a whole number from 0 to 255, not 256.'],
  [bond('active-backup', '{use_carrier: maybe}'), 'use_carrier must be true or false, not "maybe".'],
  [
    bond('active-backup', '{miimon: 100, arp_interval: 100, arp_ip_target: 10.0.0.9}'),
    'options.arp_interval: bond0 has miimon and arp_interval. Keep one of them.',
  ],
  [
    bond('lacp', '{arp_interval: 100, arp_ip_target: 10.0.0.9}'),
    'arp_interval cannot be used in mode 802.3ad. Use miimon',
  ],
  [rule('route-table: 100'), 'line 3, route-rules.config[0]: ip-from, ip-to or family is required.'],
  [rule('ip-from: "", iif: eth0, route-table: 100'), 'ip-from, ip-to or family is required.'],
  [
    rule('family: ipv6, ip-from: 10.0.0.0/8, route-table: 100'),
    'route-rules.config[0].ip-from: 10.0.0.0/8 is not in the address family ipv6.',
  ],
  [
    rule('ip-from: 10.0.0.0/8, ip-to: "fd00::/64", route-table: 100'),
    'config[0].ip-to: ip-from and ip-to have different address families.',
  ],
  [dns('fast'), 'dns-resolver.config.options[0]: nmstate does not support "fast". Use debug, edns0, inet6,'],
  [dns('ndots'), '"ndots". Use debug, edns0, '],
  [dns('rotate:1'), 'use-vc, or with a value, such as ndots:2: ndots, timeout, attempts.'],
  [
    bridge('{stp: {enabled: true, forward-delay: 1}}'),
    'bridge.options.stp.forward-delay: forward-delay must be a whole number from 2 to 30, not 1.',
  ],
  [bridge('{stp: {enabled: false, hello-time: 11}}'), 'hello-time must be a whole number from 1 to 10, not 11.'],
  [bridge('{stp: {max-age: 5}}', 'down'), 'max-age must be a whole number from 6 to 40, not 5.'],
  [bridge('{stp: true}'), 'stp must be an object, not true.'],
  [bridge('{stpp: {enabled: true}}'), 'bridge.options.stpp: stpp is not a known field. Known fields: '],
  [bridge('{rstp: true}'), 'rstp is not a known field.'],
  [
    bridge('{multicast-router: sometimes}'),
    'multicast-router must be one of disabled, auto, enabled, 0, 1, 2, not "sometimes".',
  ],
  [ethtool('{ring: {rx: lots}}'), 'ethtool.ring.rx: rx must be a whole number from 0 to 4294967295, not "lots".'],
  [ethtool('{channels: {}}'), 'channels is not a known field. Known fields: pause, feature, coalesce, ring, fec.'],
  [ethtool('{coalesce: {rx_usecs: 5}}'), 'rx_usecs is not a known field.'],
  [ethtool('{feature: {rx-gro: 1}}'), 'ethtool.feature.rx-gro: rx-gro must be true or false, not 1.'],
  [ethtool('{fec: {mode: RS}}'), 'mode must be one of off, rs, baser, llrs, not "RS".'],
  [
    ports('port: [eth0], ports-config: [{name: eth1}]'),
    'link-aggregation.ports-config: port and ports-config of bond0 name different ports. Only in one of them: eth0, eth1. Remove port,',
  ],
  [ports('port: [eth0, eth1], ports-config: [{name: eth1}]'), 'Only in one of them: eth0.'],
  [ports('port: [eth0], ports-config: []'), 'Only in one of them: eth0.'],
  [
    bond('balance-xor', '{balance-slb: true, xmit_hash_policy: layer2}'),
    'options.balance-slb: balance-slb requires mode balance-xor and xmit_hash_policy vlan+srcmac.',
  ],
  [bond(1, '{balance_slb: on, xmit_hash_policy: vlan+srcmac}', 'down'), 'balance_slb requires mode balance-xor and'],
  [bond(2, '{balance_slb: 1}'), 'balance_slb requires mode balance-xor and xmit_hash_policy vlan+srcmac.'],
  [
    bond(1, '{arp_interval: 0, arp_ip_target: 10.0.0.9}'),
    'options.arp_ip_target: arp_ip_target requires an arp_interval above 0.',
  ],
  [bond(1, '{arp_interval: "0", ns_ip6_target: ["fd00::9"]}'), 'ns_ip6_target requires an arp_interval above 0.'],
  ['interfaces:\n- {name: bond0, type: bond, state: up}\n', 'An interface of type bond requires link-aggregation.'],
  [eth('vlan: {base-iface: eth1, id: 5}'), 'vlan: An interface of type ethernet has no vlan. Remove it, or change the'],
  [eth('ethernet: {speed: 1000, duplex: Full}'), 'ethernet.duplex: duplex must be one of full, half, not "Full".'],
  [
    `${bond(1)}- {name: eth0, type: ethernet, state: up, ${IPV4}}\n`,
    'interfaces[1].ipv4: eth0 is a port of bond0, so it has no ipv4. Move it to bond0.',
  ],
  [
    `${bridge('{}')}- {name: eth1, type: ethernet, ipv6: {enabled: true, dhcp: true}}\n`,
    'so it has no ipv6. Move it to',
  ],
  [`${bond(1, '{}', 'down')}- {name: eth0, type: ethernet, ${IPV4}}\n`, 'eth0 is a port of bond0, so it has no ipv4.'],
  [eth('controller: bond9'), 'interfaces[0].controller: The document has no interface bond9.'],
  [
    `${ports('port: [eth1]')}- {name: eth0, type: ethernet, state: up, controller: bond0}\n`,
    'interfaces[1].controller: eth0 is not in the list of ports of bond0.',
  ],
  [
    ipv6('enabled: true, address: [{ip: "fd00::1", prefix-length: 64}]}, mtu: 1279, ipv4: {enabled: false'),
    '1280, not 1279.',
  ],
  [
    ipv6('enabled: true, dhcp: true, autoconf: false, token: "::5"'),
    'interfaces[0].ipv6.token: token requires autoconf.',
  ],
  [eth('ipv4: {enabled: true, dhcp: true, forwarding: yes}'), 'forwarding must be true or false'],
  [ipv6('enabled: true, dhcp: true, dhcp-send-hostname: no'), 'dhcp-send-hostname must be true or false'],
  ...['loose-binding', 'reorder-headers'].map(
    (key) => [vlan(`${key}: "true"`), `${key} must be true or false`] as const,
  ),
  [ipv6('enabled: true, forwarding: true'), 'interfaces[0].ipv6.forwarding: forwarding is not a known field.'],
  [eth('ipv4: {enabled: true, autoconf: true}'), 'interfaces[0].ipv4.autoconf: autoconf is not a known field.'],
  [
    route(GATEWAY, eth('ipv4: {enabled: false}')),
    'next-hop-interface: eth0 is not up or has no ipv4. Set its state to up, and ipv4.enabled to',
  ],
  [route(GATEWAY, eth(IPV4, 'down')), 'eth0 is not up or has no ipv4.'],
  [route(GATEWAY, bond(1)), 'eth0 is not up or has no ipv4.'],
  [route('destination: "::/0"', eth(`${IPV4}, ipv6: {enabled: false}`)), 'eth0 is not up or has no ipv6.'],
  [
    route('destination: 0.0.0.0, next-hop-address: 10.0.0.254'),
    '0.0.0.0/32 cannot be a destination. The default route',
  ],
  [route('destination: 0.1.0.0/16'), 'routes.config[0].destination: 0.1.0.0/16 cannot be a destination.'],
  [
    route('destination: 10.1.0.0/16, route-type: blackhole'),
    'routes.config[0]: A route with a route-type has no next hop.',
  ],
  [route('destination: "::/0", weight: 5'), 'routes.config[0].weight: nmstate supports weight for IPv4 only.'],
  [route(`${GATEWAY}, mtu: 0`), 'routes.config[0].mtu: mtu must be a whole number from 1 to 4294967295, not 0.'],
  [route(`${GATEWAY}, vrf-name: vrf9`), 'routes.config[0].vrf-name: The document has no VRF vrf9 whose state is up.'],
  [
    route(
      `${GATEWAY}, vrf-name: v, table-id: 7`,
      `${ETH0}- {name: v, type: vrf, vrf: {port: [eth0], route-table-id: 9}}\n`,
    ),
    'routes.config[0].table-id: The table of v is 9. Remove table-id.',
  ],
  [
    rule('ip-from: 10.0.0.0/8, route-table: 100, fwmask: 255'),
    'config[0].fwmask: fwmask requires fwmark. Add fwmark, or',
  ],
  [
    rule('ip-from: all, route-table: 100'),
    'ip-from must be a network such as 192.168.0.0/24 or fd00::/64, or an IP address,',
  ],
  [servers('"fe80::1%eth0%5"'), 'dns-resolver.config.server[0]: "fe80::1%eth0%5" is not an IP address.'],
  [servers('"10.0.0.53%eth0"'), '"10.0.0.53%eth0" is not an IP address.'],
  [vlan('loose: true'), 'interfaces[1].vlan.loose: loose is not a known field.'],
  [vlan('registration-protocol: stp'), 'registration-protocol must be one of gvrp, mvrp, none, not "stp".'],
  [vlan('egress-qos-map: [{from: 1, to: 8}]'), 'to must be a whole number from 0 to 7, not 8.'],
  [tagged('mode: trunk'), 'interfaces[0].bridge.port[0].vlan: mode trunk requires trunk-tags.'],
  [tagged('mode: trunk, trunk-tags: [{id: 5}], tag: 6'), 'tag requires enable-native in mode trunk.'],
  [tagged('mode: access, tag: 5, trunk-tags: [{id: 6}]'), 'enable-native and trunk-tags require mode trunk.'],
  [
    tagged('mode: trunk, trunk-tags: [{id-range: {min: 4, max: 6}}, {id: "5"}]'),
    'port[0].vlan: trunk-tags contains 5 twice.',
  ],
  [
    eth('ipv4: {enabled: true, dhcp: true, auto-route-metric: 100, prefix-route-metric: 50}'),
    'ipv4.prefix-route-metric: NetworkManager requires the same prefix-route-metric and auto-route-metric.',
  ],
  [`${ETH0}hostname: node1\n`, 'line 3, hostname: hostname must be an object, not "node1".'],
  [eth('alt-names: [lan]'), 'interfaces[0].alt-names[0]: alt-names[0] must be an object, not "lan".'],
  ...['profile-name', 'description'].map((key) => [eth(`${key}: 1`), `${key} must be a text, not 1.`] as const),
  [
    'interfaces:\n- {name: eth0}\n- {name: 5, type: dummy}\n',
    'interfaces[1].name: name must be the name of an interface',
  ],
  ...['fd00::12', 'static', '10.0.0.1'].map(
    (token) =>
      [
        ipv6(`enabled: true, dhcp: true, autoconf: true, token: "${token}"`),
        `token must be an IPv6 address whose first 64 bits are 0, such as ::5, not "${token}".`,
      ] as const,
  ),
  [eth('ethernet: {sr-iov: {total-vf: 2}}'), 'total-vf is not a known field. Known fields: drivers-autoprobe,'],
  [eth('ethernet: {sr-iov: {total-vfs: 2, vfs: [{trust: true}]}}'), 'vfs[0]: id is required.'],
  [eth('802.1x: {identity: me, eap-methods: tls}'), '802.1x.eap-methods: eap-methods must be a list, not "tls".'],
  [eth('mptcp: {address-flags: [signals]}'), 'must be one of signal, subflow, backup, fullmesh, not "signals".'],
  [above('mac-vlan', 'base-iface: eth0, mode: bridged'), 'mode must be one of vepa, bridge, private, passthru,'],
  [above('mac-vlan', 'base-iface: eth0'), 'interfaces[1].mac-vlan: mode is required.'],
  [above('vxlan', 'base-iface: eth0, remote: 10.0.0.9'), 'interfaces[1].vxlan: id is required.'],
  [above('vxlan', 'base-iface: eth0, id: 5, remote: peer'), 'remote must be an IP address, not "peer".'],
];

/** Documents that nmstate accepts. */
export const ACCEPTED: readonly string[] = [
  `${bridge('{}', 'absent')}- {name: br1, type: linux-bridge, state: up, bridge: {port: [{name: eth1}]}}\n`,
  ipv6('enabled: true, autoconf: true, dhcp: true'),
  ipv6('enabled: false, autoconf: true, dhcp: false'),
  ipv6('enabled: true, autoconf: true, dhcp: false', 'absent'),
  bond(4, '{lacp_rate: 1}'),
  bond('"4"', '{lacp_rate: "0", ad_select: bandwidth, ad_actor_sys_prio: 5, ad_user_port_key: 6, min_links: 1}'),
  bond('lacp', '{lacp_rate: slow, lacp_active: "Off", ad_actor_system: "02:00:00:00:00:05"}'),
  bond('active-backup', '{lacp_rate: fast}', 'absent'),
  bond('802.3ad', '{xmit_hash_policy: layer3+4}'),
  bond('802.3ad', '{xmit_hash_policy: 5, miimon: "0x64", updelay: 200, downdelay: "200"}'),
  bond('1', '{miimon: 0, arp_interval: 100, arp_ip_target: "10.0.0.9,10.0.0.8", arp_validate: filter_backup}'),
  bond('1', '{miimon: 100, arp_interval: 0, arp_all_targets: all, fail_over_mac: follow, primary_reselect: 1}'),
  bond('1', '{arp_interval: 100, ns_ip6_target: ["fd00::9"], arp_missed_max: 3, all_slaves_active: 1, primary: eth0}'),
  bond('0', '{packets_per_slave: 5, resend_igmp: 2, lp_interval: 1, num_grat_arp: 1, num_unsol_na: 255}'),
  bond('balance-tlb', '{tlb_dynamic_lb: 1, use_carrier: "Y"}'),
  bond('2', '{balance-slb: true, xmit_hash_policy: vlan+srcmac}'),
  bond('2', '~'),
  rule('state: absent, route-table: 100'),
  rule('family: ipv6, route-table: 100'),
  rule('ip-from: "", family: ipv6, route-table: 100'),
  rule('state: absent, family: ipv6, ip-from: 10.0.0.0/8'),
  rule('family: ipv4, ip-from: 10.0.0.5, iif: eth0, route-table: 100'),
  ...['rotate', 'edns0', 'no-aaaa', 'ndots:2', 'timeout:1', 'attempts:', 'single-request-reopen'].map(dns),
  bridge('{stp: {enabled: "Yes", max-age: "0x10", forward-delay: 2, hello-time: 10, priority: 65535}}'),
  bridge('{stp: {forward-delay: 1}}', 'absent'),
  bridge('{multicast-router: Auto, multicast-querier: off, multicast-snooping: 0, vlan-protocol: 802.1ad}'),
  bridge('{multicast-router: 2, group-addr: "01:80:c2:00:00:00", group-fwd-mask: 8, hash-max: 4096}'),
  bridge('{gc-timer: 5, hello-timer: 6, mac-ageing-time: 300, multicast-query-interval: 12500}'),
  ethtool('{ring: {rx: "5", tx-max: 6}, pause: {autoneg: false}, fec: {auto: false, mode: rs}}'),
  ethtool('{coalesce: {rx-usecs: 5, tx-frames-irq: 6, adaptive-rx: on}, feature: {rx-gro: "1", gso: "True"}}'),
  ports('port: [eth0, eth1], ports-config: [{name: eth1}, {name: eth0, priority: 5}]'),
  ports('ports-config: [{name: eth1}]'),
  ports('port: [eth0], ports-config: [{name: eth1}]', 'absent'),
  ports('ports: [eth0, eth1]'),
  'interfaces:\n- {name: bond0, type: bond, bond: {mode: 1, ports: [eth0]}}\n',
  'interfaces:\n- {name: br0, type: linux-bridge, bridge: {ports: [{name: eth1}]}}\n',
  'interfaces:\n- {name: bond0, type: bond, state: down}\n',
  bond(1, '{arp_interval: 0, arp_ip_target: "", ns_ip6_target: []}'),
  bond(1, '{balance-slb: false}'),
  bond(1, '{arp_ip_target: 10.0.0.9}'),
  `${bond(1)}- {name: eth0, type: ethernet, ipv4: {enabled: false}, controller: bond0}\n`,
  `${bond(1)}- {name: eth0, type: ethernet, state: down, ${IPV4}}\n`,
  `interfaces:\n- {name: vrf0, type: vrf, vrf: {port: [eth0], route-table-id: 100}}\n- {name: eth0, type: ethernet, ${IPV4}}\nroutes: {config: [{${GATEWAY}, next-hop-interface: eth0, vrf-name: vrf0}]}\n`,
  eth('vlan: {base-iface: eth1, id: 5}', 'absent'),
  eth('mtu: 1000, ipv6: {enabled: false}'),
  eth('mtu: 1280, ipv6: {enabled: true, dhcp: true}'),
  ipv6('enabled: true, dhcp: true, autoconf: false, token: "::"'),
  eth('ipv4: {enabled: true, dhcp: true, auto-route-metric: -1, prefix-route-metric: -1, forwarding: true}'),
  route('destination: 10.1.0.5, next-hop-address: 10.0.0.254, weight: 5'),
  route('destination: "fd01::5", next-hop-address: "fd00::fe"'),
  route('destination: 0.0.0.0/1'),
  route('state: absent', eth('ipv4: {enabled: false}')),
  route(`state: ignore, ${GATEWAY}`, eth('ipv4: {enabled: false}')),
  rule('ip-from: 10.0.0.5, ip-to: "", route-table: 100, iif: lo'),
  rule('ip-from: 10.0.0.0/8, fwmark: 0, fwmask: 255'),
  servers('10.0.0.53, 10.0.0.54, "fd00::53", "fe80::1%eth0"'),
  vlan('loose-binding: true, registration-protocol: none, ingress-qos-map: [{from: 7, to: "9"}]'),
  tagged('mode: trunk, trunk-tags: [{id: 5}], tag: 6, enable-native: true'),
  tagged('mode: access, tag: 5, trunk-tags: []'),
  tagged('mode: trunk, trunk-tags: [{id-range: {min: 6, max: 8}}, {id: 5}]'),
  `${ETH0}hostname: {config: node1}\n`,
  eth('profile-name: lan, description: "1", alt-names: [{name: lan}, {name: wan, state: absent}]'),
  ...['', '::', '::1:2:3:4'].map((token) => ipv6(`enabled: true, dhcp: true, autoconf: true, token: "${token}"`)),
  eth('ethernet: {sr-iov: {total-vfs: "2", drivers-autoprobe: on, vfs: [{id: 0, trust: yes, vlan-id: 5}]}}'),
  eth('802.1x: {identity: me, eap-methods: [peap], phase2-auth: mschapv2, anonymous-identity: you}'),
  eth('mptcp: {address-flags: [signal, subflow]}'),
  eth('lldp: {enabled: true, neighbors: [[{type: 5, system-name: switch}]]}'),
  above('mac-vlan', 'base-iface: eth0, mode: passthru, accept-all-mac: no'),
  above('vxlan', 'base-iface: eth0, id: "5", learning: true, local: 10.0.0.1, remote: "fd00::9", destination-port: 1'),
  rule('ip-from: 10.0.0.0/8, suppress_prefixlength: 0'),
  ...['ipv4: {}, ipv6: {enabled: false}', 'ipv6: {enabled: true, dhcp: false, autoconf: false}'].map((ip) => lo(ip)),
];

const ovsBridge = (options: string) =>
  `interfaces:\n- {name: br0, type: ovs-bridge, state: up, bridge: {options: ${options}, port: [{name: eth1}]}}\n`;

/** The same for documents that keyfiles cannot express. */
export const REFUSED_IN_POLICIES: typeof REFUSED = [
  [
    ovsBridge('{mac-ageing-time: 5}'),
    'mac-ageing-time is not a known field. Known fields: stp, rstp, mcast-snooping-enable, fail-mode, datapath.',
  ],
];
export const ACCEPTED_IN_POLICIES: readonly string[] = [
  '{stp: true, rstp: "no", fail-mode: secure, mcast-snooping-enable: true, datapath: netdev}',
  '{stp: {enabled: true}}',
].map(ovsBridge);
