import { execFileSync } from 'node:child_process';
import { planHostNetworks } from './host-networks';
import { ACCEPTED, ACCEPTED_IN_POLICIES, REFUSED, REFUSED_IN_POLICIES } from './nmstate-rules.fixture.spec';

/** The program of tools/nmstate-reference, which calls `gen_conf` of the nmstate crate. */
const REFERENCE = process.env['NMSTATE_REFERENCE'];

const eth = (more = '', name = 'eth0') =>
  `interfaces:\n- {name: ${name}, type: ethernet, state: up${more && `, ${more}`}}\n`;
const ADDRESS = 'ipv4: {enabled: true, dhcp: false, address: [{ip: 10.0.0.1, prefix-length: 24}]}';
const ADDRESS6 = 'ipv6: {enabled: true, dhcp: false, autoconf: false, address: [{ip: "fd00::1", prefix-length: 64}]}';
const BOTH = `${ADDRESS}, ${ADDRESS6}`;
const route = (text: string, more = BOTH) => `${eth(more)}routes:\n  config:\n  - {${text}}\n`;
const rule = (text: string) => `${eth(BOTH)}route-rules:\n  config:\n  - {${text}}\n`;
const dns = (text: string, more = BOTH) => `${eth(more)}dns-resolver:\n  config: {${text}}\n`;
const bond = (mode: string, options = '{}') =>
  `interfaces:\n- {name: bond0, type: bond, state: up, link-aggregation: {mode: ${mode}, options: ${options}, port: [eth0, eth1]}}\n`;
const bridge = (options: string, port = '{name: eth1}') =>
  `interfaces:\n- {name: br0, type: linux-bridge, state: up, bridge: {options: ${options}, port: [${port}]}}\n`;
const on = (base: string, text: string) => `${eth('', base)}- {state: up, ${text}}\n`;

