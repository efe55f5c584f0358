import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type HostNetworkConfig, type NetworkForm, planHostNetworks } from './host-networks';
import { hostNetworkFiles, NETWORK_SCRIPT_PATH, networkScripts } from './network-files';

/** Runs the real script in a folder with the layout of a live system's root. */
describe('network script', () => {
  let root = '';
  beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'muster-network-'))));
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const plugIn = (name: string, mac: string): void => {
    mkdirSync(join(root, 'net', name, 'device'), { recursive: true });
    writeFileSync(join(root, 'net', name, 'address'), `${mac}\n`);
  };

  function run(configs: readonly HostNetworkConfig[], form: NetworkForm, path = process.env['PATH'] ?? ''): string {
    for (const { path, mode, content } of [
      ...hostNetworkFiles(planHostNetworks(configs, form).hosts, form),
      ...networkScripts(),
    ]) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
      chmodSync(join(root, path), mode);
    }
    return execFileSync('/bin/bash', [join(root, NETWORK_SCRIPT_PATH)], {
      encoding: 'utf8',
      env: {
        PATH: path,
        ROOT: root,
        NET: join(root, 'net'),
        NETWORK_LIBRARY: join(root, '/usr/local/bin/common_network_script.sh'),
        STABLE_SECONDS: '0',
        MAX_WAIT_SECONDS: '0',
      },
    });
  }

  const hostOf = (mac: string, address: string): HostNetworkConfig => ({
    network_yaml: `interfaces:
- {name: nic1, type: ethernet, ipv4: {enabled: true, address: [{ip: ${address}, prefix-length: 24}]}}
- {name: nic1.5, type: vlan, vlan: {base-iface: nic1, id: 5}}
`,
    mac_interface_map: [{ mac_address: mac, logical_nic_name: 'nic1' }],
  });
  const BOTH = [hostOf('02:00:00:00:00:0a', '10.0.0.1'), hostOf('02:00:00:00:00:0b', '10.0.0.2')];
  const CONNECTIONS = '/etc/NetworkManager/system-connections';

  it('installs the keyfiles of the folder with its MAC address and uses the real port names', () => {
    plugIn('lo0', '02:00:00:00:00:ff');
    plugIn('ens3', '02:00:00:00:00:0b');
    expect(run(BOTH, 'keyfiles')).toContain('/etc/assisted/network/host1');

    expect(readdirSync(join(root, CONNECTIONS)).sort()).toEqual(['ens3.nmconnection', 'nic1.5.nmconnection']);
    const own = readFileSync(join(root, CONNECTIONS, 'ens3.nmconnection'), 'utf8');
    expect(own).toContain('interface-name=ens3\n');
    expect(own).toContain('address0=10.0.0.2/24\n');
    expect(readFileSync(join(root, CONNECTIONS, 'nic1.5.nmconnection'), 'utf8')).toContain('parent=ens3\n');
  });

  it('uses the real port names in routing rules and in pairs of virtual ports', () => {
    plugIn('ens3', '02:00:00:00:00:0a');
    const network_yaml = `interfaces:
- {name: nic1, type: ethernet, ipv4: {enabled: true, address: [{ip: 10.0.0.1, prefix-length: 24}]}}
- {name: veth0, type: veth, veth: {peer: nic1}}
- {name: nic10, type: dummy}
route-rules:
  config:
  - {ip-from: 10.0.0.0/24, iif: nic1, route-table: 200}
  - {ip-from: 10.0.0.0/24, iif: nic10, route-table: 201}
`;
    const mac_interface_map = [{ mac_address: '02:00:00:00:00:0a', logical_nic_name: 'nic1' }];
    run([{ network_yaml, mac_interface_map }], 'keyfiles');
    const port = readFileSync(join(root, CONNECTIONS, 'ens3.nmconnection'), 'utf8');
    expect(port).toContain('routing-rule0=priority 30000 from 10.0.0.0/24 iif ens3 table 200\n');
    expect(port).toContain('routing-rule1=priority 30001 from 10.0.0.0/24 iif nic10 table 201\n');
    expect(readFileSync(join(root, CONNECTIONS, 'veth0.nmconnection'), 'utf8')).toContain('peer=ens3\n');
  });

  it('ignores devices without a MAC address, such as CAN controllers', () => {
    plugIn('can0', '');
    plugIn('ens3', '02:00:00:00:00:0b');
    mkdirSync(join(root, 'net/wwan0/device'), { recursive: true });
    writeFileSync(join(root, 'net/wwan0/address'), '');
    expect(run(BOTH, 'keyfiles')).toContain('/etc/assisted/network/host1');
    expect(readdirSync(join(root, CONNECTIONS)).sort()).toEqual(['ens3.nmconnection', 'nic1.5.nmconnection']);
  });

  it('copies a policy unchanged', () => {
    plugIn('ens3', '02:00:00:00:00:0a');
    run(BOTH, 'nmpolicy');
    expect(readdirSync(join(root, 'etc/nmstate'))).toEqual(['ymlFile0.yml']);
    expect(readFileSync(join(root, 'etc/nmstate/ymlFile0.yml'), 'utf8')).toContain('02:00:00:00:00:0A');
  });

  it('needs only builtins of bash and four programs that every dracut ramdisk has', () => {
    plugIn('ens3', '02:00:00:00:00:0b');
    const bin = join(root, 'bin');
    mkdirSync(bin);
    for (const program of ['cp', 'mkdir', 'chmod', 'sleep'])
      writeFileSync(join(bin, program), `#!/bin/bash\nexec /bin/${program} "$@"\n`, { mode: 0o755 });
    run(BOTH, 'keyfiles', bin);
    expect(readdirSync(join(root, CONNECTIONS)).sort()).toEqual(['ens3.nmconnection', 'nic1.5.nmconnection']);
  });

  it('changes nothing on a host without a configuration', () => {
    plugIn('ens3', '02:00:00:00:00:0c');
    expect(run(BOTH, 'keyfiles')).toContain(
      'No static network configuration for this host: none of its MAC addresses (02:00:00:00:00:0C)',
    );
  });
});
