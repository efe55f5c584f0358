import { parse } from 'yaml';
import { type HostNetworkConfig, planHostNetworks } from './host-networks';
import { hostNetworkFiles } from './network-files';
import { describeNetworkProblem } from './nmstate';
import { MAC, host, eth0, problemsOf } from './host-networks.fixture.spec';

/** Keyfiles of one host, as sections of settings. */
function keyfiles(config: HostNetworkConfig): Record<string, Record<string, Record<string, string>>> {
  const { hosts, problems } = planHostNetworks([config], 'keyfiles');
  expect(problems).toEqual([]);
  return Object.fromEntries(
    (hosts[0]?.files ?? []).map(({ fileName, content }) => [
      fileName.replace('.nmconnection', ''),
      readKeyfile(content),
    ]),
  );
}
function readKeyfile(content: string): Record<string, Record<string, string>> {
  const sections: Record<string, Record<string, string>> = {};
  let section: Record<string, string> = {};
  for (const line of content.split('\n').filter((text) => text !== '')) {
    const title = /^\[(.*)\]$/.exec(line)?.[1];
    if (title !== undefined) sections[title] = section = {};
    else section[line.slice(0, line.indexOf('='))] = line.slice(line.indexOf('=') + 1);
  }
  return sections;
}

describe('static networks as keyfiles', () => {
  it('contain addresses, routes and name servers of an interface', () => {
    const files = keyfiles(
      eth0(`  mtu: 9000
  ipv4:
    enabled: true
    address: [{ip: 192.168.111.30, prefix-length: 24}, {ip: 192.168.111.31, prefix-length: 24}]
  ipv6:
    enabled: true
    address: [{ip: "fd00::30", prefix-length: 64}]
routes:
  config:
  - {destination: 0.0.0.0/0, next-hop-address: 192.168.111.1, next-hop-interface: eth0, metric: 100}
  - {destination: "::/0", next-hop-address: "fd00::1", next-hop-interface: eth0}
dns-resolver:
  config: {search: [example.com], server: [192.168.111.1, "fd00::1"], options: [rotate]}
`),
    );
    expect(files).toEqual({
      eth0: {
        connection: {
          autoconnect: 'true',
          'autoconnect-priority': '1',
          'autoconnect-slaves': '-1',
          id: 'eth0',
          'interface-name': 'eth0',
          type: '802-3-ethernet',
        },
        ethernet: { mtu: '9000' },
        ipv4: {
          method: 'manual',
          address0: '192.168.111.30/24',
          address1: '192.168.111.31/24',
          'dhcp-timeout': '2147483647',
          dns: '192.168.111.1',
          'dns-priority': '40',
          'dns-search': 'example.com',
          'dns-options': 'rotate',
          route0: '0.0.0.0/0,192.168.111.1,100',
          route0_options: 'table=254',
        },
        ipv6: {
          method: 'manual',
          address0: 'fd00::30/64',
          'addr-gen-mode': '0',
          'dhcp-timeout': '2147483647',
          dns: 'fd00::1',
          'dns-priority': '50',
          route0: '::/0,fd00::1,1024',
          route0_options: 'table=254',
        },
      },
    });
  });

  it.each([
    ['enabled: true, dhcp: true', 'ipv4', 'auto'],
    ['enabled: true', 'ipv4', 'disabled'],
    ['enabled: false', 'ipv4', 'disabled'],
    ['enabled: true', 'ipv6', 'link-local'],
    ['enabled: true, dhcp: true', 'ipv6', 'dhcp'],
    ['enabled: true, dhcp: true, autoconf: true', 'ipv6', 'auto'],
  ])('convert {%s} of %s to method %s', (settings, family, method) => {
    expect(keyfiles(eth0(`  ${family}: {${settings}}\n`))['eth0']?.[family]?.['method']).toBe(method);
  });

  it('contain the options for DHCP', () => {
    const settings =
      '{enabled: true, dhcp: true, auto-dns: false, auto-gateway: false, auto-routes: false, auto-route-table-id: 100, auto-route-metric: 50}';
    expect(keyfiles(eth0(`  ipv4: ${settings}\n`))['eth0']?.['ipv4']).toEqual({
      method: 'auto',
      'dhcp-client-id': 'mac',
      'dhcp-send-hostname': 'true',
      'dhcp-timeout': '2147483647',
      'ignore-auto-dns': 'true',
      'ignore-auto-routes': 'true',
      'never-default': 'true',
      'route-metric': '50',
      'route-table': '100',
    });
  });

  it('contain virtual functions, rules without priority, MTU of InfiniBand, and frames on inactive ports, as nmstate does', () => {
    const files = keyfiles(
      host(
        `interfaces:
- name: eth0
  type: ethernet
  ethernet: {sr-iov: {total-vfs: 2, drivers-autoprobe: false, vfs: [{id: 0, mac-address: "02:00:00:00:00:10", trust: true, spoof-check: false, vlan-id: 5, qos: 2}, {id: 1, max-tx-rate: 100}]}}
  ipv4: {enabled: true, address: [{ip: 10.0.0.1, prefix-length: 24}]}
  ipv6: {enabled: true, dhcp: true, autoconf: true}
- {name: ib0, type: infiniband, mtu: 2044, infiniband: {mode: datagram, pkey: 0x8001, base-iface: ib1}}
- {name: bond0, type: bond, link-aggregation: {mode: active-backup, options: {all_slaves_active: delivered, use_carrier: true, miimon: 0x64, ns_ip6_target: ['fd00::8', 'fd00::9']}, port: [eth1]}}
route-rules:
  config:
  - {ip-to: 10.1.0.0/16, route-table: 100, suppress-prefix-length: 0}
  - {family: ipv6, route-table: 200, priority: -1}
`,
        'eth0',
        'ib0',
        'eth1',
      ),
    );
    expect(files['eth0']?.['sriov']).toEqual({
      'autoprobe-drivers': '0',
      'total-vfs': '2',
      'vf.0': 'mac=02:00:00:00:00:10 spoof-check=false trust=true vlans=5.2.q',
      'vf.1': 'max-tx-rate=100',
    });
    expect(files['ib0']?.['infiniband']).toMatchObject({ mtu: '2044', parent: 'ib1', 'p-key': '32769' });
    expect(files['ib0']?.['ethernet']).toBeUndefined();
    expect(files['bond0']?.['bond']).toEqual({
      mode: 'active-backup',
      all_slaves_active: '1',
      use_carrier: '1',
      miimon: '100',
      ns_ip6_target: 'fd00::8,fd00::9',
    });
    expect(files['eth0']?.['ipv4']?.['routing-rule0']).toBe(
      'priority 30000 to 10.1.0.0/16 suppress_prefixlength 0 table 100',
    );
    expect(files['eth0']?.['ipv6']?.['routing-rule0']).toBe('priority 30001 from ::/0 table 200');
  });

  it('compute lines for reported problems only', () => {
    const network_yaml = `interfaces: []\n${Array.from({ length: 10_000 }, (_, key) => `k${key}: 1`).join('\n')}`;
    const { problems } = planHostNetworks([{ network_yaml }], 'keyfiles');
    expect(problems).toHaveLength(20);
    expect(problems.at(-1)).toMatchObject({ line: 21, path: 'k19' });
  });

  it('contain bonds with their ports, and VLANs and bridges on top', () => {
    const files = keyfiles(
      host(
        `interfaces:
- name: bond0
  type: bond
  link-aggregation: {mode: lacp, options: {miimon: '100'}, port: [eth0, eth1]}
- name: bond0.100
  type: vlan
  vlan: {base-iface: bond0, id: 100}
  ipv4: {enabled: true, dhcp: true}
- name: br0
  type: linux-bridge
  bridge:
    options: {stp: {enabled: false}}
    port: [{name: eth2, vlan: {mode: trunk, trunk-tags: [{id: 101}, {id-range: {min: 500, max: 599}}], tag: 10, enable-native: true}}]
`,
        'eth0',
        'eth1',
        'eth2',
      ),
    );
    expect(Object.keys(files)).toEqual(['bond0.100', 'bond0', 'br0', 'eth0', 'eth1', 'eth2']);
    expect(files['bond0']?.['bond']).toEqual({ mode: '802.3ad', miimon: '100' });
    expect(files['bond0']?.['connection']?.['autoconnect-slaves']).toBe('1');
    expect(files['eth1']).toEqual({
      connection: {
        autoconnect: 'true',
        'autoconnect-priority': '1',
        'autoconnect-slaves': '-1',
        id: 'eth1',
        'interface-name': 'eth1',
        master: 'bond0',
        'slave-type': 'bond',
        type: '802-3-ethernet',
      },
    });
    expect(files['bond0.100']?.['vlan']).toEqual({ flags: '1', id: '100', parent: 'bond0' });
    expect(files['br0']?.['bridge']).toEqual({ stp: 'false', 'vlan-filtering': 'true' });
    expect(files['eth2']?.['bridge-port']).toEqual({ vlans: '10 pvid untagged,101,500-599' });
  });

  it('find an interface by its MAC address when the document sets its identifier', () => {
    const files = keyfiles({
      network_yaml: `interfaces:\n- {name: lan, type: ethernet, identifier: mac-address, mac-address: "${MAC}", ipv4: {enabled: true, dhcp: true}}\n`,
    });
    expect(files['lan']?.['ethernet']).toEqual({ 'mac-address': MAC });
    expect(files['lan']?.['connection']).not.toHaveProperty('interface-name');
  });

  it.each([
    ['ovs-bridge', "interfaces[1].type: type 'ovs-bridge' cannot be written as a NetworkManager keyfile"],
    ['ipvlan', "interfaces[1].type: type 'ipvlan' cannot be written as a NetworkManager keyfile"],
  ])('refuse %s, which only newer releases support', (type, problem) => {
    const config = host(`interfaces:\n- {name: eth0}\n- {name: br0, type: ${type}}\n`, 'eth0');
    expect(problemsOf(config)).toEqual([expect.stringContaining(`host 1, line 3, ${problem}`)]);
    expect(problemsOf(config, 'nmpolicy')).toEqual([]);
  });
});