const DOCUMENTS: readonly string[] = [
  eth(),
  eth('mtu: 9000'),
  eth(ADDRESS),
  eth(ADDRESS6),
  eth(BOTH),
  eth('ipv4: {enabled: true, dhcp: true}'),
  eth('ipv4: {enabled: true, dhcp: true, auto-dns: false}'),
  eth('ipv4: {enabled: true, dhcp: true, address: [{ip: 10.0.0.7, prefix-length: 24, valid-life-time: 85132sec}]}'),
  eth('ipv4: {enabled: true, dhcp: true, auto-routes: false, auto-gateway: false}'),
  eth('ipv4: {enabled: true, dhcp: true, auto-route-table-id: 100, auto-route-metric: 50}'),
  eth('ipv4: {enabled: true, dhcp: true, auto-route-metric: -1}'),
  eth('ipv4: {enabled: true, dhcp: true, prefix-route-metric: 50, forwarding: false}'),
  eth('ipv4: {enabled: true, address: [{ip: 10.0.0.1, prefix-length: 24}], prefix-route-metric: 50, forwarding: true}'),
  eth('ipv4: {enabled: true, dhcp: true, auto-route-metric: 50, prefix-route-metric: -1}'),
  eth('ipv4: {enabled: true, dhcp: true, dhcp-client-id: ll}'),
  eth('ipv4: {enabled: true, dhcp: true, dhcp-client-id: iaid+duid}'),
  eth('ipv4: {enabled: true, dhcp: true, dhcp-client-id: LL}'),
  eth('ipv6: {enabled: true, dhcp: true, autoconf: true, dhcp-duid: LLT}'),
  eth('ipv4: {enabled: true, dhcp: true, dhcp-send-hostname: false}'),
  eth('ipv4: {enabled: true, dhcp: true, dhcp-custom-hostname: box}'),
  ...['ipv4: {enabled: true, dhcp: true', 'ipv6: {enabled: true, dhcp: true, autoconf: true'].map((ip) =>
    eth(`${ip}, dhcp-custom-hostname: box.example.com}`),
  ),
  eth('ipv6: {enabled: true, dhcp: true, autoconf: true}'),
  eth('ipv6: {enabled: true, dhcp: true, autoconf: false}'),
  eth('ipv6: {enabled: true, dhcp: true, autoconf: true, addr-gen-mode: stable-privacy}'),
  eth('ipv6: {enabled: true, dhcp: true, autoconf: true, dhcp-duid: llt}'),
  eth('ipv6: {enabled: true, dhcp: true, autoconf: true, token: "::5"}'),
  eth('ipv6: {enabled: true, dhcp: false, autoconf: false}'),
  eth('ipv4: {enabled: false}, ipv6: {enabled: false}'),
  eth('mac-address: "02:00:00:00:00:0A"'),
  eth('identifier: mac-address, mac-address: "02:00:00:00:00:0A"'),
  eth('accept-all-mac-addresses: true'),
  eth('lldp: {enabled: true}'),
  eth(`wait-ip: ipv4, ${BOTH}`),
  eth('ethernet: {speed: 1000, duplex: full, auto-negotiation: false}'),
  eth('ethernet: {speed: 1000, duplex: full, auto-negotiation: true}'),
  eth('ethernet: {speed: 1000}'),
  eth('ethernet: {sr-iov: {total-vfs: 2, vfs: [{id: 0}]}}'),
  eth(
    'ethernet: {sr-iov: {total-vfs: 2, vfs: [{id: 0, mac-address: "02:00:00:00:00:10", trust: true, spoof-check: false}]}}',
  ),
  eth('ethernet: {sr-iov: {total-vfs: 1, vfs: [{id: 0, vlan-id: 5, qos: 2, min-tx-rate: 1, max-tx-rate: 100}]}}'),
  eth(
    '802.1x: {identity: me, eap-methods: [tls], private-key: /k, private-key-password: p, client-cert: /c, ca-cert: /ca}',
  ),
  eth('802.1x: {identity: me, eap-methods: [peap], phase2-auth: mschapv2, password: p}'),
  eth('ethtool: {feature: {rx-gro: true, tx-tcp-segmentation: false}}'),
  eth('ethtool: {ring: {rx: 256, rx-max: 4096, tx: 128}}'),
  eth('ethtool: {coalesce: {rx-usecs: 5, adaptive-rx: true}}'),
  ...['auto: true', 'auto: false', 'mode: rs', 'auto: false, mode: llrs', 'mode: "off"'].map((fec) =>
    eth(`ethtool: {fec: {${fec}}}`),
  ),
  eth('ethtool: {pause: {autoneg: false, rx: true, tx: false}}'),
  eth('mptcp: {address-flags: []}'),
  route('destination: 0.0.0.0/0, next-hop-address: 10.0.0.254, next-hop-interface: eth0'),
  route('destination: 0.0.0.0/0, next-hop-address: 10.0.0.254, next-hop-interface: eth0, metric: 100, table-id: 200'),
  route('destination: "::/0", next-hop-address: "fd00::fe", next-hop-interface: eth0'),
  route('destination: 10.2.0.0/16, next-hop-interface: eth0'),
  route('destination: 10.2.0.0/16, next-hop-interface: eth0', 'ipv4: {enabled: true}'),
  route('destination: "fd01::/64", next-hop-address: "fe80::1", next-hop-interface: eth0', 'ipv6: {enabled: true}'),
  route('destination: 10.2.0.0/16, next-hop-address: 10.0.0.254, next-hop-interface: eth0, cwnd: 20, weight: 2'),
  route('destination: 10.2.0.0/16, next-hop-address: 10.0.0.254, next-hop-interface: eth0, initcwnd: 20, mtu: 1400'),
  route('destination: 198.51.100.7, next-hop-interface: eth0'),
  route('destination: 10.2.0.0/16, next-hop-interface: eth0, table-id: 0, mtu: 1400, lock-mtu: yes, quickack: false'),
  route('destination: "2001:db8::7", next-hop-address: "fd00::fe", next-hop-interface: eth0'),
  route('destination: 10.2.3.4/16, next-hop-address: 10.0.0.254, next-hop-interface: eth0'),
  route('state: ignore, destination: 10.2.0.0/16, next-hop-address: 10.0.0.254, next-hop-interface: eth0'),
  route('destination: 198.51.100.0/24, route-type: blackhole'),
  route('destination: "2001:db8::/32", route-type: unreachable, metric: 5'),
  route('destination: 198.51.100.0/24, route-type: prohibit'),
  route('destination: 10.8.0.0/16, next-hop-interface: lo, route-type: prohibit'),
  route('destination: 10.9.0.0/16, next-hop-interface: lo'),
  rule('ip-to: 10.1.0.0/16, route-table: 100'),
  rule('ip-from: 10.1.0.0/16, route-table: 100, priority: 500'),
  rule('ip-from: "fd01::/64", route-table: 100, priority: 500'),
  rule('family: ipv4, route-table: 100'),
  rule('family: ipv4, route-table: 100}\n  - {family: ipv6, route-table: 100'),
  rule('ip-to: 10.1.0.0/16, route-table: 5, priority: 31000}\n  - {ip-from: "fd01::/64", route-table: 6, priority: -1'),
  rule('ip-from: 10.1.2.3/16, route-table: 0'),
  rule('ip-to: 10.1.2.3, route-table: 100'),
  rule('ip-from: "fd01::5/64", ip-to: "fd02::5", route-table: 100'),
  rule('ip-to: 10.1.0.0/16, route-table: 254, suppress-prefix-length: 0'),
  rule('ip-to: 10.1.0.0/16, route-table: 100, fwmark: 256, fwmask: 255'),
  rule('ip-to: 10.1.0.0/16, route-table: 100, iif: eth0'),
  ...[
    '{ip-from: 10.0.0.0/24, route-table: 101, priority: 10}, {ip-from: 10.1.0.0/16, route-table: 102, priority: 11}',
    '{family: ipv4, route-table: 102, iif: eth0}',
  ].map(
    (rules) =>
      `${eth(BOTH, 'a0')}${eth(BOTH).slice('interfaces:\n'.length)}routes: {config: [{destination: 0.0.0.0/0, next-hop-address: 10.0.0.254, next-hop-interface: eth0, table-id: 101}]}\nroute-rules: {config: [${rules}]}\n`,
  ),
  dns('server: [10.0.0.53]'),
  dns('server: [10.0.0.53, "fd00::53"], search: [example.com, example.org]'),
  dns('server: ["fd00::53", 10.0.0.53], options: [rotate]'),
  `${eth(BOTH, 'a0')}${eth(BOTH, 'eth0').slice('interfaces:\n'.length)}dns-resolver: {config: {server: ["fe80::1%eth0", "fd00::53"]}}\n`,
  dns('server: [10.0.0.53]', 'ipv4: {enabled: true, dhcp: true, auto-dns: false}'),
  ...['server: [10.0.0.53, "fd00::53"]', 'search: [example.com]'].map(
    (text) =>
      `${eth(BOTH)}${eth(BOTH, 'a0').slice('interfaces:\n'.length)}dns-resolver:\n  config: {${text}}\nroutes: {config: [{destination: 10.9.0.0/16, route-type: blackhole}]}\n`,
  ),
  dns('search: [example.com]'),
  dns('search: [example.com]', ADDRESS6),
  dns('search: [example.com], options: [rotate]', 'ipv4: {enabled: true, dhcp: true}'),
  `${eth(BOTH, 'a0')}${eth('ipv4: {enabled: true, dhcp: true}').slice('interfaces:\n'.length)}dns-resolver: {config: {options: [rotate]}}\n`,
  bond('active-backup'),
  bond('802.3ad', '{miimon: 100, lacp_rate: fast}'),
  bond('active-backup', '{all_slaves_active: delivered}'),
  bond('balance-rr', '{primary_reselect: always}'),
  bond('active-backup', '{use_carrier: true, miimon: "0x64", primary: eth0}'),
  bond('802.3ad', '{lacp_active: "Off", ad_actor_system: "02:00:00:00:00:05"}'),
  bond(
    'active-backup',
    '{arp_interval: 100, ns_ip6_target: ["fd00::9", "fd00::8"], arp_ip_target: "10.0.0.8,10.0.0.9"}',
  ),
  bond('balance-tlb', '{tlb_dynamic_lb: no}'),
  bond('balance-xor', '{balance_slb: true, xmit_hash_policy: vlan+srcmac}'),
  bridge('{stp: {enabled: false}}'),
  `${bridge('{}').replace('state: up', 'state: absent')}- {name: eth0, type: ethernet}\n`,
  bridge('{stp: {enabled: true, forward-delay: 10, hello-time: 2, max-age: 20, priority: 100}, mac-ageing-time: 200}'),
  bridge('{multicast-router: 0, multicast-querier: true, hash-max: 512, group-fwd-mask: 8, vlan-protocol: 802.1q}'),
  bridge('{multicast-router: Auto, multicast-query-use-ifaddr: on, vlan-protocol: 802.1ad, vlan-default-pvid: 1}'),
  ...['last-member', 'startup-query'].map((name) =>
    bridge(`{multicast-${name}-count: 3, multicast-${name}-interval: 5}`),
  ),
  ...['membership', 'querier', 'query', 'query-response'].map((name) => bridge(`{multicast-${name}-interval: 500}`)),
  bridge('{}', '{name: eth1, stp-path-cost: 50, stp-priority: 10, stp-hairpin-mode: true}'),
  bridge('{}', '{name: eth1, vlan: {mode: access, tag: 10}}'),
  bridge(
    '{}',
    '{name: eth1, vlan: {mode: trunk, trunk-tags: [{id: 101}, {id-range: {min: 500, max: 599}}], tag: 10, enable-native: true}}',
  ),
  on('eth0', 'name: eth0.5, type: vlan, vlan: {base-iface: eth0, id: 5}'),
  ...['802.1ad', '802.1q'].map((protocol) =>
    on('eth0', `name: eth0.5, type: vlan, vlan: {base-iface: eth0, id: 5, protocol: ${protocol}}`),
  ),
  ...['loose-binding: true', 'registration-protocol: gvrp', 'registration-protocol: mvrp, reorder-headers: false'].map(
    (more) => on('eth0', `name: eth0.5, type: vlan, vlan: {base-iface: eth0, id: 5, ${more}}`),
  ),
  ...['ingress', 'egress'].map((way) =>
    on(
      'eth0',
      `name: eth0.5, type: vlan, vlan: {base-iface: eth0, id: 5, ${way}-qos-map: [{from: 2, to: 3}, {from: 1, to: "4"}]}`,
    ),
  ),
  on('eth0', 'name: bond0, type: bond, bond: {mode: 1, ports: [eth0, eth1]}'),
  on('eth0', 'name: br0, type: linux-bridge, bridge: {ports: [{name: eth1}]}'),
  on('eth0', 'name: vrf0, type: vrf, vrf: {port: [eth0], route-table-id: 100}'),
  `${route('destination: 10.2.0.0/16, next-hop-address: 10.0.0.254, next-hop-interface: eth0, vrf-name: vrf0')}`.replace(
    'routes:',
    '- {name: vrf0, type: vrf, vrf: {port: [eth0], route-table-id: 100}}\nroutes:',
  ),
  on('eth0', 'name: mv0, type: mac-vlan, mac-vlan: {base-iface: eth0, mode: bridge, promiscuous: true}'),
  on('eth0', 'name: vx0, type: vxlan, vxlan: {base-iface: eth0, id: 5, remote: 10.0.0.9}'),
  on('eth0', 'name: vx1, type: vxlan, vxlan: {id: 5, local: 10.0.0.1, learning: false, destination-port: 4789}'),
  on('eth0', 'name: ib0, type: infiniband, mtu: 2044, infiniband: {mode: datagram, pkey: "0xffff"}'),
  on('eth0', 'name: dm0, type: dummy, ipv4: {enabled: true, address: [{ip: 10.9.0.1, prefix-length: 32}]}'),
  on('eth0', 'name: veth0, type: veth, veth: {peer: veth1}'),
  ...[
    'mtu: 65536, mac-address: "00:00:00:00:00:00", accept-all-mac-addresses: false',
    'ipv4: {enabled: true, address: [{ip: 10.9.9.9, prefix-length: 32}]}',
  ].map((more) => on('eth0', `name: lo, type: loopback, ${more}`)),
  on('eth0', 'name: ib0, type: infiniband, infiniband: {mode: datagram, pkey: 5}, accept-all-mac-addresses: true'),
  on(
    'eth0',
    'name: ms0, type: macsec, macsec: {encrypt: true, base-iface: eth0, mka-cak: 50b71a8ef0bd5751ea76de6d6c98c03a, mka-ckn: f2b4297d39da7330910a74abc0449feb45b5c0b9fc23df1430e1898fcf1c4550, port: 0, validation: strict, send-sci: true}',
  ),
];

