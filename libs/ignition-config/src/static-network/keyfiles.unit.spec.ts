import { planHostNetworks } from './host-networks';

const PAIRS = 200;

it('keyfiles of many interfaces are rendered without sorting all of them for each', () => {
  const pairs = Array.from(
    { length: PAIRS },
    (_, index) => `- {name: e${index}, type: veth, veth: {peer: f${index}}, ipv4: {enabled: true, dhcp: true}}\n`,
  );
  const yaml = `interfaces:\n${pairs.join('')}route-rules:\n  config:\n  - {ip-to: 10.0.0.0/8, route-table: 7}\n`;
  const mapping = [{ mac_address: '02:00:00:00:00:01', logical_nic_name: 'ens3' }];
  const sorts = jest.spyOn(Array.prototype, 'sort');
  const { hosts, problems } = planHostNetworks([{ network_yaml: yaml, mac_interface_map: mapping }], 'keyfiles');
  const long = sorts.mock.contexts.filter((list) => Array.isArray(list) && list.length >= PAIRS);
  sorts.mockRestore();
  expect(problems).toEqual([]);
  const files = hosts[0]?.files ?? [];
  expect(files).toHaveLength(2 * PAIRS);
  expect(files.filter(({ content }) => content.includes('routing-rule')).map(({ fileName }) => fileName)).toEqual([
    'e0.nmconnection',
  ]);
  expect(long.length).toBeLessThan(10);
});

