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
const dns = (option: string) => `${ETH0}dns-resolver: {config: {server: [10.0.0.53], options: ["${option}"]}}\n`;

/** Documents that nmstate refuses on every host, each with a part of the problem. */
export const REFUSED: readonly (readonly [document: string, problem: string])[] = [
  [
    ipv6('enabled: true, autoconf: true, dhcp: false'),
    'interfaces[0].ipv6.autoconf: eth0 has autoconf without dhcp, which nmstate does not support. Set dhcp to true',
  ],
  [ipv6('enabled: true, autoconf: true, dhcp: false', 'down'), 'eth0 has autoconf without dhcp'],
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
];

/** Documents that nmstate accepts. */
export const ACCEPTED: readonly string[] = [
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