/**
 * Returns the settings by section. NetworkManager generates the UUID of a profile, and this service increases the
 * priority of its profiles.
 */
function settingsOf(content: string): Record<string, readonly string[]> {
  const sections: Record<string, string[]> = {};
  let lines: string[] = [];
  for (const line of content.split('\n')) {
    const title = /^\[(.*)\]$/.exec(line)?.[1];
    if (title) lines = sections[title] = [];
    else if (line && !/^(uuid|autoconnect-priority)=/.test(line)) lines.push(line);
  }
  return Object.fromEntries(
    Object.entries(sections)
      .filter(([, found]) => found.length > 0)
      .map(([title, found]) => [title, found.sort()]),
  );
}

const byName = (files: readonly (readonly [string, string])[]) =>
  Object.fromEntries(files.map(([name, content]) => [name, settingsOf(content)]));

interface Result {
  readonly error?: string;
  readonly files?: { readonly NetworkManager: readonly (readonly [string, string])[] };
}
const resultsOf = (documents: readonly string[]): readonly Result[] =>
  REFERENCE
    ? (JSON.parse(execFileSync(REFERENCE, { input: JSON.stringify(documents), encoding: 'utf8' })) as readonly Result[])
    : [];

const name = 'keyfiles compared with gen_conf of the nmstate crate';
(REFERENCE ? describe : describe.skip)(
  REFERENCE ? name : `${name} (skipped: set NMSTATE_REFERENCE to the program of tools/nmstate-reference)`,
  () => {
    const results = resultsOf(DOCUMENTS);

    it.each(DOCUMENTS.map((document, index) => [document.replaceAll('\n', ' '), index] as const))('%s', (_, index) => {
      const { hosts, problems } = planHostNetworks(
        [
          {
            network_yaml: DOCUMENTS[index] ?? '',
            mac_interface_map: [
              { mac_address: '02:00:00:00:00:01', logical_nic_name: 'eth0' },
              { mac_address: '02:00:00:00:00:02', logical_nic_name: 'eth1' },
              { mac_address: '02:00:00:00:00:03', logical_nic_name: 'a0' },
            ],
          },
        ],
        'keyfiles',
      );
      expect(problems).toEqual([]);
      expect(results[index]?.error).toBeUndefined();
      const own = hosts[0]?.files.map(({ fileName, content }) => [fileName, content] as const) ?? [];
      expect(byName(own)).toEqual(byName(results[index]?.files?.NetworkManager ?? []));
    });

    it.each([
      ['accepts', [...ACCEPTED, ...ACCEPTED_IN_POLICIES], 0],
      ['refuses', [...REFUSED, ...REFUSED_IN_POLICIES].map(([document]) => document), 1],
    ])('nmstate also %s the documents of the rules', (_, documents, errors) => {
      const found = resultsOf(documents).map(({ error }) => Number(error !== undefined));
      expect(documents.map((document, index) => [document, found[index]])).toEqual(
        documents.map((document) => [document, errors]),
      );
    });
  },
);