describe('static networks as policies', () => {
  it('find interfaces by their MAC address', () => {
    const config: HostNetworkConfig = {
      network_yaml: `interfaces:
- {name: nic1, type: ethernet, ipv4: {enabled: true, address: [{ip: 10.0.0.2, prefix-length: 24}]}, ipv6: {enabled: true}}
- {name: bond0, type: bond, link-aggregation: {mode: 1, options: {primary: nic2}, port: [nic2]}}
- {name: nic1.5, type: vlan, vlan: {base-iface: nic1, id: 5}}
routes: {config: [{destination: 0.0.0.0/0, next-hop-address: 10.0.0.1, next-hop-interface: nic1}]}
`,
      mac_interface_map: [
        { mac_address: '02-00-00-00-00-0b', logical_nic_name: 'nic2' },
        { mac_address: '02:00:00:00:00:0a', logical_nic_name: 'nic1' },
      ],
    };
    const { hosts } = planHostNetworks([config], 'nmpolicy');
    const nic1 = '{{ capture.iface0.interfaces.0.name }}';
    const nic2 = '{{ capture.iface1.interfaces.0.name }}';
    expect(parse(hosts[0]?.files[0]?.content ?? '')).toEqual({
      capture: {
        iface0: 'interfaces.mac-address == "02:00:00:00:00:0A"',
        iface1: 'interfaces.mac-address == "02:00:00:00:00:0B"',
      },
      desiredState: {
        interfaces: [
          {
            name: nic1,
            type: 'ethernet',
            ipv4: { dhcp: false, enabled: true, address: [{ ip: '10.0.0.2', 'prefix-length': 24 }] },
            ipv6: { dhcp: false, autoconf: false, enabled: true },
          },
          { name: 'bond0', type: 'bond', 'link-aggregation': { mode: 1, options: { primary: nic2 }, port: [nic2] } },
          { name: 'nic1.5', type: 'vlan', vlan: { 'base-iface': nic1, id: 5 } },
        ],
        routes: { config: [{ destination: '0.0.0.0/0', 'next-hop-address': '10.0.0.1', 'next-hop-interface': nic1 }] },
      },
    });
    expect(hostNetworkFiles(hosts, 'nmpolicy').map(({ path, mode }) => [path, mode])).toEqual([
      ['/etc/assisted/network/host0/ymlFile0.yml', 0o600],
      ['/etc/assisted/network/host0/mac_interface.ini', 0o600],
    ]);
    expect(hostNetworkFiles(hosts, 'nmpolicy')[1]?.content).toBe('02:00:00:00:00:0A=nic1\n02:00:00:00:00:0B=nic2\n');
  });
});