describe('a keyfile contains', () => {
  const ADDRESSES =
    'ipv4: {enabled: true, address: [{ip: 10.0.0.1, prefix-length: 24}]}, ipv6: {enabled: true, address: [{ip: "fd00::1", prefix-length: 64}]}';
  const contentOf = (yaml: string, name: string): string => {
    const mapping = ['eth0', 'a0'].map((port, at) => ({
      mac_address: `02:00:00:00:00:0${at}`,
      logical_nic_name: port,
    }));
    const { hosts } = planHostNetworks([{ network_yaml: yaml, mac_interface_map: mapping }], 'keyfiles');
    return hosts[0]?.files.find(({ fileName }) => fileName === `${name}.nmconnection`)?.content ?? '';
  };
  const eth0 = (text: string) => `interfaces:\n- {name: eth0, type: ethernet, ${text}}\n`;

  it.each([
    [
      'all members of a VXLAN',
      `${eth0('mtu: 1500')}- {name: x0, type: vxlan, vxlan: {id: 5, base-iface: eth0, local: 10.0.0.1, remote: 10.0.0.9, learning: false}}\n`,
      'x0',
      '[vxlan]\nid=5\nlearning=false\nlocal=10.0.0.1\nparent=eth0\nremote=10.0.0.9\n',
    ],
    [
      'the protocol of a VLAN as NetworkManager reads it',
      `${eth0('mtu: 1500')}- {name: x0, type: vlan, vlan: {id: 5, base-iface: eth0, protocol: 802.1q}}\n`,
      'x0',
      'parent=eth0\nprotocol=802.1Q\n',
    ],
    [
      'a speed that is not negotiated',
      eth0('ethernet: {speed: 1000, duplex: full, auto-negotiation: false}'),
      'eth0',
      '[ethernet]\nauto-negotiate=false\nduplex=full\nspeed=1000\n',
    ],
    [
      'no speed that is negotiated',
      eth0('ethernet: {speed: 1000, auto-negotiation: true}'),
      'eth0',
      '[ethernet]\nauto-negotiate=true\n\n',
    ],
    [
      'all options of a route, and the main table for table 0',
      `${eth0(ADDRESSES)}routes: {config: [{destination: 10.2.0.0/16, next-hop-interface: eth0, table-id: 0, mtu: 1400, lock-mtu: true, quickack: false}]}\n`,
      'eth0',
      'route0_options=table=254,mtu=1400,lock-mtu=true,quickack=false\n',
    ],
    [
      'all options of a bridge',
      `${eth0('mtu: 1500')}- {name: x0, type: linux-bridge, bridge: {options: {multicast-router: 2, hash-max: 512, group-addr: "01:80:c2:00:00:04", vlan-protocol: 802.1q}, port: [{name: eth0}]}}\n`,
      'x0',
      '[bridge]\ngroup-address=01:80:C2:00:00:04\nmulticast-hash-max=512\nmulticast-router=enabled\nvlan-filtering=false\nvlan-protocol=802.1Q\n',
    ],
    [
      'the metric of a prefix and whether packets are forwarded',
      eth0(
        'ipv4: {enabled: true, address: [{ip: 10.0.0.1, prefix-length: 24}], prefix-route-metric: 50, forwarding: true}',
      ),
      'eth0',
      'forwarding=1\nroute-metric=50\n',
    ],
    ['the error correction of a link', eth0('ethtool: {fec: {mode: baser}}'), 'eth0', '[ethtool]\nfec-mode=16\n'],
    [
      'rules without a priority after the others',
      `${eth0(ADDRESSES)}route-rules: {config: [{family: ipv4, route-table: 5}, {family: ipv4, route-table: 6, priority: 30100}, {family: ipv4, route-table: 7}]}\n`,
      'eth0',
      'routing-rule0=priority 30101 from 0.0.0.0/0 table 5\nrouting-rule1=priority 30100 from 0.0.0.0/0 table 6\nrouting-rule2=priority 30102 from 0.0.0.0/0 table 7\n',
    ],
    [
      'the rules of the interface whose routes are in their table',
      `interfaces: [{name: a0, type: ethernet, ${ADDRESSES}}, {name: eth0, type: ethernet, ${ADDRESSES}}]\nroutes: {config: [{destination: 0.0.0.0/0, next-hop-address: 10.0.0.254, next-hop-interface: eth0, table-id: 101}]}\nroute-rules: {config: [{ip-from: 10.1.0.0/16, route-table: 102}, {ip-from: 10.0.0.0/24, route-table: 101}]}\n`,
      'eth0',
      'routing-rule0=priority 30001 from 10.0.0.0/24 table 101\n',
    ],
    [
      'the rules of an interface with automatic routes in their table',
      `interfaces: [{name: a0, type: ethernet, ${ADDRESSES}}, {name: eth0, type: ethernet, ipv4: {enabled: true, dhcp: true, auto-route-table-id: 101}}]\nroute-rules: {config: [{ip-from: 10.0.0.0/24, route-table: 101}]}\n`,
      'eth0',
      'routing-rule0=priority 30000 from 10.0.0.0/24 table 101\n',
    ],
    [
      'the rules for packets that arrive at the interface',
      `interfaces: [{name: a0, type: ethernet, ${ADDRESSES}}, {name: eth0, type: ethernet, ${ADDRESSES}}]\nroute-rules: {config: [{family: ipv6, route-table: 101, iif: eth0}]}\n`,
      'eth0',
      'routing-rule0=priority 30000 from ::/0 iif eth0 table 101\n',
    ],
    [
      'the networks of a rule',
      `${eth0(ADDRESSES)}route-rules: {config: [{ip-from: 10.1.2.3/16, ip-to: 10.9.0.1, route-table: 0}]}\n`,
      'eth0',
      'routing-rule0=priority 30000 to 10.9.0.1/32 from 10.1.0.0/16 table 254\n',
    ],
    [
      'a link-local name server of its link',
      `${eth0(ADDRESSES)}- {name: a0, type: ethernet, ${ADDRESSES}}\ndns-resolver: {config: {server: ["fe80::1%eth0", "fd00::53"]}}\n`,
      'eth0',
      'dns=fe80::1;fd00::53\n',
    ],
    [
      'search domains of a host that has only IPv6, without name servers',
      eth0('ipv6: {enabled: true, dhcp: true, autoconf: true}') + 'dns-resolver: {config: {search: [a.example]}}\n',
      'eth0',
      'dns-priority=40\ndns-search=a.example\n',
    ],
    [
      'resolver options of an automatic interface before a static one, without name servers',
      `${eth0('ipv4: {enabled: true, dhcp: true}')}- {name: a0, type: ethernet, ${ADDRESSES}}\ndns-resolver: {config: {options: [rotate]}}\n`,
      'eth0',
      'dns-priority=40\ndns-options=rotate\n',
    ],
    [
      'the name servers of the first interface of the document',
      `${eth0(ADDRESSES)}- {name: a0, type: ethernet, ${ADDRESSES}}\ndns-resolver: {config: {server: [10.0.0.53]}}\n`,
      'eth0',
      'dns=10.0.0.53\n',
    ],
    [
      'the name servers of an interface other than the loopback interface',
      `${eth0('ipv4: {enabled: true, dhcp: true}')}routes: {config: [{destination: 10.9.0.0/16, route-type: blackhole}]}\ndns-resolver: {config: {server: [10.0.0.53]}}\n`,
      'eth0',
      'dns=10.0.0.53\n',
    ],
    [
      'the addresses of the loopback interface and none of its hardware settings',
      `${eth0('mtu: 1500')}- {name: lo, type: loopback, mtu: 65536, mac-address: "00:00:00:00:00:00", accept-all-mac-addresses: false}\n`,
      'lo',
      'type=loopback\n\n[ipv4]\nmethod=manual\naddress0=127.0.0.1/8\ndhcp-timeout=2147483647\n\n[ipv6]\nmethod=manual\naddress0=::1/128\n',
    ],
    [
      'no link-local address, which the interface has anyway',
      eth0('ipv6: {enabled: true, address: [{ip: "FE80::5", prefix-length: 64}]}'),
      'eth0',
      '[ipv6]\nmethod=link-local\naddr-gen-mode=0\n',
    ],
    [
      'that the peer of a veth interface is down, too',
      `${eth0('mtu: 1500')}- {name: veth0, type: veth, state: down, veth: {peer: veth1}}\n`,
      'veth1',
      'autoconnect=false\n',
    ],
    [
      'a fully qualified name for DHCPv4 as such',
      eth0('ipv4: {enabled: true, dhcp: true, dhcp-custom-hostname: h.example.com}'),
      'eth0',
      'dhcp-fqdn=h.example.com\n',
    ],
    [
      'the types of DHCP identifiers in lower case',
      eth0('ipv4: {enabled: true, dhcp: true, dhcp-client-id: LL}, ipv6: {enabled: true, dhcp: true, dhcp-duid: LLT}'),
      'eth0',
      'dhcp-duid=llt\n',
    ],
    [
      'the manual method for an interface that has routes of the family and no address',
      `${eth0('ipv4: {enabled: true}')}routes: {config: [{destination: 10.9.0.0/16, next-hop-interface: eth0}]}\n`,
      'eth0',
      '[ipv4]\nmethod=manual\ndhcp-timeout=2147483647\nroute0=10.9.0.0/16,,0\n',
    ],
    [
      'the manual method for link-local IPv6 with routes',
      `${eth0('ipv4: {enabled: true}, ipv6: {enabled: true}')}routes: {config: [{destination: "fd01::/64", next-hop-address: "fe80::1", next-hop-interface: eth0}]}\n`,
      'eth0',
      '[ipv4]\nmethod=disabled\ndhcp-timeout=2147483647\n\n[ipv6]\nmethod=manual\n',
    ],
    [
      'the rules of an interface that has routes and no address',
      `interfaces: [{name: a0, type: ethernet, ${ADDRESSES}}, {name: eth0, type: ethernet, ipv4: {enabled: true}}]\nroutes: {config: [{destination: 10.9.0.0/16, next-hop-interface: eth0, table-id: 7}]}\nroute-rules: {config: [{ip-from: 10.0.0.0/24, route-table: 7}]}\n`,
      'eth0',
      'routing-rule0=priority 30000 from 10.0.0.0/24 table 7\n',
    ],
    [
      'the table of the VRF that a route names',
      `${eth0(ADDRESSES)}- {name: vrf0, type: vrf, vrf: {port: [eth0], route-table-id: 100}}\nroutes: {config: [{destination: 0.0.0.0/0, next-hop-address: 10.0.0.254, next-hop-interface: eth0, vrf-name: vrf0}]}\n`,
      'eth0',
      'route0=0.0.0.0/0,10.0.0.254,0\nroute0_options=table=100\n',
    ],
    [
      'no address of a limited lifetime, which DHCP assigned',
      eth0(
        'ipv4: {enabled: true, dhcp: true, address: [{ip: 10.0.0.7, prefix-length: 24, valid-life-time: 85132sec}, {ip: 10.0.0.8, prefix-length: 24, valid-life-time: forever}]}',
      ),
      'eth0',
      '[ipv4]\nmethod=auto\naddress0=10.0.0.8/24\n',
    ],
    [
      'no limits of rings, which are properties of the hardware',
      eth0('ethtool: {ring: {rx: 5, rx-max: 4096, tx-max: 4096}}'),
      'eth0',
      '[ethtool]\nring-rx=5\n\n',
    ],
    ...['', '- {name: lo, type: loopback}\n'].map((lo): [string, string, string, string] => [
      `the routes of the loopback interface, described as "${lo.trim()}"`,
      `${eth0('mtu: 1500')}${lo}routes: {config: [{destination: 10.9.0.0/16, next-hop-interface: lo}, {destination: 10.8.0.0/16, next-hop-interface: lo, route-type: blackhole}]}\n`,
      'lo',
      'route0=10.9.0.0/16,,0\nroute0_options=table=254\nroute1=10.8.0.0/16,,0\nroute1_options=table=254,type=blackhole\n',
    ]),
    [
      'texts as NetworkManager reads them: a backslash begins an escape sequence, and leading blanks are ignored',
      eth0(String.raw`802.1x: {eap-methods: [peap], identity: 'DOMAIN\host', password: '  a\ b'}`),
      'eth0',
      String.raw`identity=DOMAIN\\host${'\n'}password=\s\sa\\ b${'\n'}`,
    ],
  ])('%s', (_, yaml, name, text) => {
    expect(contentOf(yaml, name)).toContain(text);
  });

  it('no controller that is absent', () => {
    const yaml = `${eth0('mtu: 1500')}- {name: x0, type: linux-bridge, state: absent, bridge: {port: [{name: eth0}]}}\n`;
    expect(contentOf(yaml, 'eth0')).toContain('mtu=1500');
    expect(contentOf(yaml, 'eth0')).not.toContain('master');
  });
});
