import fc from 'fast-check';
import { MAX_NETWORK_YAML_CHARACTERS, planHostNetworks } from './host-networks';
import { MAC, host, eth0, problemsOf } from './host-networks.fixture.spec';
import { staticNetworkProblem } from './static-networks';

describe('problems of static networks', () => {
  it.each([
    ['', 'network_yaml: network_yaml is empty.'],
    ['interfaces:\n- name: eth0\n  ipv4: {enabled: true', 'line 3, network_yaml: The text is not YAML'],
    ['- a\n', 'line 1: The document must be an object, not a list of 1 entries.'],
    ['interfaces: []\n', 'line 1, interfaces: The document describes no interface.'],
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
    ['interfaces:\n- {name: eth0}\n- {name: eth0}\n', 'line 3, interfaces[1].name: Interface eth0 occurs twice.'],
    [
      'interfaces:\n- name: eth0\n  mptcp: {address-flags: [signal, fullmesh]}\n',
      'line 3, interfaces[0].mptcp.address-flags: address-flags must be a list with only one of signal and fullmesh',
    ],
    ['interfaces:\n- {name: eth0, identifier: mac-address}\n', 'eth0 has identifier mac-address, but no mac-address.'],
    ['interfaces:\n- {name: eth0}\n- {name: eth5}\n', 'line 3, interfaces[1].name: Interface eth5 has no MAC address'],
    [
      'interfaces:\n- {name: eth0}\n- {name: b, type: bond, link-aggregation: {mode: 1, port: [eth0]}}\n- {name: c, type: bond, link-aggregation: {mode: 1, port: [eth0]}}\n',
      'line 4, interfaces[2]: eth0 cannot be a port of c because it is a port of b.',
    ],
    [
      'interfaces:\n- {name: eth0}\nroutes:\n  config:\n  - {destination: 0.0.0.0/0, next-hop-address: 1.2.3.4, next-hop-interface: eth7}\n',
      'line 5, routes.config[0].next-hop-interface: The document has no interface eth7.',
    ],
    [
      'interfaces:\n- {name: eth0}\nroutes:\n  config:\n  - {destination: 0.0.0.0/0, next-hop-address: "fd00::1", next-hop-interface: eth0}\n',
      'fd00::1 and 0.0.0.0/0 have different address families.',
    ],
    [
      'interfaces:\n- {name: eth0}\ndns-resolver:\n  config:\n    server: [one]\n',
      'line 5, dns-resolver.config.server[0]: "one" is not an IP address.',
    ],
    [
      'interfaces:\n- {name: eth0}\ndns-resolver: {config: {server: [1.1.1.1]}}\n',
      'No interface has ipv4 enabled, which these name servers require.',
    ],
    [
      'interfaces:\n- {name: eth0, ipv4: {enabled: true}}\ndns-resolver: {config: {search: [a.example]}}\n',
      'line 3, dns-resolver.config.search: No interface has an address or DHCP, which search domains and options require.',
    ],
    [
      'interfaces:\n- {name: eth0}\ndns-resolver: {config: {options: [rotate]}}\n',
      'line 3, dns-resolver.config.options: No interface has an address or DHCP, which search domains and options require.',
    ],
    [
      'interfaces:\n- {name: eth0}\nroutes: {config: [{destination: 10.0.0.0/8, next-hop-interface: eth0}]}\n',
      'line 3, routes.config[0].next-hop-interface: eth0 is not up or has no ipv4. Set its state to up',
    ],
    [
      'interfaces:\n- {name: eth0, ipv6: {enabled: true, autoconf: true}}\n',
      'eth0 has autoconf without dhcp, which nmstate does not support.',
    ],
    [
      'interfaces:\n- {name: eth0, ipv4: {enabled: true, dhcp: true}, ipv6: {enabled: true, dhcp: true}}\ndns-resolver: {config: {server: [10.0.0.53, "fd00::53", 10.0.0.54]}}\n',
      'line 3, dns-resolver.config.server: In a keyfile, no name server can be between two of the other address family.',
    ],
    [
      'interfaces:\n- {name: eth0}\nroute-rules: {config: [{ip-from: 10.0.0.0/8, route-table: 100, iif: eth9}]}\n',
      'line 3, route-rules.config[0].iif: The document has no interface eth9.',
    ],
    [
      'interfaces:\n- {name: eth0, profile-name: lan}\n- {name: v5, profile-name: lan, type: vlan, vlan: {base-iface: eth0, id: 5}}\n',
      'line 3, interfaces[1].profile-name: Two interfaces have the keyfile lan.nmconnection. Use each profile-name once.',
    ],
    [
      'interfaces:\n- {name: eth0}\n- {name: eth0.5, type: vlan}\n',
      'line 3, interfaces[1]: An interface of type vlan requires vlan.',
    ],
    ['interfaces:\n- {name: "a b"}\n', 'name must be the name of an interface'],
    [
      `x: &x [1,1]\ny: &y [*x,*x,*x,*x,*x,*x]\nz: &z [*y,*y,*y,*y,*y,*y]\ninterfaces: [*z,*z,*z,*z,*z,*z]\n`,
      'more than 100 values follow from aliases.',
    ],
    ['x'.repeat(MAX_NETWORK_YAML_CHARACTERS + 1), 'characters. Allowed: at most'],
  ])('contain the line: %#', (yaml, problem) => {
    const problems = problemsOf(host(yaml, 'eth0'));
    expect(problems.join('\n')).toContain(problem);
    expect(problems.every((text) => text.startsWith('static_network_config of host 1'))).toBe(true);
  });

  it.each([
    [[], 'No interface has a MAC address'],
    [[{ mac_address: 'no', logical_nic_name: 'eth0' }], '"NO" is not a MAC address.'],
    [[{ mac_address: MAC }], `The MAC address ${MAC} has no logical_nic_name.`],
    [
      [
        { mac_address: MAC, logical_nic_name: 'eth0' },
        { mac_address: MAC.toLowerCase(), logical_nic_name: 'eth1' },
      ],
      `MAC address ${MAC} occurs twice.`,
    ],
    [
      [
        { mac_address: MAC, logical_nic_name: 'eth0' },
        { mac_address: '02:00:00:00:00:09', logical_nic_name: 'eth0' },
      ],
      'Interface eth0 occurs twice.',
    ],
  ])('contain problems of the mapping: %#', (mac_interface_map, problem) => {
    expect(problemsOf({ network_yaml: 'interfaces:\n- {name: eth0}\n', mac_interface_map }).join('\n')).toContain(
      problem,
    );
  });

  it('do not contain settings without an effect', () => {
    const { problems, advice } = planHostNetworks(
      [eth0('  ipv4: {address: [{ip: 10.0.0.1, prefix-length: 24}]}\n')],
      'keyfiles',
    );
    expect(problems).toEqual([]);
    expect(advice).toEqual([
      { host: 0, line: 4, path: 'interfaces[0].ipv4', problem: 'These settings have no effect until enabled is true.' },
    ]);
  });
});

describe('static networks', () => {
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

  it('are accepted or refused without throwing', () => {
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

  it('have a complete result for documents with one change', () => {
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

describe('staticNetworkProblem', () => {
  it.each(['{}', '[{"network_yaml":"interfaces: []"}]', '[null]', '['])('returns the reason for %s', (config) => {
    expect(staticNetworkProblem({ staticNetworkConfig: config, openshiftVersion: '' })?.reason).toMatch(
      /static_network_config/,
    );
  });

  it.each(['', '[]'])('returns undefined without static networks: %j', (config) => {
    expect(staticNetworkProblem({ staticNetworkConfig: config, openshiftVersion: '' })).toBeUndefined();
  });
});
