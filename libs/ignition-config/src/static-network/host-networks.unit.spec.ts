import fc from 'fast-check';
import { parse } from 'yaml';
import { type HostNetworkConfig, MAX_NETWORK_YAML_CHARACTERS, planHostNetworks } from './host-networks';
import { hostNetworkFiles } from './network-files';
import { describeNetworkProblem } from './nmstate';

const MAC = '02:00:00:80:12:14';
const host = (network_yaml: string, ...names: readonly string[]): HostNetworkConfig => ({
  network_yaml,
  mac_interface_map: names.map((name, index) => ({
    mac_address: `02:00:00:00:00:0${index + 1}`,
    logical_nic_name: name,
  })),
});
const eth0 = (more: string): HostNetworkConfig => host(`interfaces:\n- name: eth0\n  type: ethernet\n${more}`, 'eth0');

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

const problemsOf = (config: HostNetworkConfig, form: 'keyfiles' | 'nmpolicy' = 'keyfiles'): readonly string[] =>
  planHostNetworks([config], form).problems.map(describeNetworkProblem);

describe('static networks as keyfiles', () => {
  it('give an interface its addresses, routes and name servers', () => {
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
  ])('take {%s} of %s as method %s', (settings, family, method) => {
    expect(keyfiles(eth0(`  ${family}: {${settings}}\n`))['eth0']?.[family]?.['method']).toBe(method);
  });

  it('follow what DHCP may set', () => {
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

  it('keep what nmstate keeps: virtual functions, rules without priority, MTU of InfiniBand, frames on inactive ports', () => {
    const files = keyfiles(
      host(
        `interfaces:
- name: eth0
  type: ethernet
  ethernet: {sr-iov: {total-vfs: 2, drivers-autoprobe: false, vfs: [{id: 0, mac-address: "02:00:00:00:00:10", trust: true, spoof-check: false, vlan-id: 5, qos: 2}, {id: 1, max-tx-rate: 100}]}}
  ipv4: {enabled: true, address: [{ip: 10.0.0.1, prefix-length: 24}]}
  ipv6: {enabled: true, dhcp: true, autoconf: true}
- {name: ib0, type: infiniband, mtu: 2044, infiniband: {mode: datagram, pkey: 0x8001, base-iface: ib1}}
- {name: bond0, type: bond, link-aggregation: {mode: active-backup, options: {all_slaves_active: delivered}, port: [eth1]}}
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
    expect(files['bond0']?.['bond']).toEqual({ mode: 'active-backup', all_slaves_active: '1' });
    expect(files['eth0']?.['ipv4']?.['routing-rule0']).toBe(
      'priority 30000 to 10.1.0.0/16 suppress_prefixlength 0 table 100',
    );
    expect(files['eth0']?.['ipv6']?.['routing-rule0']).toBe('priority 30000 from ::/0 table 200');
  });

  it('look up lines for reported problems only, whatever their number', () => {
    const network_yaml = `interfaces: []\n${Array.from({ length: 10_000 }, (_, key) => `k${key}: 1`).join('\n')}`;
    const { problems } = planHostNetworks([{ network_yaml }], 'keyfiles');
    expect(problems).toHaveLength(20);
    expect(problems.at(-1)).toMatchObject({ line: 21, path: 'k19' });
  });

  it('build bonds with their ports, and VLANs and bridges on top', () => {
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

  it('find an interface by its MAC address where the document says so', () => {
    const files = keyfiles({
      network_yaml: `interfaces:\n- {name: lan, type: ethernet, identifier: mac-address, mac-address: "${MAC}", ipv4: {enabled: true, dhcp: true}}\n`,
    });
    expect(files['lan']?.['ethernet']).toEqual({ 'mac-address': MAC });
    expect(files['lan']?.['connection']).not.toHaveProperty('interface-name');
  });

  it.each([
    ['ovs-bridge', "interfaces[1].type: type 'ovs-bridge' cannot be written as a NetworkManager keyfile"],
    ['ipvlan', "interfaces[1].type: type 'ipvlan' cannot be written as a NetworkManager keyfile"],
  ])('refuse %s, which only newer hosts build', (type, problem) => {
    const config = host(`interfaces:\n- {name: eth0}\n- {name: br0, type: ${type}}\n`, 'eth0');
    expect(problemsOf(config)).toEqual([expect.stringContaining(`host 1, line 3, ${problem}`)]);
    expect(problemsOf(config, 'nmpolicy')).toEqual([]);
  });
});

describe('static networks as policies', () => {
  it('name interfaces by what has their MAC address', () => {
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

describe('the mapping of MAC addresses', () => {
  it('is completed from the document, so that an address is given once', () => {
    const { hosts } = planHostNetworks(
      [{ network_yaml: `interfaces:\n- {name: eth0, mac-address: ${MAC}, ipv4: {enabled: true, dhcp: true}}\n` }],
      'keyfiles',
    );
    expect(hosts[0]?.mapping).toEqual([{ mac: MAC, name: 'eth0' }]);
  });

  it('asks for nothing where a name tells the port', () => {
    const yaml = 'interfaces:\n- {name: eth0}\n- {name: enp1s0}\n- {name: eno1}\n- {name: eth9, state: absent}\n';
    expect(problemsOf(host(yaml, 'eth0'))).toEqual([]);
  });

  it('does not depend on the order in which hosts and addresses are given', () => {
    const first = host('interfaces:\n- {name: eth0}\n- {name: eth1}\n', 'eth0', 'eth1');
    const second = { network_yaml: `interfaces:\n- {name: eth0, mac-address: ${MAC}}\n` };
    const turned = { ...first, mac_interface_map: [...(first.mac_interface_map ?? [])].reverse() };
    expect(planHostNetworks([second, turned], 'keyfiles').hosts).toEqual(
      planHostNetworks([first, second], 'keyfiles').hosts,
    );
  });

  it('reports a MAC address of two hosts', () => {
    const config = host('interfaces:\n- {name: eth0}\n', 'eth0');
    const { problems, advice } = planHostNetworks([config, config], 'keyfiles');
    expect(problems).toEqual([]);
    expect(advice.map(describeNetworkProblem)).toEqual([
      'static_network_config of host 2, mac_interface_map: 02:00:00:00:00:01 belongs to host 1 too; only one of them gets its network.',
    ]);
  });
});

describe('what is wrong with a static network', () => {
  it.each([
    ['', 'network_yaml: network_yaml is empty.'],
    ['interfaces:\n- name: eth0\n  ipv4: {enabled: true', 'line 3, network_yaml: The text is not YAML'],
    ['- a\n', 'line 1: The document must be an object, not a list of 1 entries.'],
    ['interfaces: []\n', 'line 1, interfaces: No interface is described.'],
    ['interfaces:\n- {type: ethernet}\n', 'line 2, interfaces[0]: name is required.'],
    [
      'interfaces:\n- name: eth0\n  typ: ethernet\n',
      'line 3, interfaces[0].typ: typ is not a known field. Known fields: name',
    ],
    ['interfaces:\n- {name: eth0, type: ethernett}\n', 'interfaces[0].type: type must be one of ethernet, bond'],
    [
      'interfaces:\n- name: eth0\n  ipv4:\n    enabled: true\n    address:\n    - ip: 1.2.3.444\n      prefix-length: 24\n',
      'line 6, interfaces[0].ipv4.address[0].ip: ip must be an IPv4 address, not "1.2.3.444".',
    ],
    [
      'interfaces:\n- name: eth0\n  ipv4:\n    enabled: true\n    address: [{ip: 1.2.3.4, prefix-length: 33}]\n',
      'line 5, interfaces[0].ipv4.address[0].prefix-length: prefix-length must be a whole number from 0 to 32, not 33.',
    ],
    ['interfaces:\n- {name: eth0}\n- {name: eth0}\n', 'line 3, interfaces[1].name: Interface eth0 is described twice.'],
    [
      'interfaces:\n- {name: eth0, identifier: mac-address}\n',
      'eth0 is to be found by its MAC address, but has no mac-address.',
    ],
    [
      'interfaces:\n- {name: eth0}\n- {name: eth5}\n',
      'line 3, interfaces[1].name: Nothing tells which port of the machine eth5 is',
    ],
    [
      'interfaces:\n- {name: eth0}\n- {name: b, type: bond, link-aggregation: {mode: 1, port: [eth0]}}\n- {name: c, type: bond, link-aggregation: {mode: 1, port: [eth0]}}\n',
      'line 4, interfaces[2]: eth0 cannot be a port of c: it is one of b already.',
    ],
    [
      'interfaces:\n- {name: eth0}\nroutes:\n  config:\n  - {destination: 0.0.0.0/0, next-hop-address: 1.2.3.4, next-hop-interface: eth7}\n',
      'line 5, routes.config[0].next-hop-interface: There is no interface eth7 in this document.',
    ],
    [
      'interfaces:\n- {name: eth0}\nroutes:\n  config:\n  - {destination: 0.0.0.0/0, next-hop-address: "fd00::1", next-hop-interface: eth0}\n',
      'fd00::1 is not of the same family as 0.0.0.0/0.',
    ],
    [
      'interfaces:\n- {name: eth0}\ndns-resolver:\n  config:\n    server: [one]\n',
      'line 5, dns-resolver.config.server[0]: "one" is not an IP address.',
    ],
    [
      'interfaces:\n- {name: eth0}\ndns-resolver: {config: {server: [1.1.1.1]}}\n',
      'No interface has ipv4 enabled that could carry these name servers.',
    ],
    [
      'interfaces:\n- {name: eth0, ipv6: {enabled: true, autoconf: true}}\n',
      'autoconf without dhcp (eth0) cannot be written as a NetworkManager keyfile',
    ],
    ['interfaces:\n- {name: "a b"}\n', 'name must be the name of an interface'],
    [
      `x: &x [1,1]\ny: &y [*x,*x,*x,*x,*x,*x]\nz: &z [*y,*y,*y,*y,*y,*y]\ninterfaces: [*z,*z,*z,*z,*z,*z]\n`,
      'more than 100 values follow from aliases.',
    ],
    ['x'.repeat(MAX_NETWORK_YAML_CHARACTERS + 1), 'characters. Allowed: at most'],
  ])('is reported with its line: %#', (yaml, problem) => {
    const problems = problemsOf(host(yaml, 'eth0'));
    expect(problems.join('\n')).toContain(problem);
    expect(problems.every((text) => text.startsWith('static_network_config of host 1'))).toBe(true);
  });

  it.each([
    [[], 'No interface is tied to a MAC address'],
    [[{ mac_address: 'no', logical_nic_name: 'eth0' }], '"NO" is not a MAC address.'],
    [[{ mac_address: MAC }], `The MAC address ${MAC} has no logical_nic_name.`],
    [
      [
        { mac_address: MAC, logical_nic_name: 'eth0' },
        { mac_address: MAC.toLowerCase(), logical_nic_name: 'eth1' },
      ],
      `MAC address ${MAC} is given twice.`,
    ],
    [
      [
        { mac_address: MAC, logical_nic_name: 'eth0' },
        { mac_address: '02:00:00:00:00:09', logical_nic_name: 'eth0' },
      ],
      'Interface eth0 is given twice.',
    ],
  ])('includes the mapping: %#', (mac_interface_map, problem) => {
    expect(problemsOf({ network_yaml: 'interfaces:\n- {name: eth0}\n', mac_interface_map }).join('\n')).toContain(
      problem,
    );
  });

  it('is not what will merely stay unused', () => {
    const { problems, advice } = planHostNetworks(
      [eth0('  ipv4: {address: [{ip: 10.0.0.1, prefix-length: 24}]}\n')],
      'keyfiles',
    );
    expect(problems).toEqual([]);
    expect(advice).toEqual([
      { host: 0, line: 4, path: 'interfaces[0].ipv4', problem: 'These settings stay unused until enabled is true.' },
    ]);
  });
});

describe('any static network', () => {
  const word = fc.oneof(
    fc.constantFrom(
      'interfaces',
      'name',
      'eth0',
      'type',
      'bond',
      'ipv4',
      'enabled',
      'address',
      'routes',
      'config',
      'port',
      '__proto__',
      'toString',
      'link-aggregation',
      'dns-resolver',
      'server',
    ),
    fc.string({ unit: 'binary', maxLength: 8 }),
  );
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      word,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(word, tie('tree'), { maxKeys: 4 }),
    ),
  }));

  it('is planned or refused, never thrown at', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          tree.map((value) => JSON.stringify(value)),
          fc.string({ unit: 'binary' }),
        ),
        fc.constantFrom('keyfiles' as const, 'nmpolicy' as const),
        (yaml, form) => {
          const { hosts, problems } = planHostNetworks([host(yaml, 'eth0')], form);
          expect(hosts.length === 0).toBe(problems.length > 0);
        },
      ),
    );
  });

  it('has the same shape of outcome for documents that are nearly right', () => {
    fc.assert(
      fc.property(tree, (value) => {
        const document = {
          interfaces: [{ name: 'eth0', type: 'ethernet', ipv4: value, bridge: value, 'link-aggregation': value }],
          routes: { config: [value] },
        };
        const { hosts, problems } = planHostNetworks([host(JSON.stringify(document), 'eth0')], 'keyfiles');
        expect(hosts.length === 0).toBe(problems.length > 0);
      }),
    );
  });
});