describe('mapping of MAC addresses', () => {
  it('contains the MAC addresses in the document', () => {
    const { hosts } = planHostNetworks(
      [{ network_yaml: `interfaces:\n- {name: eth0, mac-address: ${MAC}, ipv4: {enabled: true, dhcp: true}}\n` }],
      'keyfiles',
    );
    expect(hosts[0]?.mapping).toEqual([{ mac: MAC, name: 'eth0' }]);
  });

  it('is not required for names that identify the port', () => {
    const yaml = 'interfaces:\n- {name: eth0}\n- {name: enp1s0}\n- {name: eno1}\n- {name: eth9, state: absent}\n';
    expect(problemsOf(host(yaml, 'eth0'))).toEqual([]);
  });

  it('does not depend on the order of hosts and addresses', () => {
    const first = host('interfaces:\n- {name: eth0}\n- {name: eth1}\n', 'eth0', 'eth1');
    const second = { network_yaml: `interfaces:\n- {name: eth0, mac-address: ${MAC}}\n` };
    const turned = { ...first, mac_interface_map: [...(first.mac_interface_map ?? [])].reverse() };
    expect(planHostNetworks([second, turned], 'keyfiles').hosts).toEqual(
      planHostNetworks([first, second], 'keyfiles').hosts,
    );
  });

  it('is refused when two hosts have the same MAC address', () => {
    const config = host('interfaces:\n- {name: eth0}\n', 'eth0');
    const { problems, advice } = planHostNetworks([config, config], 'keyfiles');
    expect(problems).toEqual([]);
    expect(advice.map(describeNetworkProblem)).toEqual([
      'static_network_config of host 2, mac_interface_map: 02:00:00:00:00:01 is also used by host 1. Use each MAC address once.',
    ]);
  });
});
